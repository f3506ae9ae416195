internal import PressureKit

package struct RecordingTrace {
  struct HeaviestInterval: Hashable {
    var contact: Int
    var begin: Int64
    var end: Int64
  }

  package private(set) var contacts: [ContactTrace] = []
  private(set) var intervals: [HeaviestInterval] = []

  /// The microseconds from the first event to the last frame.
  private(set) var duration: Int64 = 0

  private(set) var hasSimulatedPresses = false

  /// The indices of the contacts that are present, by the numbers that the engine gives them.
  private var present: [Int: Int] = [:]

  private var origin: Int64
  private var heaviest: (contact: Int, begin: Int64)?
  private var sampleCount = 0
  private var sampleLimit = maxSamples

  /// The initial limit of samples; above it, those are removed that a plot of `maxColumns` columns would not show.
  private static let maxSamples = 400_000
  private static let maxColumns: Int64 = 8192

  init(from origin: Timestamp) {
    self.origin = origin.microseconds
  }

  mutating func add(_ event: Event, on surface: Surface) {
    let time = max(duration, event.time.microseconds &- origin)
    duration = time
    switch event.kind {
    case .contact(let contact): update(contact, at: time, on: surface)
    case .weight(let report):
      for contact in report.contacts { add(contact, at: time, on: surface) }
    case .maximumForce(let contact, .reached, _):
      addMarker(.maximumReached, to: contact, at: time, force: contact.force.value)
    case .press(let press): add(press, at: time)
    case .heaviest(let contact, _): setHeaviest(contact, at: time)
    case .maximumForce, .scale, .action, .capability: break
    }
  }

  mutating func finish() {
    for index in present.values { contacts[index].end(at: duration, isCancelled: true) }
    present = [:]
    setHeaviest(nil, at: duration)
  }

  private mutating func update(_ contact: Contact, at time: Int64, on surface: Surface) {
    switch contact.phase {
    case .began:
      present[contact.order] = contacts.count
      contacts.append(ContactTrace(number: contacts.count + 1, slot: contact.slot, begin: time))
      add(contact, at: time, on: surface)
    case .ended, .cancelled:
      guard let index = present.removeValue(forKey: contact.order) else { return }
      contacts[index].end(at: time, isCancelled: contact.phase == .cancelled)
    case .moved, .stationary: break
    }
  }

  private mutating func add(_ contact: Contact, at time: Int64, on surface: Surface) {
    guard let index = present[contact.order] else { return }
    // If presses are simulated, the force is that of the press.
    let measured: Double? = contact.raw == nil ? nil : contact.force.value
    let force = surface.simulatesPress ? contacts[index].samples.last?.force : measured
    contacts[index].add(
      Sample(time: time, force: force, x: contact.location.x, y: contact.location.y),
      grams: contact.weight?.grams, isSaturated: contact.isSaturated)
    sampleCount += 1
    if sampleCount > sampleLimit { decimate() }
  }

  private mutating func add(_ press: Press, at time: Int64) {
    let contact = press.contact
    guard let index = present[contact.order] else { return }
    let force = press.force.value
    if press.isSimulated {
      hasSimulatedPresses = true
      let (x, y) = (contact.location.x, contact.location.y)
      contacts[index].add(
        Sample(time: time, force: press.hasEnded ? nil : force, x: x, y: y), grams: nil,
        isSaturated: false)
    }
    if press.entersStage {
      addMarker(.stageEntered, to: contact, at: time, force: force)
    } else if press.crossing == .down || press.hasEnded {
      addMarker(.stageLeft, to: contact, at: time, force: force)
    }
  }

  private mutating func addMarker(
    _ style: MarkerStyle, to contact: Contact, at time: Int64, force: Double
  ) {
    guard let index = present[contact.order] else { return }
    contacts[index].markers.append(ContactTrace.Marker(style: style, time: time, force: force))
  }

  private mutating func setHeaviest(_ contact: Contact?, at time: Int64) {
    if let (index, begin) = heaviest {
      intervals.append(HeaviestInterval(contact: index, begin: begin, end: time))
    }
    heaviest = contact.flatMap { present[$0.order] }.map { (contact: $0, begin: time) }
  }

  private mutating func decimate() {
    let span = max(1, duration / RecordingTrace.maxColumns)
    for index in contacts.indices {
      contacts[index].samples = contacts[index].samples.decimated(every: span)
    }
    // The limit grows with the remaining samples, so that decimation is not repeated without effect.
    sampleCount = contacts.reduce(0) { $0 + $1.samples.count }
    sampleLimit = max(RecordingTrace.maxSamples, 2 * sampleCount)
  }
}

extension [RecordingTrace.HeaviestInterval] {
  /// Merges intervals that a plot cannot distinguish, in spans of microseconds from the start.
  ///
  /// Of those that begin in the same span, only the contact with the longest total remains.
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

package struct ContactTrace {
  struct Marker {
    var style: MarkerStyle
    var time: Int64
    var force: Double
  }

  /// The number of the contact in the recording, counted from 1.
  let number: Int

  let slot: Int
  let begin: Int64

  /// When it ended or was cancelled; before that, the time of the last sample.
  private(set) var end: Int64

  private(set) var isCancelled = false
  fileprivate(set) var samples: [Sample] = []
  fileprivate(set) var markers: [Marker] = []
  private(set) var peak: Sample
  var peakForce: Double { peak.force ?? 0 }
  private(set) var peakGrams: Double?

  /// Whether the sensor was saturated at the peak, so that the force may have been higher.
  private(set) var isSaturated = false

  /// Creates a contact without samples; the first one becomes its peak.
  init(number: Int, slot: Int, begin: Int64) {
    (self.number, self.slot, self.begin, end) = (number, slot, begin, begin)
    peak = Sample(time: begin, x: .nan, y: .nan)
  }

  /// Adds a sample, unless it is equal to the one before.
  mutating func add(_ sample: Sample, grams: Double?, isSaturated: Bool) {
    end = max(end, sample.time)
    if samples.isEmpty || sample.level > peak.level {
      (peak, peakGrams, self.isSaturated) = (sample, grams, isSaturated)
    }
    if let last = samples.last, last.isEqual(to: sample) { return }
    samples.append(sample)
  }

  mutating func end(at time: Int64, isCancelled: Bool) {
    end = max(end, time)
    self.isCancelled = isCancelled
    guard var last = samples.last, last.time < end else { return }
    last.time = end
    samples.append(last)
  }
}

/// The force and the location of a contact from a time until the next sample.
struct Sample: Hashable {
  /// The microseconds since the first event of the recording.
  var time: Int64

  /// The force in units of an average touch; nil if it is unknown.
  var force: Double?

  /// The location, relative to the width and height of the surface; NaN if it is unknown.
  var x: Double
  var y: Double

  /// The force for comparisons: an unknown one is less than any other.
  fileprivate var level: Double { force ?? -1 }

  fileprivate func isEqual(to other: Sample) -> Bool {
    force == other.force && (x == other.x || x.isNaN && other.x.isNaN)
      && (y == other.y || y.isNaN && other.y.isNaN)
  }
}

extension [Sample] {
  /// Keeps at most four samples in each span of microseconds from the start, so that no peak is lost.
  ///
  /// Those are the first, the last, the minimum and the maximum.
  func decimated(every span: Int64) -> [Sample] {
    var kept: [Sample] = []
    var start = startIndex
    while start < endIndex {
      let number = self[start].time / span
      var end = start + 1
      while end < endIndex, self[end].time / span == number { end += 1 }
      var indices = [start, start, start, end - 1]
      for index in start..<end {
        if self[index].level < self[indices[1]].level { indices[1] = index }
        if self[index].level > self[indices[2]].level { indices[2] = index }
      }
      indices.sort()
      for (rank, index) in indices.enumerated() where rank == 0 || index != indices[rank - 1] {
        kept.append(self[index])
      }
      start = end
    }
    return kept
  }
}
