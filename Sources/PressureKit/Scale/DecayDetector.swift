/// Detects a reading that decays to zero although its contact stays.
///
/// A capacitive surface adapts to an object at rest and gradually stops reporting it. A finger that lets go is faster,
/// or comes to rest at another weight:
///
///     ──────╮ ← nine tenths
///            ╲
///             ╲ ← half: three windows later, and falling without a rest of two windows
///              ╲______ ← zero, for one window
struct DecayDetector {
  private let window: Int64

  /// The magnitude that counts as zero, in grams.
  private let zero: Double

  /// A rise by more than this, in grams, is not part of a decay.
  private let noise: Double

  private var peak = 0.0

  /// The reading at which the current fall began.
  private var top = 0.0

  private var low = 0.0
  private var value = 0.0

  /// The last time at which the reading was nine tenths of its peak.
  private var lastHigh = Timestamp(microseconds: .min)
  private var lastFall = Timestamp(microseconds: .min)
  private var zeroSince: Timestamp?

  init(_ rules: ScaleConfiguration) {
    window = rules.window
    zero = rules.zeroGrams
    noise = rules.rangeGrams
  }

  /// Adds a reading of the same contacts as before.
  mutating func push(_ value: Double, at time: Timestamp) {
    guard value <= low + noise, value <= peak else { return restart(with: value, at: time) }
    if value < low {
      // A fall after a rest is a new fall.
      if late(lastFall, by: 2) <= time { top = self.value }
      (low, lastFall) = (value, time)
    }
    if self.value >= top * 0.9 { lastHigh = time }
    self.value = value
    if value > zero { zeroSince = nil } else { zeroSince = zeroSince ?? time }
  }

  /// Starts over with other contacts, or with more weight.
  mutating func restart(with value: Double, at time: Timestamp) {
    (peak, top, low, self.value) = (value, value, value, value)
    (lastHigh, lastFall) = (time, time)
    zeroSince = value > zero ? nil : time
  }

  /// Whether there was a weight that can decay.
  private var hasWeighed: Bool { peak > zero + noise }

  /// Whether the reading decays at the given time.
  func isDecaying(at time: Timestamp) -> Bool {
    guard hasWeighed else { return false }
    if let decayedAt, decayedAt <= time { return true }
    return low <= top / 2 && late(lastHigh, by: 3) <= time && time < late(lastFall, by: 2)
  }

  /// The next time at which the result changes without another reading; nil if it does not.
  func deadline(after time: Timestamp) -> Timestamp? {
    guard hasWeighed else { return nil }
    let next = decayedAt ?? (isDecaying(at: time) ? late(lastFall, by: 2) : nil)
    return next.flatMap { $0 > time ? $0 : nil }
  }

  /// The time at which it has been zero for one window.
  private var decayedAt: Timestamp? { zeroSince.map { late($0, by: 1) } }

  private func late(_ time: Timestamp, by windows: Int64) -> Timestamp {
    time.advanced(byMicroseconds: windows * window)
  }
}
