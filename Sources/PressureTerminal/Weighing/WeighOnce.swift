internal import Glibc
package import PressureConnection
package import PressureKit
package import PressureProtocol
package import PressureSystem

/// One stable reading, and the end.
package struct WeighOnce {
  package let options: WeighOptions
  package let log: ReadingLog?

  package init(options: WeighOptions, log: ReadingLog?) {
    self.options = options
    self.log = log
  }

  /// Seconds for the daemon to answer beyond those for the scale to come to rest; fewer where somebody has said
  /// how long to wait.
  private static let patience = 10.0
  private static let shortPatience = 1.0

  /// Waits for the reading and prints it.
  package func run(over connection: Connection) throws(ExitError) {
    var requests = JSONLinesWriter()
    options.greet(&requests, subscribing: false)
    let milliseconds =
      options.timeout.map { Int64($0 * 1000) } ?? Int64(Command.defaultWeighTimeoutMilliseconds)
    requests.appendRequest(
      "weigh",
      [
        "device": options.device.map(RequestValue.text) ?? .null,
        "timeout_ms": .integer(milliseconds),
      ])
    let patience = options.timeout == nil ? WeighOnce.patience : WeighOnce.shortPatience
    let deadline = Deadline(seconds: Double(milliseconds) / 1000 + patience)
    do throws(ConnectionError) { try connection.send(requests) } catch { throw ExitError(error) }
    var devices: [ReceivedDevice] = []
    while true {
      for line in try lines(of: connection, before: deadline) {
        switch ReceivedEvent(line: line) {
        case .device(let device): devices.append(device)
        case .reply(let reply):
          guard reply.isSuccess else { throw ExitError(reply.error) }
          if reply.verb == "weigh" { return try tell(try Prompter.read(line), line, devices) }
        default: break
        }
      }
    }
  }

  private func lines(
    of connection: Connection, before deadline: Deadline
  ) throws(ExitError) -> [[UInt8]] {
    do throws(ConnectionError) {
      try connection.flush()
      let isSending = connection.readiness.contains(.writing)
      try connection.wait(for: Int16(isSending ? POLLIN | POLLOUT : POLLIN), before: deadline)
      return try connection.receive()
    } catch {
      throw ExitError(error)
    }
  }

  private func tell(
    _ reading: ReceivedScale, _ line: [UInt8], _ devices: [ReceivedDevice]
  ) throws(ExitError) {
    let device = devices.first { $0.device == reading.device }
    if let device { try log?.add(reading, of: device) }
    if options.isJSON, var json = ScaleLine(weigh: line) {
      json.put(options.aimed(reading).target)
      return StandardOutput.print(json.text)
    }
    StandardOutput.print(reading.text(in: options.unit, isEstimate: device?.isEstimate ?? false))
  }
}

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
