internal import PressureKit

/// What somebody wants to have weighed, and how it is to be told.
struct WeighOrder {
  /// The device's name; nil for the only one, or the first.
  var device: String?
  var unit = MassUnit.grams

  /// Whether lines are for programs.
  var isJSON = false

  /// Whether its touches are to reach nobody else meanwhile.
  var grabs = false

  var target: (grams: Double, tolerance: Double)?

  /// How long to wait for a stable reading, in seconds; nil for ever.
  var timeout: Double?

  /// Adds what each connection begins with.
  func greet(_ requests: inout JSONLines, subscribing: Bool) {
    let events = subscribing ? [EventName.device, .scale] : []
    requests.appendRequest("subscribe", ["events": .list(events.map { .text($0.rawValue) })])
    let name = device.map(RequestValue.text) ?? .null
    if grabs { requests.appendRequest("grab", ["device": name, "on": .truth(true)]) }
    if let target {
      requests.appendRequest(
        "target",
        ["device": name, "grams": .number(target.grams), "tolerance": .number(target.tolerance)])
    }
  }
}
