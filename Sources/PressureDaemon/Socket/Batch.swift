internal import PressureClient
package import PressureKit
package import PressureProtocol

/// The lines that one wake-up of a device produces, encoded once for all clients.
///
/// Exclusivity checks are off for its properties: they would cost as much per client and line as the work itself.
/// One thread runs the daemon, and no callee re-enters a batch.
package final class Batch {
  /// One encoded line of a batch.
  package struct Line {
    package var start: Int
    package var end: Int
    package var time: Timestamp
    package var subject: Subject
    var isCoalescible: Bool

    /// Whether it is not encoded, as each client holds or omits it.
    var isDeferred = false

    /// Whether this is the last event of its subject.
    var endsSubject: Bool

    /// The total weight of a reading in grams, for subscriptions with a minimum change.
    package var total: Double?

    /// Whether a contact began or ended with this reading: it is sent even if the weight changed too little.
    var isSignificant = false

    /// Whether a request changed the scale: no rate limit holds the line, but a full queue may drop it.
    ///
    /// If it were lossless, a client that sends many requests could disconnect those that read slowly.
    var isRequested = false

    /// The key by which a full queue may drop the line, or nil for a lossless line.
    func key(of device: Int) -> SendQueue.Key? {
      isCoalescible || isRequested ? subject.key(of: device) : nil
    }
  }

  @exclusivity(unchecked) package private(set) var lines: [Line] = []

  /// The length of all lines in bytes.
  var byteCount: Int { text.count }

  @exclusivity(unchecked) private var text = JSONLinesWriter()
  @exclusivity(unchecked) private var kept = LatestValues()
  @exclusivity(unchecked) private var spare = LatestValues()
  @exclusivity(unchecked) private var deferred = DeferredWeight()

  /// The lines and bytes of events that were encoded, since they were last counted.
  @exclusivity(unchecked) private var encoded = (lines: 0, bytes: 0)

  /// All lines of one set of event names, for clients without a rate limit.
  @exclusivity(unchecked) private(set) var common = GatherWrite()
  @exclusivity(unchecked) private var commonBits: UInt16?

  /// Encodes the events of an engine; replaces the previous contents.
  ///
  /// - Parameters:
  ///   - output: the events.
  ///   - id: the device that emitted them.
  ///   - device: its description, evaluated only if a line contains it.
  ///   - wanted: the bits of the event names that any client subscribed to; other events are not encoded.
  ///   - origin: the request that changed the scale, if any; its line bypasses rate limits.
  ///   - defersWeights: whether each client would hold or omit a weight now. Then it is encoded only if it becomes due, or if
  ///     a lossless event follows it.
  package func encode(
    _ output: EventBuffer, of id: DeviceID, device: @autoclosure () -> Device,
    wanted: UInt16 = .max, origin: RequestOrigin? = nil, defersWeights: Bool = false
  ) {
    begin()
    var isSignificant = false
    let events = output.events.span
    let defersWeights = defersWeights && origin == nil && output.isCoalescible(wanted)
    if !defersWeights, deferred.isPresent { endDeferral(before: output, wanted) }
    for index in events.indices {
      // An event is large: access it in place instead of copying it.
      let name = events[index].name
      if name == .contact { isSignificant = true }
      guard wanted & name.bit != 0 else { continue }
      if defersWeights, case .weight(let report) = events[index].kind {
        deferWeight(report, events[index], of: id, isSignificant: isSignificant)
        isSignificant = false
        continue
      }
      let start = text.count
      text.append(events[index], of: id, device: device())
      if let origin, name == .scale { text.append(origin) }
      var line = Line(events[index], start: start, end: text.count)
      if origin != nil, name == .scale { (line.isCoalescible, line.isRequested) = (false, true) }
      if name == .weight {
        line.isSignificant = line.isSignificant || isSignificant
        isSignificant = false
      }
      lines.append(line)
      encoded.lines += 1
    }
    encoded.bytes += text.count
  }

  /// Encodes one lossless event that is not the engine's; replaces the previous contents.
  package func encode(
    _ name: EventName, at time: Timestamp, _ append: (inout JSONLinesWriter, Timestamp) -> Void
  ) {
    begin()
    encodeDeferred()
    append(&text, time)
    lines.append(
      Line(
        start: 0, end: text.count, time: time, subject: Subject(name: name), isCoalescible: false,
        endsSubject: false))
  }

  private func begin() {
    for line in lines where line.endsSubject { kept.forget(line.subject) }
    lines.removeAll(keepingCapacity: true)
    text.removeAll()
    commonBits = nil
  }

  /// Collects the lines with the given names in `common`, unless the previous client wanted the same names.
  ///
  /// - Parameters:
  ///   - bits: the bits of the event names.
  ///   - device: the number of the device that the lines belong to.
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

  /// The bytes of a held reading, from this batch or from the retained readings.
  package func bytes(of held: RateLimiter.Held) -> UnsafeBufferPointer<UInt8> {
    let line = lines.last {
      $0.isCoalescible && !$0.isDeferred && $0.subject == held.subject && $0.time == held.time
    }
    return line.map(bytes) ?? kept.bytes(of: held.subject)
  }

  /// The lines of one frame, starting at `index`.
  package func frame(from index: Int) -> ArraySlice<Line> {
    lines[index...].prefix { $0.time == lines[index].time }
  }

  /// Retains the last reading of each subject beyond the next `encode`, for clients whose rate limit holds it.
  func keepReadings() {
    spare.removeAll()
    spare.keep(kept)
    for line in lines {
      if line.isCoalescible, !line.isDeferred { spare.keep(bytes(of: line), of: line.subject) }
      if line.endsSubject { spare.forget(line.subject) }
    }
    swap(&kept, &spare)
  }
}

// MARK: - Weights that no client receives yet

extension Batch {
  /// Encodes the deferred weight, before a client receives what it has held.
  package func encodeDeferred() {
    guard let (report, time, id) = deferred.take() else { return }
    let bytes = kept.keep(Subject(name: .weight)) { $0.append(report, of: id, at: time) }
    encoded.lines += 1
    encoded.bytes += bytes
  }

  /// Returns and resets the number of encoded lines and their bytes.
  package func takeCounts() -> (lines: Int, bytes: Int) {
    defer { encoded = (0, 0) }
    return encoded
  }

  private func deferWeight(
    _ report: WeightReport, _ event: Event, of id: DeviceID, isSignificant: Bool
  ) {
    var line = Line(event, start: text.count, end: text.count)
    line.isDeferred = true
    line.isSignificant = line.isSignificant || isSignificant
    lines.append(line)
    kept.forget(line.subject)
    deferred.replace(by: report, at: event.time, of: id)
  }

  /// Encodes the deferred weight if a client may still receive it: not if a newer weight is the first of the events.
  private func endDeferral(before output: EventBuffer, _ wanted: UInt16) {
    guard let first = output.events.first(where: { wanted & $0.name.bit != 0 }) else { return }
    if first.name == .weight { deferred.remove() } else { encodeDeferred() }
  }
}

/// A weight that is not encoded yet.
///
/// It has its own copy of the contacts: the engine would otherwise have to copy its array in the next frame.
private struct DeferredWeight {
  /// Whether there is one; faster than to look at the report.
  private(set) var isPresent = false

  private var contacts: [Contact] = []
  private var report: WeightReport?
  private var time = Timestamp(microseconds: 0)
  private var id: DeviceID?

  mutating func replace(by report: WeightReport, at time: Timestamp, of id: DeviceID) {
    // Releases the copy, whose memory is then reused.
    self.report = nil
    contacts.removeAll(keepingCapacity: true)
    contacts.append(contentsOf: report.contacts)
    self.report = report.replacing(contacts: contacts)
    (self.time, self.id, isPresent) = (time, id, true)
  }

  mutating func remove() { (report, isPresent) = (nil, false) }

  mutating func take() -> (WeightReport, Timestamp, DeviceID)? {
    guard let report, let id else { return nil }
    remove()
    return (report, time, id)
  }
}

extension EventBuffer {
  /// Whether newer events may supersede all events with the given names.
  fileprivate func isCoalescible(_ wanted: UInt16) -> Bool {
    events.allSatisfy { wanted & $0.name.bit == 0 || $0.isCoalescible }
  }
}

extension Batch.Line {
  @inline(__always)
  fileprivate init(_ event: Event, start: Int, end: Int) {
    self.init(
      start: start, end: end, time: event.time, subject: event.subject,
      isCoalescible: event.isCoalescible,
      endsSubject: event.endsSubject)
    guard case .weight(let report) = event.kind else { return }
    total = report.total?.grams
    isSignificant = report.contacts.isEmpty
  }
}

extension Batch {
  /// What a line reports on: a newer state of the same subject supersedes an older one.
  package struct Subject: Hashable {
    package var name: EventName

    /// The contact, if each contact has states of its own.
    package var contact: Int32 = 0

    /// The key under which a newer line supersedes this one.
    package func key(of device: Int) -> SendQueue.Key {
      SendQueue.Key(name: name, device: device, contact: contact)
    }
  }
}

extension Event {
  /// What the event reports on; inlined, as a call would copy the event.
  @inline(__always)
  package var subject: Batch.Subject {
    switch kind {
    case .press(let press): Batch.Subject(name: name, contact: press.contact.id.value)
    case .contact, .weight, .maximumForce, .heaviest, .scale, .action, .capability:
      Batch.Subject(name: name)
    }
  }

  /// Whether this is the last event of its subject, after which no reading needs to be retained.
  @inline(__always)
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

/// The newest line of each subject, in reused memory.
struct LatestValues: ~Copyable {
  private struct Entry {
    var subject: Batch.Subject
    var range: Range<Int>
  }

  private var entries: [Entry] = []
  private var text = JSONLinesWriter()

  /// The bytes of a subject's line, empty if there is none; valid until the next mutation.
  func bytes(of subject: Batch.Subject) -> UnsafeBufferPointer<UInt8> {
    let entry = entries.first { $0.subject == subject }
    return .init(rebasing: text.bytes[entry?.range ?? 0..<0])
  }

  /// Stores a line in place of the subject's older one.
  mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>, of subject: Batch.Subject) {
    _ = keep(subject) { $0.append(raw: bytes) }
  }

  /// Stores the line that `append` encodes in place of the subject's older one; returns its length.
  mutating func keep(_ subject: Batch.Subject, _ append: (inout JSONLinesWriter) -> Void) -> Int {
    forget(subject)
    let start = text.count
    append(&text)
    entries.append(Entry(subject: subject, range: start..<text.count))
    return text.count - start
  }

  /// Stores all lines of another collection.
  mutating func keep(_ others: borrowing LatestValues) {
    for entry in others.entries { keep(others.bytes(of: entry.subject), of: entry.subject) }
  }

  /// Removes the line of a subject.
  mutating func forget(_ subject: Batch.Subject) {
    entries.removeAll { $0.subject == subject }
  }

  /// Removes all lines and keeps the allocated memory.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    text.removeAll()
  }
}
