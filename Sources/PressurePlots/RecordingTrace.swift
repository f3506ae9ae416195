package import PressureKit
internal import PressureSystem

/// All that a recording says of its contacts, as the engine hears it.
package struct RecordingTrace {
  /// A time in which one contact was the heaviest.
  struct HeaviestInterval: Hashable {
    /// The contact's place in the list of contacts.
    var contact: Int
    var begin: Int64
    var end: Int64
  }

  /// Which contact an event is of, as numbers are used again.
  private struct Name: Hashable {
    var slot: Int
    var id: TrackingID
  }

  package private(set) var contacts: [ContactTrace] = []
  private(set) var intervals: [HeaviestInterval] = []

  /// Microseconds from the first event to the last frame.
  private(set) var duration: Int64 = 0

  private(set) var hasSimulatedPresses = false

  private var open: [Name: Int] = [:]
  private var origin: Int64
  private var hasOpenInterval = false
  private var sampleCount = 0

  /// How many samples there may be before some are forgotten.
  private var sampleLimit = maxSamples

  /// Beyond so many samples those are forgotten that a drawing of `finest` columns would not show.
  private static let maxSamples = 400_000
  private static let finest: Int64 = 8192

  /// Nothing yet, from a moment on.
  init(from origin: Timestamp) {
    self.origin = origin.microseconds
  }

  /// Takes one thing that the engine says.
  package mutating func hear(_ event: Event, on surface: Surface) {
    let time = max(duration, event.time.microseconds &- origin)
    duration = time
    switch event.kind {
    case .contact(let contact): hear(contact, at: time, on: surface)
    case .weight(let report):
      for contact in report.contacts { add(contact, at: time, on: surface) }
    case .maximumForce(let contact, .reached, _):
      note(.full, of: contact, at: time, force: contact.force.value)
    case .press(let press): hear(press, at: time)
    case .heaviest(let contact, _): heaviest(contact, at: time)
    case .maximumForce, .scale, .action, .capability: break
    }
  }

  /// Ends what is still going on.
  package mutating func finish() {
    for index in open.values { contacts[index].end(at: duration, isCancelled: true) }
    open = [:]
    heaviest(nil, at: duration)
  }

  private mutating func hear(_ contact: Contact, at time: Int64, on surface: Surface) {
    let name = Name(slot: contact.slot, id: contact.id)
    switch contact.phase {
    case .began:
      open[name] = contacts.count
      let first = Sample(time: time, contact, force: contact.force.value)
      contacts.append(ContactTrace(number: contacts.count + 1, slot: contact.slot, first))
      add(contact, at: time, on: surface)
    case .ended, .cancelled:
      guard let index = open.removeValue(forKey: name) else { return }
      contacts[index].end(at: time, isCancelled: contact.phase == .cancelled)
    case .moved, .stationary: break
    }
  }

  private mutating func add(_ contact: Contact, at time: Int64, on surface: Surface) {
    guard let index = open[Name(slot: contact.slot, id: contact.id)] else { return }
    // Where presses are made up, the force is the press's.
    let force =
      surface.simulatesPress
      ? contacts[index].samples.last?.force ?? 0 : contact.force.value
    contacts[index].add(
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
      contacts[index].add(
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
    contacts[index].note(kind, at: time, force: force)
  }

  private mutating func heaviest(_ contact: Contact?, at time: Int64) {
    if hasOpenInterval { intervals[intervals.count - 1].end = time }
    hasOpenInterval = false
    guard let contact, let index = open[Name(slot: contact.slot, id: contact.id)] else { return }
    intervals.append(HeaviestInterval(contact: index, begin: time, end: time))
    hasOpenInterval = true
  }

  private mutating func thin() {
    let span = max(1, duration / RecordingTrace.finest)
    for index in contacts.indices { contacts[index].thin(every: span) }
    // Where that spares little there is nothing more to spare: ask again when it has doubled.
    sampleCount = contacts.reduce(0) { $0 + $1.samples.count }
    sampleLimit = max(RecordingTrace.maxSamples, 2 * sampleCount)
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
  /// - Returns: the intervals that are left, in their order.
  func merged(every span: Int64) -> [RecordingTrace.HeaviestInterval] {
    var merged: [RecordingTrace.HeaviestInterval] = []
    var start = startIndex
    while start < endIndex {
      var lengths: [Int: Int64] = [:]
      var next = start
      while next < endIndex, self[next].begin / span == self[start].begin / span {
        lengths[self[next].contact, default: 0] += self[next].end - self[next].begin
        next += 1
      }
      let longest = lengths.max { ($0.value, $1.key) < ($1.value, $0.key) }
      let (begin, end) = (self[start].begin, self[next - 1].end)
      if let last = merged.last, last.contact == longest?.key, last.end == begin {
        merged[merged.count - 1].end = end
      } else if let longest {
        merged.append(RecordingTrace.HeaviestInterval(contact: longest.key, begin: begin, end: end))
      }
      start = next
    }
    return merged
  }
}

/// What one contact did from its beginning to its end.
package struct ContactTrace {
  /// Something that happens to a contact on its way.
  package struct Marker: Hashable {
    package var kind: Kind
    package var time: Int64
    package var force: Double

    /// What it is.
    package enum Kind: Hashable {
      /// Its press has come into a stage by pressing harder.
      case up
      /// Its press has left a stage by letting go.
      case down
      /// It is pressed to the full.
      case full
    }
  }

  /// Its number in the recording, from 1 on.
  package let number: Int

  package let slot: Int
  package let begin: Int64

  /// When it ended or was cancelled; so far, its last sample.
  package private(set) var end: Int64

  private(set) var isCancelled = false
  private(set) var samples: [Sample] = []
  private(set) var markers: [Marker] = []

  /// Where it pressed hardest.
  private(set) var peak: Sample

  /// Its weight then; nil where there is nothing to weigh by.
  private(set) var peakGrams: Double?

  /// Whether the sensor was at its end then, so that it may have been more.
  private(set) var isSaturated = false

  /// A contact that has come down.
  init(number: Int, slot: Int, _ first: Sample) {
    self.number = number
    self.slot = slot
    begin = first.time
    end = first.time
    peak = first
  }

  /// Goes on; what is the same as before needs no sample.
  package mutating func add(_ sample: Sample, grams: Double?, isSaturated: Bool) {
    end = max(end, sample.time)
    if samples.isEmpty || sample.force > peak.force {
      (peak, peakGrams, self.isSaturated) = (sample, grams, isSaturated)
    }
    if let last = samples.last, (last.force, last.x, last.y) == (sample.force, sample.x, sample.y) {
      return
    }
    samples.append(sample)
  }

  package mutating func note(_ kind: Marker.Kind, at time: Int64, force: Double) {
    markers.append(Marker(kind: kind, time: time, force: force))
  }

  package mutating func end(at time: Int64, isCancelled: Bool) {
    end = max(end, time)
    self.isCancelled = isCancelled
    guard var last = samples.last, last.time < end else { return }
    last.time = end
    samples.append(last)
  }

  /// Forgets samples that no drawing of that fineness would show.
  mutating func thin(every span: Int64) {
    samples = samples.decimated(every: span)
  }
}

/// How hard and where a contact presses, from one moment on until the next sample.
package struct Sample: Hashable {
  /// Microseconds since the recording's first event.
  package var time: Int64

  /// In units of an average touch.
  package var force: Double

  /// The place, as parts of the surface's width and height.
  package var x: Double
  package var y: Double
}

extension [Sample] {
  /// The same contact with at most four samples in each span of time: the first, the last, and the
  /// lightest and the heaviest between them, so that no peak is lost.
  ///
  /// - Parameter span: microseconds, 1 or more, counted from the recording's beginning.
  /// - Returns: the samples that are kept, in their order.
  func decimated(every span: Int64) -> [Sample] {
    var kept: [Sample] = []
    var start = startIndex
    while start < endIndex {
      let number = self[start].time / span
      var end = start + 1
      while end < endIndex, self[end].time / span == number { end += 1 }
      var places = [start, start, start, end - 1]
      for place in start..<end {
        if self[place].force < self[places[1]].force { places[1] = place }
        if self[place].force > self[places[2]].force { places[2] = place }
      }
      places.sort()
      for (index, place) in places.enumerated() where index == 0 || place != places[index - 1] {
        kept.append(self[place])
      }
      start = end
    }
    return kept
  }
}
