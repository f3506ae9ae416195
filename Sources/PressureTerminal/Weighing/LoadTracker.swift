internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// Tracks the load on a device from its events, and since when it has been steady.
struct LoadTracker {
  /// The minimum change for a new load, as a fraction of the range.
  private static let minimumChange = 0.01

  /// The tolerance for a steady load, as a fraction of the range; above the noise of sensors.
  private static let steadyTolerance = 0.08

  let device: ReceivedDevice

  private(set) var contacts: [Int64] = []

  /// The reading of the first contact, or of a sensor that all contacts share, as a fraction of the range.
  private(set) var ratio: Double?
  private(set) var grams: Double?

  /// Whether the reading decays because the surface does not treat the load as a finger.
  private(set) var isDecaying = false

  /// Since when the contacts are the same and the reading is steady.
  private(set) var steadySince = SuspendingClock.now

  private var measured: (contacts: [Int64], ratio: Double?)?

  /// The reading at `steadySince`.
  private var reference: Double?

  init(_ device: ReceivedDevice) {
    self.device = device
  }

  var isEmpty: Bool { contacts.isEmpty }

  var isNew: Bool {
    guard let measured, measured.contacts == contacts else { return true }
    return differs(ratio, measured.ratio, by: LoadTracker.minimumChange)
  }

  mutating func markMeasured() { measured = (contacts, ratio) }

  mutating func update(with event: ReceivedEvent) {
    switch event {
    case .weight(let weight) where weight.device == device.device:
      update(weight.contacts, weight.totalGrams)
    case .scale(let scale) where scale.device == device.device:
      isDecaying = scale.isDecaying
    default: break
    }
  }

  /// Updates the load with that at the time of the connection.
  mutating func update(with state: ReceivedState) {
    guard state.device == device.device else { return }
    update(state.contacts, state.scale.grossGrams)
  }

  private mutating func update(_ pressures: [ReceivedPressure], _ total: Double?) {
    let newContacts = pressures.map(\.contact)
    (ratio, grams) = (pressures.first?.ratio, total)
    if newContacts != contacts || differs(ratio, reference, by: LoadTracker.steadyTolerance) {
      (contacts, reference, steadySince) = (newContacts, ratio, SuspendingClock.now)
    }
  }

  private func differs(_ one: Double?, _ other: Double?, by tolerance: Double) -> Bool {
    guard let one, let other else { return one != other }
    return (one - other).magnitude > tolerance
  }

  var summary: String {
    if isEmpty { return "no contact detected" }
    guard let ratio, contacts.count == 1 || !device.isPerContact else {
      return "\(contacts.count) contacts detected"
    }
    let weight = grams.map {
      ", " + "\(MassUnit.grams.text($0)) g".estimated(device.isEstimate)
    }
    return "reading \((ratio * 100).shortDescription(decimals: 1)) % of its range\(weight ?? "")"
  }
}
