internal import Glibc
internal import PressureClient
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// Prints the events of a daemon as lines or as a table, without a full-screen display.
///
/// Signals keep their default actions, because a write to standard output may block.
package final class EventPrinter {
  /// The format of the output.
  package enum Form {
    /// The daemon's JSON lines, for programs.
    case lines
    /// One row for each contact of a reading and each press, for people.
    case table
  }

  /// The maximum number of readings per second in a table.
  private static let tableRate = 10.0

  private let loop: EventLoop
  private let privateDaemon: PrivateDaemon?
  private let form: Form
  private var connection: LoopConnection?
  private var output: EventSource?

  /// The devices whose grams are an estimate.
  private var estimates: Set<String> = []

  /// The error that ended the program, or nil.
  package private(set) var failure: ExitError?

  /// Connects and starts to print.
  ///
  /// - Parameters:
  ///   - loop: the event loop that drives it.
  ///   - socket: the argument of `--socket`, or nil to look at the usual paths.
  ///   - privateDaemon: the private daemon on that socket, if there is one.
  ///   - form: the format of the output.
  /// - Throws: why the event loop cannot be used.
  package init(
    loop: EventLoop, socket: String?, privateDaemon: PrivateDaemon?, as form: Form
  ) throws(SystemError) {
    self.loop = loop
    self.privateDaemon = privateDaemon
    self.form = form
    output = loop.watchReader(of: STDOUT_FILENO) { [weak self] in self?.loop.stop() }
    let connection = LoopConnection(
      loop: loop, paths: { SocketPath.forClients(named: socket) },
      greeting: { EventPrinter.appendGreeting(&$0, form) },
      handler: { [weak self] in self?.handle($0) })
    self.connection = connection
    if form == .table { StandardOutput.print(TableRow.heading) }
    try connection.start()
  }

  private static func appendGreeting(_ requests: inout JSONLinesWriter, _ form: Form) {
    guard form == .table else { return }
    requests.append(.subscribe(events: [.device, .weight, .press], maximumRate: tableRate))
  }

  private func handle(_ update: ReconnectingConnection.Update) {
    switch update {
    case .line(let line): print(line)
    case .lost: break
    case .unavailable(let error, let isNew):
      guard let privateDaemon else {
        guard connection?.isHopeless(error) == true else {
          if isNew { Log.info(error.waitingSentence) }
          return
        }
        failure = ExitError(error)
        return loop.stop()
      }
      let exitError = privateDaemon.end()
      // The end of the recording is not a failure.
      let hasEnded = privateDaemon.endsWithRecording && error == .ended
      failure = exitError ?? (hasEnded ? nil : ExitError(error))
      loop.stop()
    }
  }

  private func print(_ line: [UInt8]) {
    switch form {
    case .lines: (line + [UInt8(ascii: "\n")]).withUnsafeBufferPointer(StandardOutput.write)
    case .table:
      let event = ReceivedEvent(line: line)
      if case .device(let device) = event { updateEstimates(with: device) }
      let rows = TableRow.rows(of: event) { estimates.contains($0) }
      if !rows.isEmpty { StandardOutput.print(rows.joined(separator: "\n")) }
    }
  }

  private func updateEstimates(with device: ReceivedDevice) {
    if device.isEstimate, device.change != .known(.removed),
      estimates.count < WatchViewModel.maxDevices
    {
      estimates.insert(device.device)
    } else {
      estimates.remove(device.device)
    }
  }
}

/// A reading or a press as a row of a table.
enum TableRow {
  static let heading = row("time", "contact", "ratio", "grams", "x", "y", "device")

  /// The rows for an event; none for events that the table does not contain.
  ///
  /// - Parameters:
  ///   - event: the event of the daemon.
  ///   - isEstimate: whether the grams of a device are an estimate.
  /// - Returns: the rows, without line breaks.
  static func rows(of event: ReceivedEvent, _ isEstimate: (String) -> Bool) -> [String] {
    switch event {
    case .weight(let weight) where weight.contacts.isEmpty:
      [row(weight.time.seconds, "none", "", "", "", "", weight.device)]
    case .weight(let weight):
      weight.contacts.map { row(of: $0, weight, isEstimate(weight.device)) }
    case .press(let press): [row(of: press, isEstimate(press.device))]
    case .hello, .device, .contact, .maximumForce, .heaviest, .scale, .action, .access, .missed,
      .reply, .other:
      []
    }
  }

  private static func row(
    of contact: ReceivedPressure, _ weight: ReceivedWeight, _ isEstimate: Bool
  ) -> String {
    let mark = contact.contact == weight.heaviest ? "*" : ""
    let more = contact.isSaturated ? "+" : ""
    return row(
      weight.time.seconds, "\(mark)\(contact.contact)", contact.ratio?.percent ?? "–",
      contact.grams.map { ($0.text(decimals: 1) + more).estimated(isEstimate) } ?? "–",
      contact.x?.percent ?? "–", contact.y?.percent ?? "–", weight.device)
  }

  private static func row(of press: ReceivedPress, _ isEstimate: Bool) -> String {
    let note = press.simulated == true ? ", simulated" : ""
    let stage = press.stage.map { " \($0)" } ?? ""
    return row(
      press.time.seconds, String(press.contact), (press.ratio ?? 0).percent,
      press.grams?.text(decimals: 1).estimated(isEstimate) ?? "–", "", "",
      "\(press.device)  press \(press.state.rawValue)\(stage)\(note)")
  }

  private static func row(
    _ time: String, _ contact: String, _ force: String, _ grams: String, _ x: String, _ y: String,
    _ device: String
  ) -> String {
    let cells = [(time, 12), (contact, 8), (force, 7), (grams, 10), (x, 7), (y, 7)]
    // The names of devices and stages are untrusted and may contain control characters.
    return (cells.map { $0.leftPadded(to: $1) }.joined() + "  \(device)").onOneLine
  }
}

extension String {
  /// The text, right-aligned in a number of columns.
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(width - columns, 1)) + self
  }
}

extension Int64 {
  /// A time in microseconds as seconds with three decimals.
  fileprivate var seconds: String {
    let milliseconds = magnitude / 1000
    let rest = String(milliseconds % 1000)
    let zeros = String(repeating: "0", count: 3 - rest.utf8.count)
    return "\(self < 0 ? "-" : "")\(milliseconds / 1000).\(zeros)\(rest)"
  }
}
