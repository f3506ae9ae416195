internal import Glibc
package import PressureConnection
internal import PressureKit
internal import PressureProtocol
package import PressureSystem

/// One stable reading, and the end.
package struct WeighOnce {
  package let order: WeighOptions
  package let log: ReadingLog?

  package init(order: WeighOptions, log: ReadingLog?) {
    self.order = order
    self.log = log
  }

  /// Seconds for the daemon to answer beyond those for the scale to come to rest; fewer where somebody has said
  /// how long to wait.
  private static let patience = 10.0
  private static let shortPatience = 1.0

  /// Waits for the reading and prints it.
  package func run(over connection: Connection) throws(ExitError) {
    var requests = JSONLinesWriter()
    order.greet(&requests, subscribing: false)
    let milliseconds =
      order.timeout.map { Int64($0 * 1000) } ?? Int64(Command.defaultWeighTimeoutMilliseconds)
    requests.appendRequest(
      "weigh",
      [
        "device": order.device.map(RequestValue.text) ?? .null,
        "timeout_ms": .integer(milliseconds),
      ])
    let patience = order.timeout == nil ? WeighOnce.patience : WeighOnce.shortPatience
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
    if order.isJSON, var json = ScaleLine(weigh: line) {
      json.put(order.aimed(reading).target)
      return StandardOutput.print(json.text)
    }
    StandardOutput.print(reading.text(in: order.unit, isEstimate: device?.isEstimate ?? false))
  }
}
