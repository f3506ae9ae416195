/// A write position in preallocated memory, with a check of the remaining capacity before each write.
///
/// It stores two pointers only, so that it stays in two registers. If it owned a buffer, each byte written might
/// alias the buffer's own fields, and the compiler would reload them after each write.
package struct ByteCursor {
  /// The maximum number of bytes that one cursor writes: sixteen numbers and their names.
  package static let maxWrite = 16 * DecimalFormatter.maxLength + 300

  package private(set) var position: UnsafeMutablePointer<UInt8>
  private let end: UnsafeMutablePointer<UInt8>

  /// Makes a cursor over the `maxWrite` bytes that start at `position`.
  init(at position: UnsafeMutablePointer<UInt8>) {
    self.position = position
    end = position + ByteCursor.maxWrite
  }

  @inline(__always)
  private func requireCapacity(for count: Int) {
    precondition(end - position >= count, "a write exceeds ByteCursor.maxWrite")
  }

  /// Writes a literal that is already JSON.
  ///
  /// Inlined so that the length is a constant and the call compiles to a few moves.
  @inline(__always)
  package mutating func put(_ literal: StaticString) {
    requireCapacity(for: literal.utf8CodeUnitCount)
    position.initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    position += literal.utf8CodeUnitCount
  }

  @inline(__always)
  package mutating func put(_ value: Bool) {
    if value { put("true") } else { put("false") }
  }

  /// Writes an integer.
  @inline(__always)
  package mutating func put(_ number: Int64) {
    requireCapacity(for: DecimalFormatter.maxLength)
    position = DecimalFormatter.put(number, at: position)
  }

  /// Writes a number rounded to `decimals` decimal places, without trailing zeros.
  ///
  /// - Parameters:
  ///   - number: The number; nil, NaN and numbers that are too large are written as `null`.
  ///   - decimals: The maximum number of decimal places, 0…4.
  @inline(__always)
  package mutating func put(_ number: Double?, decimals: Int) {
    requireCapacity(for: DecimalFormatter.maxLength)
    if let end = number.flatMap({ DecimalFormatter.put($0, decimals: decimals, at: position) }) {
      position = end
    } else {
      put("null")
    }
  }
}

/// Formats numbers as decimal digits; a line of ten contacts contains about a hundred numbers.
///
/// Each function writes at a pointer and returns the pointer to the end of what it wrote. The functions have no
/// state: if they owned a buffer, the compiler would reload its fields after each byte written.
package enum DecimalFormatter {
  package typealias Pointer = UnsafeMutablePointer<UInt8>

  /// The maximum length of a number: a sign, twenty digits, a decimal point and four decimal places.
  package static let maxLength = 26

  package static func put(_ number: Int64, at position: Pointer) -> Pointer {
    guard number < 0 else { return put(whole: number.magnitude, at: position) }
    position.pointee = UInt8(ascii: "-")
    return put(whole: number.magnitude, at: position + 1)
  }

  /// Writes a number rounded to `decimals` decimal places, without trailing zeros.
  ///
  /// Inlined because callers pass a constant: the compiler turns a division by a constant into a multiplication.
  ///
  /// - Returns: The end of the number, or nil if it is NaN or its magnitude is too large.
  @inline(__always)
  package static func put(_ number: Double, decimals: Int, at position: Pointer) -> Pointer? {
    guard number >= 0 else { return put(negative: number, decimals: decimals, at: position) }
    let scale = scale(of: decimals)
    let scaled = number * Double(scale)
    guard scaled < 1e15 else { return nil }
    // Converted through Int64, because the processor has an instruction for signed integers.
    let rounded = UInt64(bitPattern: Int64(scaled + 0.5))
    let (whole, part) = rounded.quotientAndRemainder(dividingBy: scale)
    let end = put(whole: whole, at: position)
    guard part > 0 else { return end }
    return put(tenThousandths: part * (10_000 / scale), at: end)
  }

  /// Writes a negative number, which is rare; a number that rounds to zero has no sign.
  @inline(never)
  private static func put(negative number: Double, decimals: Int, at position: Pointer) -> Pointer?
  {
    guard number < 0 else { return nil }
    let isZero = -number * Double(scale(of: decimals)) + 0.5 < 1
    if !isZero { position.pointee = UInt8(ascii: "-") }
    return put(-number, decimals: decimals, at: isZero ? position : position + 1)
  }

  @inline(__always)
  private static func scale(of decimals: Int) -> UInt64 {
    switch decimals {
    case ...0: 1
    case 1: 10
    case 2: 100
    case 3: 1000
    default: 10_000
    }
  }

  @inline(__always)
  private static func put(whole number: UInt64, at position: Pointer) -> Pointer {
    guard number < 10 else { return put(long: number, at: position) }
    position.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)
    return position + 1
  }

  /// Writes a number of two or more digits, recursively: first all digits but the last two.
  private static func put(long number: UInt64, at position: Pointer) -> Pointer {
    let end = number < 100 ? position : put(whole: number / 100, at: position)
    return put(pair: number % 100, at: end)
  }

  @inline(__always)
  private static func put(tenThousandths part: UInt64, at position: Pointer) -> Pointer {
    let (first, second) = part.quotientAndRemainder(dividingBy: 100)
    position.pointee = UInt8(ascii: ".")
    let end = put(pair: second, at: put(pair: first, at: position + 1))
    // Trailing zeros are removed; at least one of the four digits is not zero.
    let (last, zeros) = second == 0 ? (first, 2) : (second, 0)
    return end - (last % 10 == 0 ? zeros + 1 : zeros)
  }

  @inline(__always)
  private static func put(pair number: UInt64, at position: Pointer) -> Pointer {
    let pair = UnsafeRawPointer(pairs.utf8Start)
      .loadUnaligned(fromByteOffset: Int(2 * number), as: UInt16.self)
    UnsafeMutableRawPointer(position).storeBytes(of: pair, as: UInt16.self)
    return position + 2
  }

  /// The pairs of digits from 00 to 99.
  private static let pairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839\
    40414243444546474849505152535455565758596061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """
}
