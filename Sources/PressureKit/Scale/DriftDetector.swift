/// Notices that the zero has moved, before readings are wrong by more than they say.
///
/// Of two things a scale knows that they weigh nothing, whatever it reads of them:
///
///     bare    no contact for the span of the mean, and yet the sensor speaks
///     tared   what lay there when it was set to nothing, while the same contacts stay
///
///                   reads other than by a creep: something was laid on
///     followed ◀──────────────────────────────────────────────────────▶ passed by
///                   reads as before: it was taken off
///
/// The rule: the zero has moved where what weighs nothing reads more than half of its own
/// `error_grams`, as the other half is for noise and for the fit; more than `zero_grams` where the error
/// is not known. It has come back at half of that.
///
/// Neither needs rest, as a mean over the trend's span is looked at. A creep is slower than a limit in ten windows:
/// nobody lays anything on so slowly, and nobody could tell who does from a drift. What goes on in
/// between is not known: a device with a pressure for each contact is silent when it is bare, so that
/// there only what was tared, or set to zero, can be watched.
///
/// What has been seen to have moved is still so once something is laid on, and nobody sees it any more:
/// it is known then, and readings are as wrong as that besides.
struct DriftDetector {
  private let span: Int64
  private let window: Int64
  private let zeroGrams: Double

  /// Since when there has been no contact; nil while there is one, and before the first frame.
  private var emptySince: Timestamp?

  /// When what lies there was set to nothing; nil where nothing is known to weigh nothing.
  private var setAt: Timestamp?

  /// What the mean read of it at first, which is the noise of the moment, and reads by now.
  private var followed: (first: Double, now: Double)?
  private var lastEvaluation = Timestamp(microseconds: 0)

  /// How far it may creep at once, saved up while it rested.
  private var allowance = 0.0

  /// Whether what weighs nothing reads something.
  private(set) var hasDrifted = false

  /// What the bare surface has moved to, as last seen, and how much of that was tared with a load.
  private var emptyOffset = 0.0
  private var taredOffset = 0.0

  /// What the tared thing has moved to since, as last seen.
  private var loadOffset = 0.0

  /// By how many grams net readings are known to be off; 0 where they may be off by less than the limit.
  var knownOffset: Double { emptyOffset - taredOffset + loadOffset }

  init(_ rules: ScaleConfiguration) {
    span = rules.trend
    window = rules.window
    zeroGrams = rules.zeroGrams
  }

  /// Follows whether there are contacts, and whether they are others than before.
  mutating func updateContacts(isEmpty: Bool, isOther: Bool, at time: Timestamp) {
    if !isEmpty { emptySince = nil } else if emptySince == nil { emptySince = time }
    if isOther { forget() }
  }

  /// What is there was set to nothing.
  mutating func watch(from time: Timestamp) { (setAt, followed) = (time, nil) }

  /// So much is taken off from now on; what was read of it was off by as much as readings are.
  mutating func tare(_ grams: Double) {
    (taredOffset, loadOffset) = (grams > 0 ? emptyOffset : 0, 0)
  }

  /// What is read now was set to nothing, gross.
  mutating func zero() { (emptyOffset, loadOffset) = (0, 0) }

  /// The grams are others from now on.
  mutating func restart() {
    (emptyOffset, taredOffset, loadOffset) = (0, 0, 0)
    forget()
  }

  /// Nothing is known to weigh nothing.
  mutating func forget() { (setAt, followed) = (nil, nil) }

  /// Looks at what is read now.
  ///
  /// - Parameters:
  ///   - grams: the mean over the span, above the zero on a bare surface, or else above the tare.
  ///   - error: how wrong that may be, or nil where nobody knows.
  ///   - time: where the span ends.
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

  /// When a surface that has become bare is to be looked at.
  func deadline(after time: Timestamp) -> Timestamp? {
    emptySince.map { $0.advanced(byMicroseconds: span) }.flatMap { $0 > time ? $0 : nil }
  }

  /// How far the tared thing has crept, as far as a creep explains what is read.
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
