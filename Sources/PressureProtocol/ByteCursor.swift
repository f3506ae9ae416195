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
    position = write(literal)
  }

  @inline(__always)
  package mutating func put(_ value: Bool) {
    if value { put("true") } else { put("false") }
  }

  /// Writes an integer after its name, which is already JSON.
  @inline(__always)
  package mutating func put(_ name: StaticString, _ number: Int64) {
    requireCapacity(for: name.utf8CodeUnitCount + DecimalFormatter.maxLength)
    position = DecimalFormatter.put(number, at: write(name))
  }

  /// Writes a number, rounded to 0…4 decimal places and without trailing zeros, after its name.
  ///
  /// Nil, NaN and numbers that are too large are written as `null`.
  @inline(__always)
  package mutating func put(_ name: StaticString, _ number: Double?, decimals: Int) {
    requireCapacity(for: name.utf8CodeUnitCount + DecimalFormatter.maxLength)
    position = write(name)
    if let end = number.flatMap({ DecimalFormatter.put($0, decimals: decimals, at: position) }) {
      position = end
    } else {
      put("null")
    }
  }

  /// As `put`, for a number that is mostly the same as the last one.
  @inline(__always)
  mutating func put(
    _ name: StaticString, _ number: Double, decimals: Int, repeating last: inout RepeatedNumber
  ) {
    guard last.number == number.bitPattern else {
      put(name)
      let start = position
      put("", number, decimals: decimals)
      return last = RepeatedNumber(number, from: start, to: position)
    }
    requireCapacity(for: name.utf8CodeUnitCount + RepeatedNumber.maxLength)
    position = write(name)
    UnsafeMutableRawPointer(position).storeBytes(of: last.text, as: UInt64.self)
    position += last.length
  }

  /// Writes a literal behind a check of the capacity; returns its end.
  @inline(__always)
  private func write(_ literal: StaticString) -> UnsafeMutablePointer<UInt8> {
    position.initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    return position + literal.utf8CodeUnitCount
  }
}

/// The text of a number that is often written several times in succession.
struct RepeatedNumber {
  /// The maximum length of a text that is kept; a longer one is formatted each time.
  fileprivate static let maxLength = MemoryLayout<UInt64>.size

  /// The number's bit pattern; that of a NaN if there is none.
  fileprivate private(set) var number = Double.nan.bitPattern
  fileprivate private(set) var text: UInt64 = 0
  fileprivate private(set) var length = 0

  init() {}

  fileprivate init(
    _ number: Double, from start: UnsafeMutablePointer<UInt8>, to end: UnsafeMutablePointer<UInt8>
  ) {
    guard end - start <= RepeatedNumber.maxLength, !number.isNaN else { return }
    (self.number, length) = (number.bitPattern, end - start)
    withUnsafeMutableBytes(of: &text) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: start, count: length))
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

  @inline(__always)
  package static func put(_ number: Int64, at position: Pointer) -> Pointer {
    guard let short = UInt32(exactly: number) else { return put(long: number, at: position) }
    return put(whole: short, at: position)
  }

  @inline(never)
  private static func put(long number: Int64, at position: Pointer) -> Pointer {
    guard number < 0 else { return put(digitsOf: number.magnitude, at: position) }
    position.pointee = UInt8(ascii: "-")
    return put(digitsOf: number.magnitude, at: position + 1)
  }

  /// Writes a number rounded to `decimals` decimal places, without trailing zeros.
  ///
  /// Inlined because callers pass a constant: the compiler turns a division by a constant into a multiplication.
  ///
  /// - Returns: The end of the number, or nil if it is NaN or its magnitude is too large.
  @inline(__always)
  package static func put(_ number: Double, decimals: Int, at position: Pointer) -> Pointer? {
    // Bit patterns of numbers that are not negative are in their order; all others are above.
    guard number.bitPattern < limit.bitPattern else {
      return put(rare: number, decimals: decimals, at: position)
    }
    let scale = UInt32(truncatingIfNeeded: scale(of: decimals))
    let rounded = roundedDown(number * Double(scale) + 0.5)
    let whole = rounded / scale
    let part = rounded &- whole &* scale
    let end = put(whole: whole, at: position)
    return part > 0 ? put(part: part, decimals: decimals, at: end) : end
  }

  /// Numbers from this one on take longer; with four decimal places the others have at most nine digits.
  private static let limit = 100_000.0

  /// The integer part of a number that is at least 0 and below 2³¹.
  ///
  /// A conversion by `Int64` checks for numbers that are not finite or too large, which takes twice as long.
  @inline(__always)
  private static func roundedDown(_ number: Double) -> UInt32 {
    // A sum of 2⁵² or more has no bits for a fraction: its lowest bits are the nearest integer.
    let shift = 0x1p52
    let sum = number + shift
    let nearest = UInt32(truncatingIfNeeded: sum.bitPattern)
    return sum - shift > number ? nearest &- 1 : nearest
  }

  /// Writes a number that is negative, large, or not a number; one that rounds to zero has no sign.
  @inline(never)
  private static func put(rare number: Double, decimals: Int, at position: Pointer) -> Pointer? {
    let scale = scale(of: decimals)
    let scaled = number.magnitude * Double(scale)
    guard scaled < 1e15 else { return nil }
    var position = position
    if number < 0, scaled + 0.5 >= 1 {
      position.pointee = UInt8(ascii: "-")
      position += 1
    }
    let (whole, part) = UInt64(scaled + 0.5).quotientAndRemainder(dividingBy: scale)
    let end = put(digitsOf: whole, at: position)
    guard part > 0 else { return end }
    return put(part: UInt32(part), decimals: decimals, at: end)
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

  /// Writes an integer; inlined for up to three digits, as most numbers of a line have.
  @inline(__always)
  private static func put(whole number: UInt32, at position: Pointer) -> Pointer {
    if number < 10 {
      position.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)
      return position + 1
    }
    if number < 100 { return put(pair: number, at: position) }
    guard number < 1000 else { return put(digitsOf: UInt64(number), at: position) }
    let hundreds = number / 100
    position.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: hundreds)
    return put(pair: number &- hundreds &* 100, at: position + 1)
  }

  /// Writes an integer recursively: first all digits but the last two.
  private static func put(digitsOf number: UInt64, at position: Pointer) -> Pointer {
    guard number >= 100 else { return put(whole: UInt32(number), at: position) }
    let end = put(digitsOf: number / 100, at: position)
    return put(pair: UInt32(number % 100), at: end)
  }

  @inline(__always)
  private static func put(pair number: UInt32, at position: Pointer) -> Pointer {
    let pair = UnsafeRawPointer(pairs.utf8Start)
      .loadUnaligned(fromByteOffset: Int(2 &* number), as: UInt16.self)
    UnsafeMutableRawPointer(position).storeBytes(of: pair, as: UInt16.self)
    return position + 2
  }

  private static let pairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839\
    40414243444546474849505152535455565758596061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """

  /// Writes the digits behind the decimal point without trailing zeros; at least one of them is not zero.
  ///
  /// All digits are computed at once, one in each byte, because the last that is not zero is then found without a branch.
  @inline(__always)
  private static func put(part: UInt32, decimals: Int, at position: Pointer) -> Pointer {
    let digits = UInt64(digits(of: part, decimals: decimals)) << 8
    // The decimal point, and 0x30, the character 0, for each digit.
    let text = (digits | 0x30_3030_302e).littleEndian
    UnsafeMutableRawPointer(position).storeBytes(of: text, as: UInt64.self)
    // The lowest bit is in the byte of the point; it only excludes a zero, for which the processor has no result.
    return position + ((UInt64.bitWidth - 1 - (digits | 1).leadingZeroBitCount) >> 3 + 1)
  }

  /// The decimal digits of a part, the first in the lowest byte.
  @inline(__always)
  private static func digits(of part: UInt32, decimals: Int) -> UInt32 {
    let pairs: UInt32 =
      switch decimals {
      case ...1: part &* 10
      case 2: part
      case 3: part / 10 | (part % 10 &* 10) << 16
      default: part / 100 | (part % 100) << 16
      }
    // 103 / 1024 is a tenth with an error that does not matter below 179.
    let tens = (pairs &* 103) >> 10 & 0x000f_000f
    return tens | (pairs &- tens &* 10) << 8
  }
}
