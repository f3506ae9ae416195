/// Watches whether a pressure axis ever leaves its minimum.
///
/// An axis that has stayed there through five whole contacts is stuck, until the first value above.
struct PressureWitness {
  private static let enoughContacts = 5

  private let minimum: Int32
  private var hasSeen: Bool
  private var wholeContacts = 0

  /// Watches nothing where there is no axis, or one without a range.
  init(_ pressure: PressureAxis?) {
    minimum = pressure?.axis.minimum ?? 0
    hasSeen = pressure?.isBroken ?? true
  }

  var isStuck: Bool { !hasSeen && wholeContacts >= PressureWitness.enoughContacts }

  mutating func see(_ raw: Int32) {
    if raw > minimum { hasSeen = true }
  }

  mutating func countWhole() {
    if !hasSeen { wholeContacts += 1 }
  }
}
