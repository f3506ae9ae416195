/// Where the next byte of a line goes, in memory that was found to be large enough before.
///
/// It knows nothing but that memory's end, and stays in two registers: had it a buffer to keep, every byte
/// written might be a part of it, and it would be looked up after each. Before each piece it is made sure that
/// it fits.
package struct ByteCursor {
  /// The most that is written before there must be looked for room again: sixteen numbers and their names.
  package static let reach = 16 * DecimalFormatter.mostBytes + 300

  package private(set) var place: UnsafeMutablePointer<UInt8>
  private let end: UnsafeMutablePointer<UInt8>

  /// Writes into `reach` bytes from a place on.
  init(at place: UnsafeMutablePointer<UInt8>) {
    self.place = place
    end = place + ByteCursor.reach
  }

  @inline(__always)
  private func requireRoom(for count: Int) {
    precondition(end - place >= count, "a pen has come out of its reach")
  }

  /// Writes text that is JSON already.
  ///
  /// Inlined, a literal's length is known, and a call becomes a few moves.
  @inline(__always)
  package mutating func put(_ literal: StaticString) {
    requireRoom(for: literal.utf8CodeUnitCount)
    place.initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    place += literal.utf8CodeUnitCount
  }

  @inline(__always)
  package mutating func put(_ truth: Bool) {
    if truth { put("true") } else { put("false") }
  }

  /// Writes a whole number.
  @inline(__always)
  package mutating func put(_ number: Int64) {
    requireRoom(for: DecimalFormatter.mostBytes)
    place = DecimalFormatter.put(number, at: place)
  }

  /// Writes a number rounded to so many decimals, without needless zeros; what is no number is null.
  ///
  /// - Parameters:
  ///   - number: the number, nil where there is none.
  ///   - decimals: 0…4.
  @inline(__always)
  package mutating func put(_ number: Double?, decimals: Int) {
    requireRoom(for: DecimalFormatter.mostBytes)
    if let end = number.flatMap({ DecimalFormatter.put($0, decimals: decimals, at: place) }) {
      place = end
    } else {
      put("null")
    }
  }
}

/// Writes numbers as digits, for which a line of ten contacts has a hundred uses.
///
/// Each function gives the end of what it wrote. They know nothing but where to write: had they a
/// buffer to keep, every byte written might be a part of it, and it would be looked up after each.
package enum DecimalFormatter {
  package typealias Place = UnsafeMutablePointer<UInt8>

  /// A sign, twenty digits, a point and four decimals.
  package static let mostBytes = 26

  package static func put(_ number: Int64, at place: Place) -> Place {
    guard number < 0 else { return put(whole: number.magnitude, at: place) }
    place.pointee = UInt8(ascii: "-")
    return put(whole: number.magnitude, at: place + 1)
  }

  /// Rounds to so many decimals, without needless zeros; nil for what is no number or too large.
  ///
  /// Inlined, as the decimals are known where it is called: to divide by a constant is to multiply.
  @inline(__always)
  package static func put(_ number: Double, decimals: Int, at place: Place) -> Place? {
    guard number >= 0 else { return put(negative: number, decimals: decimals, at: place) }
    let scale = scale(of: decimals)
    let scaled = number * Double(scale)
    guard scaled < 1e15 else { return nil }
    // By way of a signed number, for which the processor has an instruction.
    let rounded = UInt64(bitPattern: Int64(scaled + 0.5))
    let (whole, part) = rounded.quotientAndRemainder(dividingBy: scale)
    let end = put(whole: whole, at: place)
    guard part > 0 else { return end }
    return put(tenThousandths: part * (10_000 / scale), at: end)
  }

  /// A number below zero, which is rarely needed; what is rounded to zero has no sign.
  @inline(never)
  private static func put(negative number: Double, decimals: Int, at place: Place) -> Place? {
    guard number < 0 else { return nil }
    let isZero = -number * Double(scale(of: decimals)) + 0.5 < 1
    if !isZero { place.pointee = UInt8(ascii: "-") }
    return put(-number, decimals: decimals, at: isZero ? place : place + 1)
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
  private static func put(whole number: UInt64, at place: Place) -> Place {
    guard number < 10 else { return put(long: number, at: place) }
    place.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)
    return place + 1
  }

  /// A number of several digits: what is more than two of them comes first, however many it has.
  private static func put(long number: UInt64, at place: Place) -> Place {
    let end = number < 100 ? place : put(whole: number / 100, at: place)
    return put(pair: number % 100, at: end)
  }

  @inline(__always)
  private static func put(tenThousandths part: UInt64, at place: Place) -> Place {
    let (first, second) = part.quotientAndRemainder(dividingBy: 100)
    place.pointee = UInt8(ascii: ".")
    let end = put(pair: second, at: put(pair: first, at: place + 1))
    // Zeros at the end are not needed; there is another digit.
    let (last, zeros) = second == 0 ? (first, 2) : (second, 0)
    return end - (last % 10 == 0 ? zeros + 1 : zeros)
  }

  @inline(__always)
  private static func put(pair number: UInt64, at place: Place) -> Place {
    let pair = UnsafeRawPointer(pairs.utf8Start)
      .loadUnaligned(fromByteOffset: Int(2 * number), as: UInt16.self)
    UnsafeMutableRawPointer(place).storeBytes(of: pair, as: UInt16.self)
    return place + 2
  }

  /// From 00 to 99.
  private static let pairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839\
    40414243444546474849505152535455565758596061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """
}
