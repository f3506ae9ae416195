/// Straight segments between known weights, with the error of what they read.
///
///     error² = (2.2 × deviation of the sensor)² + (2.2 × noise)² + (tolerance of the weights)²
///
/// `SensorError` has the deviations of the sensor.
public struct FittedLaw: Hashable, Sendable {
  struct Breakpoint: Hashable, Sendable {
    var grams: Double
    var raw: Double

    /// The standard deviation of one value here, in units.
    var noise: Double

    /// Units per gram from here to the next breakpoint, and beyond the last one.
    var slope = 0.0

    func grams(raw: Double) -> Double { grams + (raw - self.raw) / slope }
  }

  /// In ascending order of weight; at least two.
  let breakpoints: [Breakpoint]

  /// The greatest value of the axis, at which the sensor is saturated.
  package let maximum: Int32

  /// Whether the zero was assumed, because the sensor sends nothing on an empty surface.
  let isZeroAssumed: Bool

  /// The tolerance of the known weights, as a fraction.
  private let tolerance: Double

  /// When the weights were measured, in seconds since 1970; nil if unknown.
  let date: Int64?

  /// The errors of the sensor, with what the known weights have shown.
  private(set) var sensor: SensorError

  /// Whether readings have no error, as they depend on more than the load; see `Surface.isEstimate`.
  var isEstimate = false

  /// How much heavier than the heaviest known weight a load may be; OIML R 76 permits about as much.
  private static let reach = 1.05

  /// The square of the error of rounding to 0.1 g, a uniform distribution, as on the wire.
  static let wireVariance = 0.05 * 0.05

  /// The law through points in ascending order of weight, and how far the inner ones are from the lines between their neighbors.
  init(
    _ points: [CalibrationPoint], _ residuals: [CalibrationFit.Residual], maximum: Int32,
    date: Int64?
  ) {
    var breakpoints = points.map { Breakpoint(grams: $0.grams, raw: $0.raw, noise: $0.noise) }
    // An empty surface may send nothing, or a single value.
    breakpoints[0].noise = max(breakpoints[0].noise, breakpoints[1].noise)
    if points[0].isAssumed {
      // The sensor may begin with an offset, or only above some weight: the first weights' line leads to zero.
      let (first, next) = (breakpoints[1], breakpoints[2])
      breakpoints[0].raw =
        first.raw - (next.raw - first.raw) / (next.grams - first.grams) * first.grams
    }
    let last = breakpoints.count - 1
    for index in 0..<last {
      let (low, high) = (breakpoints[index], breakpoints[index + 1])
      breakpoints[index].slope = (high.raw - low.raw) / (high.grams - low.grams)
    }
    breakpoints[last].slope = breakpoints[last - 1].slope
    let weights = points.dropFirst()
    self.breakpoints = breakpoints
    (isZeroAssumed, self.maximum, self.date) = (points[0].isAssumed, maximum, date)
    tolerance = weights.reduce(0) { $0 + $1.tolerance } / Double(weights.count)
    sensor = SensorError(lightest: points[1].grams, heaviest: points[last].grams)
    adopt(weights, residuals)
  }
}

// MARK: - Conversion

extension FittedLaw {
  /// The segment that contains a value; the outer segments extend without limit.
  private func segment(_ contains: (Breakpoint) -> Bool) -> Breakpoint {
    breakpoints.dropLast().last(where: contains) ?? breakpoints[0]
  }

  /// Grams of a raw value; not below zero if that was assumed, as a silent surface weighs nothing.
  package func grams(raw: Double) -> Double {
    let grams = segment { $0.raw <= raw }.grams(raw: raw)
    return isZeroAssumed ? max(grams, 0) : grams
  }

  package func weight(raw: Int32) -> Weight {
    let grams = grams(raw: Double(raw))
    let isKnown = raw < maximum && !isBeyondReach(raw: raw)
    return Weight(grams: grams, error: isKnown ? error(of: .unfavorable(grams)) : nil)
  }

  func isBeyondReach(raw: Int32) -> Bool {
    let last = breakpoints.count - 1
    return breakpoints[last].grams(raw: Double(raw)) > FittedLaw.reach * sensor.heaviest
  }

  @inline(never)
  func isExceeded(by contacts: Span<Contact>) -> Bool {
    for index in contacts.indices {
      if let raw = contacts[index].raw, isBeyondReach(raw: raw) { return true }
    }
    return false
  }

  /// Grams per unit at a load, and where that is largest.
  func step(at grams: Double) -> Double { 1 / segment { $0.grams <= grams }.slope }

  var greatestStep: Double { breakpoints.reduce(0) { max($0, 1 / $1.slope) } }

  /// The standard deviation of one value, where that is largest, in grams.
  var greatestNoise: Double { breakpoints.reduce(0) { max($0, $1.noise / $1.slope) } }

  /// Whether the values of a known weight do not stay the same for a second.
  var isNoiseVisible: Bool { breakpoints.contains { $0.noise >= CalibrationPoint.visibleNoise } }
}

// MARK: - Errors

extension FittedLaw {
  /// The error within which 95 % of readings of a load lie, in grams; nil for an estimate.
  ///
  /// Below the lightest known weight it is that of the lightest.
  /// The variance of noise and rounding is that of a single value, unless it is given in square grams.
  func error(of load: Load, noise: Double? = nil) -> Double? {
    guard !isEstimate else { return nil }
    let known = load.isDifference ? load.grams : max(load.grams, sensor.lightest)
    let variance = sensor.variance(of: load) + (noise ?? self.noise(at: load.grams))
    return FittedLaw.error(variance, weights: tolerance * known)
  }

  /// The variance of a single value at a load, in square grams.
  private func noise(at grams: Double) -> Double {
    let low = segment { $0.grams <= grams }
    let next = breakpoints.first { $0.grams > low.grams } ?? low
    return (max(low.noise, next.noise) / low.slope).squared
  }

  /// The error of an empty surface: noise, or if the zero was assumed nothing but rounding.
  var errorAtZero: Double? {
    isEstimate ? nil : FittedLaw.error(isZeroAssumed ? 0 : noise(at: 0))
  }

  /// The error that a variance in square grams and the error of the known weights make.
  static func error(_ variance: Double, weights: Double = 0) -> Double {
    (SensorError.coverageFactor.squared * variance + weights.squared + wireVariance).squareRoot()
  }

  var budget: [(cause: ErrorCause, grams: Double)] {
    ([(.noise, noise(at: sensor.heaviest))] + sensor.parts)
      .map { ($0.0, SensorError.coverageFactor * $0.1.squareRoot()) }
      + [(.weights, tolerance * sensor.heaviest)]
  }
}

// MARK: - What known weights show

extension FittedLaw {
  /// Adopts what the known weights of the calibration show: how far they are from the lines between their neighbors, how that
  /// depends on how hard a hand pressed them, and how they drifted at rest.
  private mutating func adopt(
    _ weights: ArraySlice<CalibrationPoint>, _ residuals: [CalibrationFit.Residual]
  ) {
    let drifts = weights.filter { $0.drift != nil }
    if !drifts.isEmpty {
      // A heavier weight shows it better.
      let sum = drifts.reduce(0) { $0 + $1.grams * ($1.drift ?? 0) * step(at: $1.grams) }
      sensor.adoptCreep(drift: sum / drifts.reduce(0) { $0 + $1.grams.squared })
    }
    if weights.allSatisfy({ $0.peak != nil }), !residuals.isEmpty {
      let descents = residuals.map { $0.excess(of: descent) }
      sensor.adoptUnloading(residuals.map(\.grams), descents: descents)
    }
    for residual in residuals {
      let (grams, tolerance) = (residual.point.grams, residual.point.tolerance)
      let other = uncertainty(of: grams, tolerance)
      sensor.adopt(residual.grams, of: Load(grams: grams), other: other)
    }
  }

  /// How far a weight had come down from what a hand pressed; 0 if unknown.
  private func descent(of point: CalibrationPoint) -> Double {
    point.peak.map { Load.descent(from: grams(raw: Double($0)), to: point.grams) } ?? 0
  }

  /// The variance of a known weight and of the rounding of its reading, in square grams.
  private func uncertainty(of grams: Double, _ tolerance: Double) -> Double {
    step(at: grams).squared * CalibrationPoint.roundingVariance
      + (tolerance * grams / SensorError.coverageFactor).squared
  }

  mutating func adopt(_ check: CalibrationCheck) {
    let other = uncertainty(of: check.grams, check.tolerance)
    sensor.adopt(check.deviation, of: check.load(calibratedAt: date), other: other)
  }

  /// Whether a check deviates by more than three standard deviations.
  func isContradicted(by check: CalibrationCheck) -> Bool {
    let variance = sensor.variance(of: check.load(calibratedAt: date))
    let other = uncertainty(of: check.grams, check.tolerance)
    return check.deviation.squared > 9 * (variance + other)
  }
}
