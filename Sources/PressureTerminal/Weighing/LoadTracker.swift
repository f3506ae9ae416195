internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// What lies on a device, as far as its clients are told, and since when.
struct LoadTracker {
  /// A change by more than this part of the range is another load, and a smaller one the same.
  private static let leastPart = 0.01

  /// What trembles by less lies still; above what noisy sensors do.
  private static let stillPart = 0.08

  let device: ReceivedDevice

  private(set) var contacts: [Int64] = []

  /// The part of the range that is felt, where one contact or one sensor for all does.
  private(set) var ratio: Double?
  private(set) var grams: Double?

  /// Whether the surface takes the thing for no finger, and forgets it.
  private(set) var isFading = false

  /// Since when there have been these contacts, as steady as this.
  private(set) var since = SuspendingClock.now

  /// What was measured last, of which contacts.
  private var measured: (contacts: [Int64], ratio: Double?)?
  private var anchor: Double?

  init(_ device: ReceivedDevice) {
    self.device = device
  }

  var isEmpty: Bool { contacts.isEmpty }

  /// Whether something else lies there than what was measured last.
  var isOther: Bool {
    guard let measured, measured.contacts == contacts else { return true }
    return isApart(ratio, measured.ratio, by: LoadTracker.leastPart)
  }

  /// What lies there now has been measured.
  mutating func note() { measured = (contacts, ratio) }

  mutating func hear(_ event: ReceivedEvent) {
    switch event {
    case .weight(let weight) where weight.device == device.device:
      take(weight.contacts, weight.totalGrams)
    case .scale(let scale) where scale.device == device.device:
      isFading = scale.isDecaying
    default: break
    }
  }

  /// What was there when we came.
  mutating func begin(with state: ReceivedState) {
    guard state.device == device.device else { return }
    take(state.contacts, state.scale.grossGrams)
  }

  private mutating func take(_ felt: [ReceivedPressure], _ total: Double?) {
    let now = felt.map(\.contact)
    (ratio, grams) = (felt.first?.ratio, total)
    if now != contacts || isApart(ratio, anchor, by: LoadTracker.stillPart) {
      (contacts, anchor, since) = (now, ratio, SuspendingClock.now)
    }
  }

  private func isApart(_ one: Double?, _ other: Double?, by part: Double) -> Bool {
    guard let one, let other else { return one != other }
    return (one - other).magnitude > part
  }

  /// A few words on what is felt now.
  var words: String {
    if isEmpty { return "nothing is felt" }
    guard let ratio, contacts.count == 1 || !device.isPerContact else {
      return "\(contacts.count) contacts are felt"
    }
    let weight = grams.map {
      ", " + "\(MassUnit.grams.text($0)) g".estimated(device.isEstimate)
    }
    return "feels \((ratio * 1000).rounded() / 10) % of its range\(weight ?? "")"
  }
}
