package import PressureKit
package import PressureProtocol

/// What somebody wants to have weighed, and how it is to be told.
package struct WeighOptions {
  /// The device's name; nil for the only one, or the first.
  package var device: String?
  package var unit = MassUnit.grams

  /// Whether lines are for programs.
  package var isJSON = false

  /// Whether its touches are to reach nobody else meanwhile.
  package var grabs = false

  package var target: (grams: Double, tolerance: Double)?

  /// How long to wait for a stable reading, in seconds; nil for ever.
  package var timeout: Double?

  package init(
    device: String? = nil, unit: MassUnit = MassUnit.grams, isJSON: Bool = false,
    grabs: Bool = false, target: (grams: Double, tolerance: Double)? = nil, timeout: Double? = nil
  ) {
    self.device = device
    self.unit = unit
    self.isJSON = isJSON
    self.grabs = grabs
    self.target = target
    self.timeout = timeout
  }

  /// Adds what each connection begins with.
  package func greet(_ requests: inout JSONLinesWriter, subscribing: Bool) {
    let events = subscribing ? [EventName.device, .scale] : []
    requests.appendRequest("subscribe", ["events": .list(events.map { .text($0.rawValue) })])
    let name = device.map(RequestValue.text) ?? .null
    if grabs { requests.appendRequest("grab", ["device": name, "on": .bool(true)]) }
  }

  /// A reading with the target that was ordered, which is this program's affair: the daemon's is everybody's,
  /// and stays when we go.
  func aimed(_ reading: ReceivedScale) -> ReceivedScale {
    guard let target else { return reading }
    var reading = reading
    let distance = reading.grams.map { ($0 - target.grams).magnitude } ?? .infinity
    reading.target = ReceivedScale.Target(
      grams: target.grams, tolerance: target.tolerance,
      // What is shown has one decimal; a distance of that length is no less for how numbers are kept.
      within: distance <= target.tolerance + 1e-6)
    return reading
  }
}
