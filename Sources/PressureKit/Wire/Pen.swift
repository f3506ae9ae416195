/// Where the next byte of a line goes, in memory that was found to be large enough before.
///
/// It knows nothing else, and stays in a register: had it a buffer to keep, every byte written might be
/// a part of it, and it would be looked up after each.
struct Pen {
  /// The most that is written before there must be looked for room again: a dozen numbers and their names.
  static let reach = 12 * Digits.mostBytes + 200

  private(set) var place: UnsafeMutablePointer<UInt8>

  init(at place: UnsafeMutablePointer<UInt8>) {
    self.place = place
  }

  /// Writes text that is JSON already.
  ///
  /// Inlined, a literal's length is known, and a call becomes a few moves.
  @inline(__always)
  mutating func put(_ literal: StaticString) {
    place.initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    place += literal.utf8CodeUnitCount
  }

  @inline(__always)
  mutating func put(_ truth: Bool) {
    if truth { put("true") } else { put("false") }
  }

  /// Writes a whole number.
  @inline(__always)
  mutating func put(_ number: Int64) {
    place = Digits.put(number, at: place)
  }

  /// Writes a number rounded to so many decimals, without needless zeros; what is no number is null.
  ///
  /// - Parameters:
  ///   - number: the number, nil where there is none.
  ///   - decimals: 0…4.
  @inline(__always)
  mutating func put(_ number: Double?, decimals: Int) {
    if let end = number.flatMap({ Digits.put($0, decimals: decimals, at: place) }) {
      place = end
    } else {
      put("null")
    }
  }
}
