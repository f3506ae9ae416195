internal import PressureKit

/// The lines that one wake-up of a device has brought, encoded once for all clients.
///
/// The runtime keeps no book of who is at its memory, which would cost each client and each line as much
/// as is done here: there is one thread, and nothing that is called comes back here.
final class Batch {
  /// One line of it.
  struct Line {
    var start: Int
    var end: Int
    var time: Timestamp
    var subject: Subject
    var isState: Bool

    /// Whether there will be no more of its subject.
    var endsSubject: Bool

    /// What a reading weighs in all, for those who want to hear of changes alone.
    var total: Double?

    /// Whether a contact began or ended with it, which is news however little it weighs.
    var isNews = false

    /// Whether a request caused the line: it ignores the rate, and readings are removed before it.
    var isRequested = false

    /// What makes it droppable in a full buffer, or nil for a line that is never dropped.
    func key(of device: Int) -> Outbox.Key? {
      guard isState || isRequested else { return nil }
      var key = subject.key(of: device)
      key.isRequested = isRequested
      return key
    }
  }

  @exclusivity(unchecked) private(set) var lines: [Line] = []

  /// How long they are together.
  var byteCount: Int { text.count }

  @exclusivity(unchecked) private var text = JSONLines()
  @exclusivity(unchecked) private var kept = Readings()
  @exclusivity(unchecked) private var spare = Readings()

  /// What all get who want the same names, and every frame.
  @exclusivity(unchecked) private(set) var common = Parcel()
  @exclusivity(unchecked) private var commonBits: UInt16?

  /// Encodes what an engine has said, in the place of what was here.
  ///
  /// - Parameters:
  ///   - output: what was said.
  ///   - id: by whom.
  ///   - device: what that is, asked for only where a line says it.
  ///   - wanted: the bits of the names that any client wants; what nobody hears is not written.
  ///   - origin: whose request has changed the scale, if it was one; such a line waits for no rate.
  func encode(
    _ output: EventBuffer, of id: DeviceID, device: @autoclosure () -> Device,
    wanted: UInt16 = .max, origin: RequestOrigin? = nil
  ) {
    begin()
    var isNews = false
    for place in output.events.indices {
      // An event is large; it is looked at where it lies.
      let name = output.events[place].name
      if name == .contact { isNews = true }
      guard wanted & name.bit != 0 else { continue }
      let start = text.count
      text.append(
        output.events[place], contacts: output.contacts, of: id, device: device())
      if let origin, name == .scale { text.append(origin) }
      var line = Line(output.events[place], start: start, end: text.count)
      if origin != nil, name == .scale { (line.isState, line.isRequested) = (false, true) }
      if name == .weight {
        line.isNews = line.isNews || isNews
        isNews = false
      }
      lines.append(line)
    }
  }

  /// Encodes a happening that is not the engine's, in the place of what was here.
  func encode(
    _ name: EventName, at time: Timestamp, _ append: (inout JSONLines, Timestamp) -> Void
  ) {
    begin()
    append(&text, time)
    lines.append(
      Line(
        start: 0, end: text.count, time: time, subject: Subject(name: name), isState: false,
        endsSubject: false))
  }

  private func begin() {
    for line in lines where line.endsSubject { kept.forget(line.subject) }
    lines.removeAll(keepingCapacity: true)
    text.removeAll()
    commonBits = nil
  }

  /// Puts all lines of some names into `common`, unless they are there from the client before.
  ///
  /// - Parameters:
  ///   - bits: the bits of the names.
  ///   - device: the number of the device whose lines these are.
  func gather(_ bits: UInt16, of device: Int) {
    guard commonBits != bits else { return }
    commonBits = bits
    common.removeAll()
    for line in lines where bits & line.subject.name.bit != 0 {
      common.append(bytes(of: line), key: line.key(of: device))
    }
  }

  /// The bytes of a line; valid until the next `encode`.
  func bytes(of line: Line) -> UnsafeBufferPointer<UInt8> {
    .init(rebasing: text.bytes[line.start..<line.end])
  }

  /// The bytes of a reading that a client holds: a line of this batch, or one that was kept.
  func bytes(of held: Pace.Held) -> UnsafeBufferPointer<UInt8> {
    let line = lines.last { $0.isState && $0.subject == held.subject && $0.time == held.time }
    return line.map(bytes) ?? kept.bytes(of: held.subject)
  }

  /// The lines of one frame from one of them on.
  func frame(from index: Int) -> ArraySlice<Line> {
    lines[index...].prefix { $0.time == lines[index].time }
  }

  /// Keeps the last reading of each subject beyond the next `encode`, for clients to whom it is not
  /// due yet.
  func keepReadings() {
    spare.removeAll()
    spare.keep(kept)
    for line in lines {
      if line.isState { spare.keep(bytes(of: line), of: line.subject) }
      if line.endsSubject { spare.forget(line.subject) }
    }
    swap(&kept, &spare)
  }
}

extension Batch.Line {
  fileprivate init(_ event: Event, start: Int, end: Int) {
    self.init(
      start: start, end: end, time: event.time, subject: event.subject, isState: event.isState,
      endsSubject: event.endsSubject)
    guard case .weight(let report) = event.kind else { return }
    total = report.total?.grams
    isNews = report.contacts.isEmpty
  }
}
