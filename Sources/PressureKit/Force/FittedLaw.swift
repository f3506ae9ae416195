/// Straight segments between known weights, with the error of what they read.
///
///     error² = (factor × assumed)² + (2.2 × noise)² + (tolerance of the weights)²
///
/// The assumed part is that of `AssumedError` and of the segments; checks change its factor, which is 2.2 without any.
public struct FittedLaw: Hashable, Sendable {
  struct Breakpoint: Hashable, Sendable {
    var grams: Double
    var raw: Double

    /// Units per gram from here to the next breakpoint, and beyond the last one.
    var slope = 0.0

    /// The standard deviation of one value here, in units.
    var noise: Double

    /// The standard deviation of the sensor from the segment that begins here, in grams.
    var bow = 0.0

    func grams(raw: Double) -> Double { grams + (raw - self.raw) / slope }
  }

  /// What depends on where on the law a load is, or the loads of several contacts.
  struct LocalError: Hashable {
    /// The variance of noise and rounding, in square grams.
    var noise = 0.0

    /// The standard deviation of the sensor from its segments, in grams; common to all contacts.
    var bow = 0.0

    static func += (sum: inout LocalError, other: LocalError) {
      sum.noise += other.noise
      sum.bow += other.bow
    }
  }

  /// In ascending order of weight; at least two.
  let breakpoints: [Breakpoint]

  /// The greatest value of the axis, at which the sensor is saturated.
  package let maximum: Int32

  /// The lightest and the heaviest known weight, in grams.
  let lightest: Double
  let heaviest: Double

  /// Whether the zero was assumed, because the sensor sends nothing on an empty surface.
  let isZeroAssumed: Bool

  /// The tolerance of the known weights, as a fraction.
  let tolerance: Double

  /// When the weights were measured, in seconds since 1970; nil if unknown.
  var date: Int64?

  /// The number of assumed standard deviations within which 95 % of readings lie.
  private(set) var factor = FittedLaw.coverageFactor

  /// Whether readings have no error, as they depend on more than the load; see `Surface.isEstimate`.
  var isEstimate = false

  /// That without any check; 1.96 for a normal distribution, and more, as the deviations are estimates themselves.
  static let coverageFactor = 2.2

  /// The part of a reading that may differ when the same thing is put there again, as a fraction (one standard deviation).
  private static let repetition = 0.0005

  /// How much heavier than the heaviest known weight a load may be; OIML R 76 permits about as much.
  private static let reach = 1.05

  /// The square of the error of rounding to 0.1 g, a uniform distribution, as on the wire.
  static let wireVariance = 0.05 * 0.05

  init(
    _ breakpoints: [Breakpoint], lightest: Double, heaviest: Double, isZeroAssumed: Bool,
    tolerance: Double, maximum: Int32
  ) {
    self.breakpoints = breakpoints
    (self.lightest, self.heaviest) = (lightest, heaviest)
    (self.isZeroAssumed, self.tolerance, self.maximum) = (isZeroAssumed, tolerance, maximum)
  }

  /// Whether both convert all values to the same grams, whatever their errors.
  func converts(as other: FittedLaw) -> Bool { breakpoints == other.breakpoints }
}

// MARK: - Conversion

extension FittedLaw {
  /// The segment that contains a value; the outer segments extend without limit.
  private func piece(raw: Double) -> Int {
    var index = breakpoints.count - 2
    while index > 0, raw < breakpoints[index].raw { index -= 1 }
    return index
  }

  private func piece(grams: Double) -> Int {
    var index = breakpoints.count - 2
    while index > 0, grams < breakpoints[index].grams { index -= 1 }
    return index
  }

  /// Grams of a raw value; not below zero if that was assumed, as a silent surface weighs nothing.
  package func grams(raw: Double) -> Double {
    let grams = breakpoints[piece(raw: raw)].grams(raw: raw)
    return isZeroAssumed ? max(grams, 0) : grams
  }

  package func weight(raw: Int32) -> Weight {
    let grams = grams(raw: Double(raw))
    let isKnown = raw < maximum && !isBeyondReach(raw: raw)
    return Weight(
      grams: grams, error: isKnown ? error(of: grams, in: .unfavorable(for: grams)) : nil)
  }

  func isBeyondReach(raw: Int32) -> Bool {
    let last = breakpoints.count - 1
    return breakpoints[last].grams(raw: Double(raw)) > FittedLaw.reach * heaviest
  }

  @inline(never)
  func isExceeded(by contacts: Span<Contact>) -> Bool {
    for index in contacts.indices {
      if let raw = contacts[index].raw, isBeyondReach(raw: raw) { return true }
    }
    return false
  }

  /// Grams per unit, where that is largest.
  var greatestStep: Double { breakpoints.dropLast().reduce(0) { max($0, 1 / $1.slope) } }

  /// The standard deviation of one value, where that is largest, in grams.
  var greatestNoise: Double { breakpoints.reduce(0) { max($0, $1.noise / $1.slope) } }

  /// The standard deviation of values at a load, in units, without that of rounding.
  var leastSpread: Double {
    breakpoints.dropFirst().reduce(.infinity) { least, point in
      let variance = point.noise * point.noise - CalibrationPoint.roundingVariance
      return min(least, max(variance, 0).squareRoot())
    }
  }
}

// MARK: - Errors

extension FittedLaw {
  func local(at grams: Double) -> LocalError {
    let index = piece(grams: grams)
    let (low, high) = (breakpoints[index], breakpoints[index + 1])
    let part = min(max((grams - low.grams) / (high.grams - low.grams), 0), 1)
    let noise = (low.noise + (high.noise - low.noise) * part) / low.slope
    return LocalError(noise: noise * noise, bow: low.bow)
  }

  /// The error within which 95 % of readings of a load lie, in grams; nil for an estimate.
  ///
  /// Below the lightest known weight it is that of the lightest.
  func error(
    of grams: Double, _ local: LocalError? = nil, in conditions: LoadConditions
  ) -> Double? {
    guard !isEstimate else { return nil }
    let local = local ?? self.local(at: grams)
    let load = max(grams, lightest)
    let assumed = AssumedError.variance(of: load, heaviest: heaviest, in: conditions)
    return combined(assumed + local.bow * local.bow, local.noise, tolerance * load)
  }

  /// The error of an empty surface: noise, or if the zero was assumed nothing but rounding.
  var errorAtZero: Double? {
    guard !isEstimate else { return nil }
    return combined(0, isZeroAssumed ? 0 : local(at: 0).noise, 0)
  }

  /// The error of a difference of two readings in grams, whose local errors are added up.
  ///
  /// What a heavier load has left in one of them alone is `remainder`, in grams.
  func error(
    ofNet net: Double, _ local: LocalError, remainder: Double, in conditions: LoadConditions
  ) -> Double? {
    guard !isEstimate else { return nil }
    let bow = local.bow * min(1, 4 * net.magnitude / heaviest)
    let assumed = AssumedError.variance(
      of: net, heaviest: heaviest, in: conditions, isDifference: true)
    return combined(assumed + bow * bow + remainder * remainder, local.noise, tolerance * net)
  }

  private func combined(_ assumed: Double, _ noise: Double, _ ofWeights: Double) -> Double {
    let ofNoise = FittedLaw.coverageFactor * FittedLaw.coverageFactor * noise
    return (factor * factor * assumed + ofNoise + ofWeights * ofWeights + FittedLaw.wireVariance)
      .squareRoot()
  }

  /// What differs if the same load is put there again, in grams.
  func repeatability(of grams: Double, _ local: LocalError) -> Double {
    let share = FittedLaw.repetition * grams
    let squares =
      FittedLaw.coverageFactor * FittedLaw.coverageFactor * (local.noise + share * share)
    return (squares + FittedLaw.wireVariance).squareRoot()
  }

  /// The error of a number of equal pieces, in grams: what is proportional to the weight is common to all of them.
  func countingError(of grams: Double, repeating repeatability: Double) -> Double {
    let bend = factor * AssumedError.bend(of: grams, heaviest: heaviest)
    return (repeatability * repeatability + bend * bend).squareRoot()
  }

  var budget: [(cause: ErrorCause, grams: Double)] {
    let local = local(at: heaviest)
    let bend = AssumedError.bend(of: heaviest, heaviest: heaviest)
    return [
      (.noise, FittedLaw.coverageFactor * local.noise.squareRoot()),
      (.fit, factor * (local.bow * local.bow + bend * bend).squareRoot()),
      (.weights, tolerance * heaviest),
    ] + AssumedError.parts(of: heaviest).map { ($0.cause, factor * $0.grams) }
  }
}

// MARK: - Checks

extension FittedLaw {
  /// The deviation of a check in assumed standard deviations.
  func deviation(of check: CalibrationCheck) -> Double {
    let conditions = check.conditions(calibratedAt: date)
    let local = local(at: check.shown)
    let ofWeight = check.tolerance * check.grams / FittedLaw.coverageFactor
    let variance =
      AssumedError.variance(
        of: max(check.grams, lightest), heaviest: heaviest, in: conditions)
      + local.bow * local.bow + local.noise + ofWeight * ofWeight
    return check.deviation / variance.squareRoot()
  }

  /// Multiplies the assumed errors by what the checks show: one assumed deviation of 1 and those of the checks.
  mutating func adopt(_ checks: [CalibrationCheck]) {
    guard !checks.isEmpty else { return factor = FittedLaw.coverageFactor }
    let deviations = checks.map(deviation)
    let squares = deviations.reduce(1) { $0 + $1 * $1 }
    let scale = (squares / Double(1 + checks.count)).squareRoot()
    let student = StudentDistribution.factor(freedom: 1 + checks.count)
    // One check that agrees does not enlarge the error, however little is known by it.
    let greatest = deviations.reduce(1) { max($0, $1.magnitude) }
    factor = min(student * scale, FittedLaw.coverageFactor * greatest)
  }
}
