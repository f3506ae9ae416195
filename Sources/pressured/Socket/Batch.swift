internal import PressureKit

/// The lines that one wake-up of a device has brought, encoded once for all clients.
final class Batch {
  /// One line of it.
  struct Line {
    var start: Int
    var end: Int
    var time: Timestamp
    var name: EventName
    var isState: Bool

    /// What a reading weighs in all, for those who want to hear of changes alone.
    var total: Double?

    /// Whether a contact began or ended with it, which is news however little it weighs.
    var isNews = false
  }

  private(set) var lines: [Line] = []
  private var text = JSONLines()
  private var kept = JSONLines()

  /// Encodes what an engine has said, in the place of what was here.
  func encode(_ output: EventBuffer, device: Device) {
    lines.removeAll(keepingCapacity: true)
    text.removeAll()
    var isNews = false
    for event in output.events {
      let start = text.count
      text.append(event, contacts: output.contacts, device: device)
      if event.name == .contact { isNews = true }
      var line = Line(
        start: start, end: text.count, time: event.time, name: event.name,
        isState: event.isState)
      if case .weight(let report) = event.kind {
        line.total = report.total?.grams
        line.isNews = isNews || report.contacts.isEmpty
        isNews = false
      }
      lines.append(line)
    }
  }

  /// Encodes a happening that is not the engine's, in the place of what was here.
  func encode(
    _ name: EventName, at time: Timestamp, _ append: (inout JSONLines, Timestamp) -> Void
  ) {
    lines.removeAll(keepingCapacity: true)
    text.removeAll()
    append(&text, time)
    lines.append(Line(start: 0, end: text.count, time: time, name: name, isState: false))
  }

  /// The bytes of a line; valid until the next `encode`.
  func bytes(of line: Line) -> UnsafeBufferPointer<UInt8> {
    .init(rebasing: text.bytes[line.start..<line.end])
  }

  /// Keeps the last reading beyond the next `encode`, for clients to whom it is not due yet.
  func keepReading() {
    guard let line = lines.last(where: { $0.name == .weight }) else { return }
    kept.removeAll()
    kept.append(raw: bytes(of: line))
  }

  /// The reading that was kept.
  var reading: UnsafeBufferPointer<UInt8> { kept.bytes }
}
