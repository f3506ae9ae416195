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
