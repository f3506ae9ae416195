/// Detects that the zero has drifted, before readings are off by more than their stated error.
///
/// Two things are known to weigh nothing, whatever the scale reads:
///
///     empty   no contact for the span of the mean, although the sensor reports a value
///     tared   the load at the time of a tare or zero request, while the same contacts stay
///
///                   faster change than a creep: load added
///     followed ◀───────────────────────────────────────────▶ suspended
///                   previous reading again: load removed
///
/// The zero has drifted if such a reading exceeds half of its own `error_grams`, as the other half is for noise and
/// for the fit, or `zero_grams` if the error is unknown. It is back below half of that limit.
///
/// Neither case requires rest, as the mean over the trend span is evaluated. A creep is slower than one limit in ten
/// windows: a load that is added more slowly cannot be distinguished from a drift. Changes in between are unknown: a
/// device with a pressure per contact sends nothing while it is empty, so only a tared or zeroed load can be observed.
///
/// An observed drift persists while it cannot be observed under a load: readings are then known to be off by it.
struct DriftDetector {
  private let span: Int64
  private let window: Int64
  private let zeroGrams: Double

  /// The time since which there is no contact; nil while there is one and before the first frame.
  private var emptySince: Timestamp?

  /// The time at which the load was tared or zeroed; nil if no load is known to weigh nothing.
  private var setAt: Timestamp?

  /// The first mean of the tared load, which contains the noise of that moment, and the current one.
  private var followed: (first: Double, now: Double)?
  private var lastEvaluation = Timestamp(microseconds: 0)

  /// The creep allowed at once, which accumulates while the load rests.
  private var allowance = 0.0

  /// Whether a load or surface that weighs nothing reads something.
  private(set) var hasDrifted = false

  /// The last observed offset of the empty surface, and the part of it that was tared with a load.
  private var emptyOffset = 0.0
  private var taredOffset = 0.0
  private var loadOffset = 0.0

  /// The known offset of net readings in grams; 0 if it is below the limit.
  var knownOffset: Double { emptyOffset - taredOffset + loadOffset }

  init(_ rules: ScaleConfiguration) {
    span = rules.trend
    window = rules.window
    zeroGrams = rules.zeroGrams
  }

  mutating func updateContacts(isEmpty: Bool, isOther: Bool, at time: Timestamp) {
    if !isEmpty { emptySince = nil } else if emptySince == nil { emptySince = time }
    if isOther { forget() }
  }

  /// The current load was tared or zeroed.
  mutating func watch(from time: Timestamp) { (setAt, followed) = (time, nil) }

  /// A tare was set; its reading was off by the known offset.
  mutating func tare(_ grams: Double) {
    (taredOffset, loadOffset) = (grams > 0 ? emptyOffset : 0, 0)
  }

  /// The gross reading was set to zero.
  mutating func zero() { (emptyOffset, loadOffset) = (0, 0) }

  /// The law for grams changed.
  mutating func restart() {
    (emptyOffset, taredOffset, loadOffset) = (0, 0, 0)
    forget()
  }

  mutating func forget() { (setAt, followed) = (nil, nil) }

  /// Evaluates the mean over the span that ends at `time`, relative to the zero on an empty surface, otherwise to the tare.
  ///
  /// The error is nil if unknown; both are in grams.
  mutating func evaluate(_ grams: Double, error: Double?, at time: Timestamp) {
    let limit = error.map { $0 / 2 } ?? zeroGrams
    let creep = emptySince == nil ? follow(grams, limit: limit, at: time) : nil
    let isEmpty = emptySince.map { $0.advanced(byMicroseconds: span) <= time } ?? false
    let seen = isEmpty ? grams : creep
    hasDrifted = (seen ?? 0).magnitude > (hasDrifted ? limit / 2 : limit)
    guard let seen else { return }
    let known = hasDrifted ? seen : 0
    if isEmpty { (emptyOffset, loadOffset) = (known, 0) } else { loadOffset = known }
  }

  /// The time at which a surface that has become empty is evaluated; nil if there is none.
  func deadline(after time: Timestamp) -> Timestamp? {
    emptySince.map { $0.advanced(byMicroseconds: span) }.flatMap { $0 > time ? $0 : nil }
  }

  /// The offset of the tared load, limited to what the permitted creep explains; nil if it explains nothing.
  private mutating func follow(_ grams: Double, limit: Double, at time: Timestamp) -> Double? {
    guard let setAt, setAt.advanced(byMicroseconds: span) <= time else { return nil }
    defer { lastEvaluation = time }
    guard let followed else {
      if grams.magnitude <= limit { self.followed = (grams, grams) } else { forget() }
      allowance = 0
      return nil
    }
    let rested = Double(time.microseconds(since: lastEvaluation))
    allowance = min(allowance + limit * rested / Double(10 * window), limit / 2)
    let step = grams - followed.now
    guard step.magnitude <= limit / 2 else { return nil }
    let creep = min(max(step, -allowance), allowance)
    allowance -= creep.magnitude
    let now = followed.now + creep
    self.followed = (followed.first, now)
    return now - followed.first
  }
}
