internal import Glibc
package import PressureClient
package import PressureKit
package import PressureProtocol
package import PressureSystem

/// `pressured weigh --once`: prints one stable reading.
package struct WeighOnce {
  package let options: WeighOptions
  package let log: ReadingLog?

  package init(options: WeighOptions, log: ReadingLog?) {
    self.options = options
    self.log = log
  }

  /// The time limit for the daemon's reply beyond the time limit of the scale, in seconds.
  private static let replyTimeout = 10.0

  /// The same if the user has set a time limit.
  private static let shortReplyTimeout = 1.0

  package func run(over connection: Connection) throws(ExitError) {
    var requests = JSONLinesWriter()
    options.appendGreeting(to: &requests, subscribing: false)
    let milliseconds =
      options.timeout.map { Int64($0 * 1000) } ?? Int64(Command.defaultWeighTimeoutMilliseconds)
    // A person does not know otherwise why nothing happens.
    requests.append(.state())
    var pending = PendingReplies<Void>()
    pending.append(
      .weigh(options.device, timeoutMilliseconds: Int(milliseconds)), for: (), to: &requests)
    let replyTimeout =
      options.timeout == nil ? WeighOnce.replyTimeout : WeighOnce.shortReplyTimeout
    let deadline = Deadline(seconds: Double(milliseconds) / 1000 + replyTimeout)
    try ConnectionError.orExit(try connection.send(requests))
    var devices: [ReceivedDevice] = []
    while true {
      let lines = try ConnectionError.orExit(try connection.nextLines(before: deadline))
      for line in lines {
        switch ReceivedEvent(line: line) {
        case .device(let device): devices.append(device)
        case .reply(let reply):
          guard reply.isSuccess else { throw ExitError(reply.error) }
          if pending.remove(for: reply) != nil {
            return try print(try Prompter.decode(line), devices)
          }
          if reply.verb == "state" { explain(try Prompter.decode(line), devices, milliseconds) }
        default: break
        }
      }
    }
  }

  /// Logs what it waits for if nothing lies on the scale.
  ///
  /// Without a name, the request is for the only device that can weigh.
  private func explain(
    _ states: [ReceivedState], _ devices: [ReceivedDevice], _ milliseconds: Int64
  ) {
    let scales = devices.filter { device in
      options.device.map { $0 == device.device } ?? (device.weightSource != .none)
    }
    guard scales.count == 1, let state = states.first(where: { $0.device == scales[0].device }),
      state.contacts.isEmpty, !state.scale.isHeld
    else { return }
    let seconds = (Double(milliseconds) / 1000).shortDescription
    Log.info("nothing is on the scale: waiting at most \(seconds) s for a load at rest")
  }

  private func print(
    _ reading: ReceivedScale, _ devices: [ReceivedDevice]
  ) throws(ExitError) {
    let device = devices.first { $0.device == reading.device }
    if let device { try log?.add(reading, of: device) }
    if options.isJSON { return StandardOutput.print(options.withTarget(reading).jsonText) }
    StandardOutput.print(reading.text(in: options.unit, isEstimate: device?.isEstimate ?? false))
  }
}

package struct WeighOptions {
  /// The name of the device; nil for the only one, or the first.
  package var device: String?
  package var unit = MassUnit.grams
  package var isJSON = false

  /// Whether to grab the device, so that no other program receives its touches.
  package var grabs = false

  package var target: (grams: Double, tolerance: Double)?

  /// The time limit for a stable reading in seconds; nil for none.
  package var timeout: Double?

  package init() {}

  /// Appends the first requests of each connection.
  package func appendGreeting(to requests: inout JSONLinesWriter, subscribing: Bool) {
    let events = subscribing ? [EventName.device, .scale] : []
    requests.append(.subscribe(events: events))
    if grabs { requests.append(.grab(device, isOn: true)) }
  }

  /// A reading with the target of this program, instead of the daemon's, which all clients share and which persists.
  func withTarget(_ reading: ReceivedScale) -> ReceivedScale {
    guard let target else { return reading }
    var reading = reading
    let distance = reading.grams.map { ($0 - target.grams).magnitude } ?? .infinity
    reading.target = ReceivedScale.Target(
      grams: target.grams, tolerance: target.tolerance,
      // Tolerates the rounding errors of decimal numbers, so that a distance equal to the tolerance is within.
      within: distance <= target.tolerance + 1e-6)
    return reading
  }
}
