/// Detects what a surface or its firmware takes away of a load that stays.
///
///     grams
///       │╲___ put down           │‾‾‾‾‾│ taken away by a hand
///       │    ╲___ firmware       │     │
///       │        ╲___            │     └──────
///       └──────────────────── seconds
///
/// A hand takes something away at once; firmware that follows its zero, a hole in a vessel and evaporation do it smoothly,
/// and look alike. What a smooth fall has taken is therefore a possible loss, which the error of a reading contains. So is
/// more than half of a load at rest, however fast: a hand that takes so much changes the contacts.
///
/// Such a load decays, and its reading does not count, if it has become nothing, or if it has fallen since it was put down,
/// steadily and more slowly the less is left.
struct DecayDetector {
  /// The part of what a hand takes away that goes within one window.
  private static let abrupt = 0.7

  /// A fall that slows down needs this much longer for its second fifth than for its first: 1.29 if it is exponential.
  private static let slowing = 1.15

  private let window: Int64
  private let zero: Double

  /// Whether the zero was measured with a contact, which then remains when a load is taken off.
  private let isZeroMeasured: Bool

  /// Changes in grams that noise and rounding explain, a rise within a window, and what a hand changes at least.
  private let tolerance: Double
  private let quietRise: Double
  private let handled: Double

  /// When the present contacts began.
  private var begunAt = Timestamp(microseconds: .min)

  /// What the load would be without smooth falls, and what it was when it was last at rest.
  private var kept = 0.0
  private var rested = (grams: 0.0, at: Timestamp(microseconds: .min))

  /// The greatest range within a window since then; 0 while it is at rest.
  private var motion = 0.0

  /// Since when nothing was put down or taken away, the load then, and when a fifth of it was lost; no load once its fall was
  /// judged, or a hand has touched it.
  private var start = (grams: 0.0, at: Timestamp(microseconds: .min))
  private var fifthAt: Timestamp?

  /// The load before a fall that is flagged; nil if none is.
  private var levelBefore: Double?

  init(_ rules: ScaleConfiguration, _ limits: RestLimits, _ law: Calibration?) {
    window = rules.settlingTime
    zero = rules.zeroGrams
    tolerance = 1.2 * limits.step + limits.noise / 8
    handled = 2 * limits.range
    quietRise = 2 * limits.step + limits.noise
    isZeroMeasured = if case .fitted(let law) = law { !law.isZeroAssumed } else { false }
  }

  var isDecaying: Bool { levelBefore != nil }

  /// How many grams smooth decreases may have removed from a load, which now reads `grams`.
  func possibleLoss(of grams: Double) -> Double {
    let drop = rested.grams - grams
    let loss = kept - grams - (isByHand(drop) ? drop : 0)
    return loss > tolerance ? loss : 0
  }

  /// Starts over with other contacts.
  mutating func restart(at time: Timestamp) { (begunAt, levelBefore) = (time, nil) }

  /// Evaluates the load above a zero, which is silent if the sensor reports no pressure at all.
  mutating func evaluate(
    _ signal: LoadSignal, above zeroGrams: Double, isSilent: Bool, at time: Timestamp
  ) {
    let (grams, isAtRest) = (signal.filtered - zeroGrams, signal.rest != .motion)
    let (range, rise) = (signal.sensorRange.range, signal.value - signal.sensorRange.lowest)
    if let levelBefore, !(grams > 0.95 * levelBefore) { return }
    if isDecaying { restart(at: time) }
    let age = time.microseconds(since: begunAt)
    if age < window { (start, fifthAt, motion) = ((grams, time), nil, 0) }
    // A hand puts the load down, and may still let go.
    if age < window * 3 / 2 { (kept, rested) = (grams, (grams, time)) }
    motion = isAtRest || age < 2 * window ? motion : max(motion, range)
    if time.microseconds(since: start.at) > window, rise > quietRise { start.grams = 0 }
    noteFall(to: grams, at: time)
    if isAtRest { rest(with: signal.level - zeroGrams, isSilent: isSilent, at: time) }
  }

  private mutating func rest(with grams: Double, isSilent: Bool, at time: Timestamp) {
    let drop = rested.grams - grams
    if -drop > handled || !isSilent && isByHand(drop) {
      kept -= drop
      (start, fifthAt) = ((grams, time), nil)
    }
    (kept, rested, motion) = (max(kept, grams), (grams, time), 0)
    let isNothing =
      isSilent ? kept - grams > zero : grams <= zero && kept > 10 * zero && !isZeroMeasured
    if isNothing { levelBefore = kept }
  }

  /// Whether a hand seems to have taken something away since the load was last at rest.
  private func isByHand(_ drop: Double) -> Bool {
    drop > handled && drop * DecayDetector.abrupt < motion
      && (drop < kept / 2 || isZeroMeasured || rested.at.microseconds(since: start.at) < 2 * window)
  }

  private mutating func noteFall(to grams: Double, at time: Timestamp) {
    if fifthAt == nil, grams <= 0.8 * start.grams { fifthAt = time }
    guard let fifthAt, grams <= 0.6 * start.grams else { return }
    let first = Double(fifthAt.microseconds(since: start.at))
    let second = Double(time.microseconds(since: fifthAt))
    if second > DecayDetector.slowing * first, start.grams > zero { levelBefore = start.grams }
    // A fall is judged once.
    start.grams = 0
  }
}
