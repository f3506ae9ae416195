internal import Glibc
internal import PressureConnection
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// What the daemon says, for those who read lines and not pictures.
///
/// Signals end the program as they end others: it may be waiting for whoever reads.
package final class EventPrinter {
  /// In which form.
  package enum Form {
    /// As the daemon says it, for programs.
    case lines
    /// One row for each contact and reading, for people.
    case table
  }

  /// Readings a second in a table.
  private static let tableRate = 10.0

  private let loop: EventLoop
  private let privateDaemon: PrivateDaemon?
  private let form: Form
  private var connection: LoopConnection?
  private var output: EventSource?

  /// The devices whose grams are an estimate.
  private var estimates: Set<String> = []

  /// Why it has ended, where somebody has to be told.
  package private(set) var failure: ExitError?

  /// Begins to print.
  ///
  /// - Parameters:
  ///   - loop: who wakes it.
  ///   - socket: where the daemon is, or nil to look where daemons are.
  ///   - privateDaemon: whose socket that is, if it is ours.
  ///   - form: for whom it is.
  /// - Throws: why it cannot wait for the daemon.
  package init(
    loop: EventLoop, socket: String?, privateDaemon: PrivateDaemon?, as form: Form
  ) throws(SystemError) {
    self.loop = loop
    self.privateDaemon = privateDaemon
    self.form = form
    // A pipe tells when nobody reads any more, also while there is nothing to write; a file cannot.
    output = try? loop.watch(STDOUT_FILENO, for: []) { [weak self] in
      if $0.contains(.gone) { self?.loop.stop() }
    }
    let connection = LoopConnection(
      loop: loop, socket: socket,
      greeting: { EventPrinter.greet(&$0, form) },
      handler: { [weak self] in self?.hear($0) })
    self.connection = connection
    if form == .table { StandardOutput.print(TableRow.heading) }
    try connection.start()
  }

  private static func greet(_ requests: inout JSONLinesWriter, _ form: Form) {
    guard form == .table else { return }
    requests.appendRequest(
      "subscribe",
      [
        "events": .list([.text("device"), .text("weight"), .text("press")]),
        "max_hz": .number(tableRate),
      ])
  }

  private func hear(_ news: ReconnectingConnection.Update) {
    switch news {
    case .line(let line): hear(line)
    case .lost: break
    case .unavailable(let fault, let isNew):
      guard let privateDaemon else {
        if isNew { Log.info(fault.waitingSentence) }
        return
      }
      let why = privateDaemon.end()
      // A recording that is over is no failure.
      failure = why ?? (privateDaemon.endsWithRecording && fault == .ended ? nil : ExitError(fault))
      loop.stop()
    }
  }

  private func hear(_ line: [UInt8]) {
    switch form {
    case .lines: (line + [UInt8(ascii: "\n")]).withUnsafeBufferPointer(StandardOutput.write)
    case .table:
      let event = ReceivedEvent(line: line)
      if case .device(let device) = event { note(device) }
      let rows = TableRow.rows(of: event) { estimates.contains($0) }
      if !rows.isEmpty { StandardOutput.print(rows.joined(separator: "\n")) }
    }
  }

  private func note(_ device: ReceivedDevice) {
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

  /// The rows for an event; none for what a table does not tell.
  ///
  /// - Parameters:
  ///   - event: what the daemon says.
  ///   - isEstimate: whether a device's grams are an estimate.
  /// - Returns: the rows, without line breaks.
  static func rows(of event: ReceivedEvent, _ isEstimate: (String) -> Bool) -> [String] {
    switch event {
    case .weight(let weight) where weight.contacts.isEmpty:
      [row(weight.time.seconds, "none", "", "", "", "", weight.device)]
    case .weight(let weight):
      weight.contacts.map { row(of: $0, weight, isEstimate(weight.device)) }
    case .press(let press): [row(of: press, isEstimate(press.device))]
    case .hello, .device, .contact, .maximumForce, .heaviest, .scale, .action, .missed, .reply,
      .other:
      []
    }
  }

  private static func row(
    of contact: ReceivedPressure, _ weight: ReceivedWeight, _ isEstimate: Bool
  ) -> String {
    let mark = contact.contact == weight.heaviest ? "*" : ""
    let more = contact.isSaturated ? "+" : ""
    return row(
      weight.time.seconds, "\(mark)\(contact.contact)", contact.ratio.percent,
      contact.grams.map { ($0.text(decimals: 1) + more).estimated(isEstimate) } ?? "-",
      contact.x.percent,
      contact.y.percent, weight.device)
  }

  private static func row(of press: ReceivedPress, _ isEstimate: Bool) -> String {
    let note = press.simulated == true ? ", simulated" : ""
    let stage = press.stage.map { " \($0)" } ?? ""
    return row(
      press.time.seconds, String(press.contact), (press.ratio ?? 0).percent,
      press.grams?.text(decimals: 1).estimated(isEstimate) ?? "-", "", "",
      "\(press.device)  press \(press.state.rawValue)\(stage)\(note)")
  }

  private static func row(
    _ time: String, _ contact: String, _ force: String, _ grams: String, _ x: String, _ y: String,
    _ device: String
  ) -> String {
    let cells = [(time, 12), (contact, 8), (force, 7), (grams, 10), (x, 7), (y, 7)]
    // Devices and stages have names that others have given them.
    return (cells.map { $0.padded($1) }.joined() + "  \(device)").onOneLine
  }
}

extension String {
  /// The text at the right end of so many columns.
  fileprivate func padded(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(width - columns, 1)) + self
  }
}

extension Int64 {
  /// A time in microseconds as seconds, to the millisecond.
  fileprivate var seconds: String {
    let milliseconds = magnitude / 1000
    let rest = String(milliseconds % 1000)
    let zeros = String(repeating: "0", count: 3 - rest.utf8.count)
    return "\(self < 0 ? "-" : "")\(milliseconds / 1000).\(zeros)\(rest)"
  }
}
