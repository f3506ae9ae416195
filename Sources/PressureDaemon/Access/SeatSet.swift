internal import PressureLoop

/// A set of seats; the names are those of `SeatNames`.
package struct SeatSet: OptionSet {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// All seats, also those that have no number of their own.
  package static let all = SeatSet(rawValue: .max)

  /// Seats beyond the limit of `SeatNames`: only clients of all seats receive events of their devices.
  package static let unnumbered = SeatSet(rawValue: 1 << 63)
}

/// Assigns a member of `SeatSet` to each seat, so that a frame needs no comparison of names.
struct SeatNames {
  /// The most seats with a number of their own.
  static let maximum = 63

  /// In the order of their numbers.
  private(set) var names = [DeviceSeat.standard]

  /// The set that contains only this seat.
  mutating func set(of name: String) -> SeatSet {
    if let number = names.firstIndex(of: name) { return SeatSet(rawValue: 1 << number) }
    guard names.count < SeatNames.maximum else { return .unnumbered }
    names.append(name)
    return SeatSet(rawValue: 1 << (names.count - 1))
  }

  /// The names of the seats in a set.
  func names(in set: SeatSet) -> [String] {
    names.indices.filter { set.contains(SeatSet(rawValue: 1 << $0)) }.map { names[$0] }
  }
}
