internal import PressureClient
package import PressureKit
package import PressureProtocol

/// The lines that one wake-up of a device has brought, encoded once for all clients.
///
/// The runtime keeps no book of who is at its memory, which would cost each client and each line as much
/// as is done here: there is one thread, and nothing that is called comes back here.
package final class Batch {
  /// One line of it.
  package struct Line {
    package var start: Int
    package var end: Int
    package var time: Timestamp
    package var subject: Subject
    var isState: Bool

    /// Whether there will be no more of its subject.
    var endsSubject: Bool

    /// What a reading weighs in all, for those who want to hear of changes alone.
    package var total: Double?

    /// Whether a contact began or ended with it, which is news however little it weighs.
    var isSignificant = false

    /// Whether a request has changed the scale: the line is sent at once, and kept as long as there is room.
    var isRequested = false

    /// What makes it droppable in a full buffer, or nil for a line that is never dropped.
    func key(of device: Int) -> SendQueue.Key? {
      guard isState || isRequested else { return nil }
      var key = subject.key(of: device)
      key.isRequested = isRequested
      return key
    }
  }

  @exclusivity(unchecked) package private(set) var lines: [Line] = []

  /// How long they are together.
  var byteCount: Int { text.count }

  @exclusivity(unchecked) private var text = JSONLinesWriter()
  @exclusivity(unchecked) private var kept = LatestValues()
  @exclusivity(unchecked) private var spare = LatestValues()

  /// What all get who want the same names, and every frame.
  @exclusivity(unchecked) private(set) var common = GatherWrite()
  @exclusivity(unchecked) private var commonBits: UInt16?

  /// Encodes what an engine has said, in the index of what was here.
  ///
  /// - Parameters:
  ///   - output: what was said.
  ///   - id: by whom.
  ///   - device: what that is, asked for only where a line says it.
  ///   - wanted: the bits of the names that any client wants; what nobody hears is not written.
  ///   - origin: whose request has changed the scale, if it was one; such a line waits for no rate.
  package func encode(
    _ output: EventBuffer, of id: DeviceID, device: @autoclosure () -> Device,
    wanted: UInt16 = .max, origin: RequestOrigin? = nil
  ) {
    begin()
    var isSignificant = false
    for index in output.events.indices {
      // An event is large; it is looked at where it lies.
      let name = output.events[index].name
      if name == .contact { isSignificant = true }
      guard wanted & name.bit != 0 else { continue }
      let start = text.count
      text.append(
        output.events[index], contacts: output.contacts, of: id, device: device())
      if let origin, name == .scale { text.append(origin) }
      var line = Line(output.events[index], start: start, end: text.count)
      if origin != nil, name == .scale { (line.isState, line.isRequested) = (false, true) }
      if name == .weight {
        line.isSignificant = line.isSignificant || isSignificant
        isSignificant = false
      }
      lines.append(line)
    }
  }

  /// Encodes a happening that is not the engine's, in the index of what was here.
  package func encode(
    _ name: EventName, at time: Timestamp, _ append: (inout JSONLinesWriter, Timestamp) -> Void
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
  package func bytes(of line: Line) -> UnsafeBufferPointer<UInt8> {
    .init(rebasing: text.bytes[line.start..<line.end])
  }

  /// The bytes of a reading that a client holds: a line of this batch, or one that was kept.
  package func bytes(of held: RateLimiter.Held) -> UnsafeBufferPointer<UInt8> {
    let line = lines.last { $0.isState && $0.subject == held.subject && $0.time == held.time }
    return line.map(bytes) ?? kept.bytes(of: held.subject)
  }

  /// The lines of one frame from one of them on.
  package func frame(from index: Int) -> ArraySlice<Line> {
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
    isSignificant = report.contacts.isEmpty
  }
}

extension Batch {
  /// What a line is of: a newer state of the same subject makes an older one worthless.
  package struct Subject: Hashable {
    package var name: EventName

    /// The contact, where each has states of its own.
    package var contact: Int32 = 0

    /// What makes a waiting line of it worthless.
    package func key(of device: Int) -> SendQueue.Key {
      SendQueue.Key(name: name, device: device, contact: contact)
    }
  }
}

extension Event {
  /// What it is of.
  package var subject: Batch.Subject {
    switch kind {
    case .press(let press): Batch.Subject(name: name, contact: press.contact.id.value)
    case .contact, .weight, .maximumForce, .heaviest, .scale, .action, .capability:
      Batch.Subject(name: name)
    }
  }

  /// Whether there will be no more of its subject, which then need not be kept.
  var endsSubject: Bool {
    switch kind {
    case .press(let press):
      switch press.state {
      case .ended, .cancelled: true
      case .started, .changed, .maximumReached: false
      }
    case .contact, .weight, .maximumForce, .heaviest, .scale, .action, .capability: false
    }
  }
}

/// The newest line of each subject, in memory that is used again.
struct LatestValues: ~Copyable {
  private struct Entry {
    var subject: Batch.Subject
    var range: Range<Int>
  }

  private var entries: [Entry] = []
  private var text = JSONLinesWriter()

  /// The bytes of a subject's line, none where there is no line; valid until the next change.
  func bytes(of subject: Batch.Subject) -> UnsafeBufferPointer<UInt8> {
    let entry = entries.first { $0.subject == subject }
    return .init(rebasing: text.bytes[entry?.range ?? 0..<0])
  }

  /// Keeps a line in the index of the subject's older one.
  mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>, of subject: Batch.Subject) {
    forget(subject)
    let start = text.count
    text.append(raw: bytes)
    entries.append(Entry(subject: subject, range: start..<text.count))
  }

  /// Keeps all lines of others.
  mutating func keep(_ others: borrowing LatestValues) {
    for entry in others.entries { keep(others.bytes(of: entry.subject), of: entry.subject) }
  }

  /// There is no line of this subject any more.
  mutating func forget(_ subject: Batch.Subject) {
    entries.removeAll { $0.subject == subject }
  }

  /// Forgets all lines, and keeps the memory.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    text.removeAll()
  }
}
