internal import PressureClient
package import PressureKit
package import PressureProtocol

/// The lines of one wake-up of a device; each is encoded when the first client takes it, once for all clients.
///
/// Exclusivity checks are off for its properties: they would cost as much per client and line as the work itself.
/// One thread runs the daemon, and no callee re-enters a batch.
package final class Batch {
  package struct Line {
    package var time: Timestamp
    package var subject: Subject
    var isCoalescible: Bool

    /// The total weight of a reading in grams, for subscriptions with a minimum change.
    package var total: Double?

    /// Whether a contact began or ended with this reading: it is sent even if the weight changed too little.
    var isSignificant = false

    /// Whether a request changed the scale: no rate limit holds the line, but a full queue may drop it.
    ///
    /// If it were lossless, a client that sends many requests could disconnect those that read slowly.
    var isRequested = false

    /// The index of its event; 0 for a line that is not the engine's.
    fileprivate var event = 0

    /// Where it is in `bytes`, once it is encoded.
    fileprivate var range: Range<Int>?

    /// The key by which a full queue may drop the line, or nil for a lossless line.
    package var key: Subject? { isCoalescible || isRequested ? subject : nil }
  }

  @exclusivity(unchecked) package var device: Device

  /// Identifies the device among all that this process has served, including removed ones.
  package let number: Int

  @exclusivity(unchecked) package private(set) var lines: [Line] = []
  @exclusivity(unchecked) private var events: [Event] = []

  @exclusivity(unchecked) private var text = JSONLinesWriter()
  @exclusivity(unchecked) private var origin: RequestOrigin?

  /// Where the present states of subjects are in `bytes`, as far as they were encoded since the last events.
  private var states: [(subject: Subject, range: Range<Int>)] = []

  /// The lines and bytes of events that were encoded.
  @exclusivity(unchecked) private(set) var encoded = (lines: 0, bytes: 0)

  /// All lines of one set of event names, for clients without a rate limit.
  @exclusivity(unchecked) private(set) var common = GatherWrite()
  @exclusivity(unchecked) private var commonBits: UInt16?

  package init(_ device: Device, number: Int) {
    (self.device, self.number) = (device, number)
  }

  /// The lines that are encoded; valid until the next one is encoded.
  package var bytes: UnsafeBufferPointer<UInt8> { text.bytes }

  /// Takes the events of an engine, and leaves the buffer empty; replaces the previous lines.
  ///
  /// Only events with names in the bits `wanted` have a line. That of a scale which `origin` changed bypasses rate limits.
  package func take(
    _ output: inout EventBuffer, wanted: UInt16 = .max, origin: RequestOrigin? = nil
  ) {
    begin()
    self.origin = origin
    output.swap(with: &events)
    var isSignificant = false
    let list = self.events
    let events = list.span
    for index in events.indices {
      // An event is large: access it in place instead of copying it.
      let name = events[index].name
      if name == .contact { isSignificant = true }
      guard wanted & name.bit != 0 else { continue }
      var line = Line(events[index], at: index, of: number)
      if origin != nil, name == .scale { (line.isCoalescible, line.isRequested) = (false, true) }
      if name == .weight {
        line.isSignificant = line.isSignificant || isSignificant
        isSignificant = false
      }
      lines.append(line)
    }
  }

  /// Encodes one lossless event that is not the engine's; replaces the previous lines.
  package func encode(
    _ name: EventName, at time: Timestamp, _ append: (inout JSONLinesWriter, Timestamp) -> Void
  ) {
    begin()
    append(&text, time)
    let subject = Subject(name: name, device: number)
    var line = Line(time: time, subject: subject, isCoalescible: false)
    line.range = 0..<text.count
    lines.append(line)
  }

  private func begin() {
    if !states.isEmpty { states.removeAll(keepingCapacity: true) }
    finish()
    text.removeAll()
    commonBits = nil
  }

  /// Releases the events after all clients have taken theirs.
  package func finish() {
    // Usually there are none, and `removeAll` is not free.
    if !lines.isEmpty { lines.removeAll(keepingCapacity: true) }
    if !events.isEmpty { events.removeAll(keepingCapacity: true) }
  }
}

// MARK: - Encoding

extension Batch {
  /// Where a line is in `bytes`; encodes it if no client has taken it before.
  package func range(of index: Int) -> Range<Int> {
    if let range = lines[index].range { return range }
    let start = text.count
    let list = events
    text.append(list.span[lines[index].event], of: device.id, device: device)
    if let origin, lines[index].subject.name == .scale { text.append(origin) }
    lines[index].range = countedRange(from: start)
    return start..<text.count
  }

  /// Where the present state of a subject is in `bytes`; nil if it has ended, so that `state` returns nil.
  ///
  /// It is encoded once for all clients.
  func range(ofStateOf subject: Subject, _ state: (Subject) -> Event?) -> Range<Int>? {
    if let known = states.first(where: { $0.subject == subject }) { return known.range }
    guard let event = state(subject) else { return nil }
    let start = text.count
    text.append(event, of: device.id, device: device)
    states.append((subject, countedRange(from: start)))
    return start..<text.count
  }

  private func countedRange(from start: Int) -> Range<Int> {
    encoded.lines += 1
    encoded.bytes += text.count - start
    return start..<text.count
  }

  /// Collects the lines with these names in `common`, unless the previous client wanted the same.
  func gather(_ bits: UInt16) {
    guard commonBits != bits else { return }
    commonBits = bits
    common.removeAll()
    for index in lines.indices where bits & lines[index].subject.name.bit != 0 {
      common.append(range(of: index), key: lines[index].key)
    }
  }
}

extension Batch.Line {
  @inline(__always)
  fileprivate init(_ event: Event, at index: Int, of device: Int) {
    let subject = event.subject(of: device)
    self.init(time: event.time, subject: subject, isCoalescible: event.isCoalescible)
    self.event = index
    guard case .weight(let report) = event.kind else { return }
    total = report.total?.grams
    isSignificant = report.contacts.isEmpty
  }
}

// MARK: - Subjects

extension Event {
  /// What the event of a device reports on; inlined, as a call would copy the event.
  @inline(__always)
  fileprivate func subject(of device: Int) -> Subject {
    switch kind {
    case .press(let press): Subject(name: name, device: device, contact: press.contact.id.value)
    case .contact, .weight, .maximumForce, .heaviest, .scale, .action, .capability:
      Subject(name: name, device: device)
    }
  }
}

extension Engine {
  /// The present state of a subject, as its newest reading; nil if it has ended, or if it has no readings.
  package func state(of subject: Subject, at time: Timestamp) -> Event? {
    let kind: Event.Kind?
    switch subject.name {
    case .weight: kind = .weight(weights)
    case .scale: kind = .scale(scale, isNewStable: false)
    case .press: kind = press(of: subject.contact).map { .press($0) }
    // All other events are lossless.
    default: kind = nil
    }
    return kind.map { Event(time: time, kind: $0) }
  }
}
