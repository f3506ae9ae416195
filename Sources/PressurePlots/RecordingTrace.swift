package import PressureKit
internal import PressureSystem

/// All that a recording says of its contacts, as the engine hears it.
package struct RecordingTrace {
  /// A time in which one contact was the heaviest.
  struct HeaviestInterval: Hashable {
    /// The contact's place in the list of courses.
    var course: Int
    var begin: Int64
    var end: Int64
  }

  /// Which contact an event is of, as numbers are used again.
  private struct Name: Hashable {
    var slot: Int
    var id: TrackingID
  }

  package private(set) var courses: [ContactTrace] = []
  private(set) var reigns: [HeaviestInterval] = []

  /// Microseconds from the first event to the last frame.
  private(set) var duration: Int64 = 0

  private(set) var hasSimulatedPresses = false

  private var open: [Name: Int] = [:]
  private var origin: Int64
  private var isReigning = false
  private var sampleCount = 0

  /// How many samples there may be before some are forgotten.
  private var sampleLimit = mostSamples

  /// Beyond so many samples those are forgotten that a drawing of `finest` columns would not show.
  private static let mostSamples = 400_000
  private static let finest: Int64 = 8192

  /// Nothing yet, from a moment on.
  init(from origin: Timestamp) {
    self.origin = origin.microseconds
  }

  /// Takes one thing that the engine says; `contacts` are those of the weight reports.
  package mutating func hear(_ event: Event, _ contacts: [Contact], on surface: Surface) {
    let time = max(duration, event.time.microseconds &- origin)
    duration = time
    switch event.kind {
    case .contact(let contact): hear(contact, at: time, on: surface)
    case .weight(let report):
      for contact in contacts[report.contacts] { add(contact, at: time, on: surface) }
    case .maximumForce(let contact, .reached, _):
      note(.full, of: contact, at: time, force: contact.force.value)
    case .press(let press): hear(press, at: time)
    case .heaviest(let contact, _): crown(contact, at: time)
    case .maximumForce, .scale, .action, .capability: break
    }
  }

  /// Ends what is still going on.
  package mutating func finish() {
    for index in open.values { courses[index].end(at: duration, isCancelled: true) }
    open = [:]
    crown(nil, at: duration)
  }

  private mutating func hear(_ contact: Contact, at time: Int64, on surface: Surface) {
    let name = Name(slot: contact.slot, id: contact.id)
    switch contact.phase {
    case .began:
      open[name] = courses.count
      let first = Sample(time: time, contact, force: contact.force.value)
      courses.append(ContactTrace(number: courses.count + 1, slot: contact.slot, first))
      add(contact, at: time, on: surface)
    case .ended, .cancelled:
      guard let index = open.removeValue(forKey: name) else { return }
      courses[index].end(at: time, isCancelled: contact.phase == .cancelled)
    case .moved, .stationary: break
    }
  }

  private mutating func add(_ contact: Contact, at time: Int64, on surface: Surface) {
    guard let index = open[Name(slot: contact.slot, id: contact.id)] else { return }
    // Where presses are made up, the force is the press's.
    let force =
      surface.simulatesPress
      ? courses[index].samples.last?.force ?? 0 : contact.force.value
    courses[index].add(
      Sample(time: time, contact, force: force), grams: contact.weight?.grams,
      isSaturated: contact.isSaturated)
    sampleCount += 1
    if sampleCount > sampleLimit { thin() }
  }

  private mutating func hear(_ press: Press, at time: Int64) {
    let contact = press.contact
    guard let index = open[Name(slot: contact.slot, id: contact.id)] else { return }
    let force = press.force.value
    if press.isSimulated {
      hasSimulatedPresses = true
      courses[index].add(
        Sample(time: time, contact, force: press.hasEnded ? 0 : force), grams: nil,
        isSaturated: false)
    }
    if press.entersStage {
      note(.up, of: contact, at: time, force: force)
    } else if press.crossing == .down || press.hasEnded {
      note(.down, of: contact, at: time, force: force)
    }
  }

  private mutating func note(
    _ kind: ContactTrace.Marker.Kind, of contact: Contact, at time: Int64, force: Double
  ) {
    guard let index = open[Name(slot: contact.slot, id: contact.id)] else { return }
    courses[index].note(kind, at: time, force: force)
  }

  private mutating func crown(_ contact: Contact?, at time: Int64) {
    if isReigning { reigns[reigns.count - 1].end = time }
    isReigning = false
    guard let contact, let index = open[Name(slot: contact.slot, id: contact.id)] else { return }
    reigns.append(HeaviestInterval(course: index, begin: time, end: time))
    isReigning = true
  }

  private mutating func thin() {
    let span = max(1, duration / RecordingTrace.finest)
    for index in courses.indices { courses[index].thin(every: span) }
    // Where that spares little there is nothing more to spare: ask again when it has doubled.
    sampleCount = courses.reduce(0) { $0 + $1.samples.count }
    sampleLimit = max(RecordingTrace.mostSamples, 2 * sampleCount)
  }
}

extension Sample {
  fileprivate init(time: Int64, _ contact: Contact, force: Double) {
    self.init(time: time, force: force, x: contact.location.x, y: contact.location.y)
  }
}

extension [RecordingTrace.HeaviestInterval] {
  /// The same in so few that a drawing shows them all: of those that begin in one span of time, only
  /// who reigned longest.
  ///
  /// - Parameter span: microseconds, 1 or more, counted from the recording's beginning.
  /// - Returns: the reigns that are left, in their order.
  func merged(every span: Int64) -> [RecordingTrace.HeaviestInterval] {
    var merged: [RecordingTrace.HeaviestInterval] = []
    var start = startIndex
    while start < endIndex {
      var lengths: [Int: Int64] = [:]
      var next = start
      while next < endIndex, self[next].begin / span == self[start].begin / span {
        lengths[self[next].course, default: 0] += self[next].end - self[next].begin
        next += 1
      }
      let longest = lengths.max { ($0.value, $1.key) < ($1.value, $0.key) }
      let (begin, end) = (self[start].begin, self[next - 1].end)
      if let last = merged.last, last.course == longest?.key, last.end == begin {
        merged[merged.count - 1].end = end
      } else if let longest {
        merged.append(RecordingTrace.HeaviestInterval(course: longest.key, begin: begin, end: end))
      }
      start = next
    }
    return merged
  }
}
