/// Writes numbers as digits, for which a line of ten contacts has a hundred uses.
///
/// Each function gives the end of what it wrote. They know nothing but where to write: had they a
/// buffer to keep, every byte written might be a part of it, and it would be looked up after each.
enum Digits {
  /// A sign, twenty digits, a point and four decimals.
  static let mostBytes = 26

  private static let scales: InlineArray<5, UInt64> = [1, 10, 100, 1000, 10000]

  static func put(
    _ number: Int64, at place: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    put(whole: number.magnitude, at: put(signOf: number, at: place))
  }

  /// Rounds to so many decimals, without needless zeros; nil for what is no number or too large.
  ///
  /// Whatever the decimals, it is taken apart in ten-thousandths: to divide by a constant is to multiply.
  static func put(
    _ number: Double, decimals: Int, at place: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8>? {
    let decimals = min(max(decimals, 0), 4)
    let scaled = number * Double(scales[decimals])
    guard scaled.magnitude < 1e15 else { return nil }
    let rounded = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
    let (whole, part) = (rounded.magnitude &* scales[4 - decimals])
      .quotientAndRemainder(dividingBy: 10_000)
    let end = put(whole: whole, at: put(signOf: rounded, at: place))
    return part > 0 ? put(tenThousandths: UInt32(truncatingIfNeeded: part), at: end) : end
  }

  private static func put(
    signOf number: Int64, at place: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    guard number < 0 else { return place }
    place.pointee = UInt8(ascii: "-")
    return place + 1
  }

  private static func put(
    whole number: UInt64, at place: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    if number < 10 {
      place.pointee = digit(number)
      return place + 1
    }
    // Tens come first, however many digits they are.
    let (tens, ones) = number.quotientAndRemainder(dividingBy: 10)
    let end = put(whole: tens, at: place)
    end.pointee = digit(ones)
    return end + 1
  }

  private static func put(
    tenThousandths part: UInt32, at place: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    place.pointee = UInt8(ascii: ".")
    let (upper, lower) = part.quotientAndRemainder(dividingBy: 100)
    place[1] = digit(upper / 10)
    place[2] = digit(upper % 10)
    place[3] = digit(lower / 10)
    place[4] = digit(lower % 10)
    var end = place + 5
    while end[-1] == UInt8(ascii: "0") { end -= 1 }
    return end
  }

  private static func digit(_ number: some FixedWidthInteger) -> UInt8 {
    UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)
  }
}
