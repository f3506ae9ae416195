internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

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
