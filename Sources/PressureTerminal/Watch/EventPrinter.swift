internal import Glibc
internal import PressureClient
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
package import PressureSystem

/// Prints the events of a daemon as lines or as a table, without a full-screen display.
///
/// Signals keep their default actions, because a write to standard output may block.
package final class EventPrinter {
  /// The maximum number of readings per second in a table.
  private static let tableRate = 10.0

  private let isTable: Bool
  private var output: EventSource?
  private var list = DeviceList()

  /// Starts to print the daemon's JSON lines, for programs, or a table for people.
  package init(_ feed: DaemonFeed, isTable: Bool) throws(SystemError) {
    self.isTable = isTable
    output = feed.loop.watchReader(of: STDOUT_FILENO) { [loop = feed.loop] in loop.stop() }
    if isTable { StandardOutput.print(TableRow.heading) }
    try feed.start { requests in
      guard isTable else { return }
      requests.append(
        .subscribe(events: [.device, .weight, .press], maximumRate: EventPrinter.tableRate))
    } handler: { [weak self] in
      self?.handle($0)
    }
  }

  private func handle(_ update: DaemonFeed.Update) {
    switch update {
    case .event(let event, _) where isTable:
      if case .device(let device) = event { list.update(with: device) }
      let rows = TableRow.rows(of: event) { list[$0]?.device.isEstimate == true }
      if !rows.isEmpty { StandardOutput.print(rows.joined(separator: "\n")) }
    case .event(_, let line):
      (line + [UInt8(ascii: "\n")]).withUnsafeBufferPointer(StandardOutput.write)
    case .lost: break
    case .waiting(let error, let isNew): if isNew { Log.info(error.waitingSentence) }
    }
  }
}

enum TableRow {
  static let heading = row("time", "contact", "ratio", "grams", "x", "y", "device")

  /// The rows for an event, without line breaks; none for events that the table does not contain.
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
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(width - columns, 1)) + self
  }
}

extension Int64 {
  /// A time in microseconds as seconds with three decimals.
  fileprivate var seconds: String {
    let (seconds, milliseconds) = (magnitude / 1000).quotientAndRemainder(dividingBy: 1000)
    return "\(self < 0 ? "-" : "")\(seconds).\(milliseconds.text(digits: 3))"
  }
}
