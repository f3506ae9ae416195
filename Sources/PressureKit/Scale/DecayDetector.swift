/// Notices a reading that falls to zero although its contact stays.
///
/// A capacitive surface takes what lies still for a change of its own, and forgets it by and by. A
/// finger that lets go is quicker, or comes to rest at another weight:
///
///     ──────╮ ← nine tenths
///            ╲
///             ╲ ← half: three windows later, and falling without a rest of two
///              ╲______ ← zero, for a window
struct DecayDetector {
  private let window: Int64

  /// What is as good as nothing, in grams.
  private let zero: Double

  /// A rise by more than this is no decay.
  private let noise: Double

  private var peak = 0.0

  /// Where the present fall began.
  private var top = 0.0

  private var low = 0.0
  private var value = 0.0

  /// Until when nine tenths of the peak were there.
  private var lastHigh = Timestamp(microseconds: .min)
  private var lastFall = Timestamp(microseconds: .min)
  private var zeroSince: Timestamp?

  init(_ rules: ScaleConfiguration) {
    window = rules.window
    zero = rules.zeroGrams
    noise = rules.rangeGrams
  }

  /// Follows the reading of the same contacts as before.
  mutating func push(_ value: Double, at time: Timestamp) {
    guard value <= low + noise, value <= peak else { return restart(with: value, at: time) }
    if value < low {
      // After a rest it is another fall.
      if late(lastFall, by: 2) <= time { top = self.value }
      (low, lastFall) = (value, time)
    }
    if self.value >= top * 0.9 { lastHigh = time }
    self.value = value
    if value > zero { zeroSince = nil } else { zeroSince = zeroSince ?? time }
  }

  /// Begins anew with other contacts, or with more weight.
  mutating func restart(with value: Double, at time: Timestamp) {
    (peak, top, low, self.value) = (value, value, value, value)
    (lastHigh, lastFall) = (time, time)
    zeroSince = value > zero ? nil : time
  }

  /// Whether there was anything that could decay.
  private var hasWeighed: Bool { peak > zero + noise }

  /// Whether it decays.
  func isDecaying(at time: Timestamp) -> Bool {
    guard hasWeighed else { return false }
    if let decayedAt, decayedAt <= time { return true }
    return low <= top / 2 && late(lastHigh, by: 3) <= time && time < late(lastFall, by: 2)
  }

  /// When it will be another matter if nothing happens, at a time.
  func deadline(after time: Timestamp) -> Timestamp? {
    guard hasWeighed else { return nil }
    let next = decayedAt ?? (isDecaying(at: time) ? late(lastFall, by: 2) : nil)
    return next.flatMap { $0 > time ? $0 : nil }
  }

  /// From when on it has been at zero for long enough.
  private var decayedAt: Timestamp? { zeroSince.map { late($0, by: 1) } }

  private func late(_ time: Timestamp, by windows: Int64) -> Timestamp {
    time.advanced(byMicroseconds: windows * window)
  }
}
