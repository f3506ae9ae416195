internal import PressureKit
internal import PressureSystem

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
  private(set) var happenings: [Marker] = []

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
    happenings.append(Marker(kind: kind, time: time, force: force))
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
