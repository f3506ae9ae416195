/// A law fitted to the empty surface and known weights, the checks of it, and its quality.
///
/// It consists of straight segments between the weights, and has the error of what they read:
///
///     error² = (2.2 × deviation of the sensor)² + (2.2 × noise)² + (tolerance of the weights)²
///
/// `SensorError` has the deviations of the sensor.
public struct CalibrationFit: Hashable, Sendable {
  /// The shape of the law.
  public enum Shape: String, CaseIterable, Sendable {
    /// One straight line.
    case line
    /// Straight segments from point to point.
    case pieces
  }

  /// The points in ascending order of weight.
  public let points: [CalibrationPoint]

  /// The axis range that the device declared during the calibration.
  public let axis: Axis

  /// Known weights that were weighed with the law since, the oldest first.
  public let checks: [CalibrationCheck]

  /// When the points were measured, in seconds since 1970; nil if unknown.
  public let date: Int64?

  /// The ends of the law's segments in ascending order of weight: the means of the points of each weight.
  public let breakpoints: [CalibrationPoint]

  /// The tolerance of the known weights, as a fraction.
  private let tolerance: Double

  /// The errors of the sensor, with what the known weights have shown.
  private(set) var sensor: SensorError

  /// Whether readings have no error, as they depend on more than the load; see `Surface.isEstimate`.
  var isEstimate = false

  /// The minimum number of known weights, besides zero.
  public static let minimumWeights = 2

  /// The maximum number of points.
  public static let maximumPoints = 32

  /// The maximum number of checks; newer ones replace the oldest.
  public static let maximumChecks = 32

  /// The minimum change of the sensor by the heaviest weight, as a fraction of its range.
  static let minimumChange = 0.01

  /// How much heavier than the heaviest known weight a load may be; OIML R 76 permits about as much.
  private static let reach = 1.05

  /// The square of the error of rounding to 0.1 g, a uniform distribution, as on the wire.
  static let wireVariance = 0.05 * 0.05

  /// Fits points given in any order, with the checks of an earlier fit of them; unusable checks are ignored.
  ///
  /// - Throws: `CalibrationError` if the points do not make a calibration.
  public init(
    _ points: [CalibrationPoint], axis: Axis, checks: [CalibrationCheck] = [], date: Int64? = nil
  ) throws(CalibrationError) {
    let points = points.sorted { $0.grams < $1.grams }
    breakpoints = try CalibrationFit.breakpoints(of: points, axis)
    (self.points, self.axis, self.date) = (points, axis, date)
    self.checks = checks.filter(\.isUsable).suffix(CalibrationFit.maximumChecks)
    let weights = breakpoints.dropFirst()
    tolerance = weights.reduce(0) { $0 + $1.tolerance } / Double(weights.count)
    sensor = SensorError(lightest: breakpoints[1].grams, heaviest: breakpoints[weights.count].grams)
    adoptWeights()
    for check in self.checks {
      adopt(check.deviation, of: check.load(calibratedAt: date), check.tolerance)
    }
  }

  // MARK: - Fit

  /// The means of the points of each weight, which must make a calibration.
  private static func breakpoints(
    of points: [CalibrationPoint], _ axis: Axis
  ) throws(CalibrationError) -> [CalibrationPoint] {
    guard points.count <= maximumPoints else { throw .tooMany(limit: maximumPoints) }
    for point in points {
      guard point.isUsable else { throw .unusable(grams: point.grams) }
      guard point.greatest < axis.maximum else { throw .saturated(grams: point.grams) }
    }
    var merged = Set(points.map(\.grams)).sorted().map { grams in
      CalibrationPoint(mean: points.filter { $0.grams == grams })
    }
    let weights = merged.count { $0.grams > 0 }
    guard weights >= minimumWeights else { throw .tooFew(weights: weights) }
    let (zero, heaviest) = (points[0], points[points.count - 1])
    guard zero.grams == 0 else { throw .noZero }
    let change = heaviest.raw - zero.raw
    guard change > 0 else { throw .notRising(from: 0, to: heaviest.grams) }
    guard change >= minimumChange * Double(axis.span) else {
      let percent = (change / Double(axis.span) * 10_000).rounded(.down) / 100
      throw .littleChange(percent: percent)
    }
    // A sensor clips if the heaviest weight's values do not vary although those of all others do.
    let others = points.filter { $0.grams > 0 && $0.grams < heaviest.grams }
    guard heaviest.spread > 0 || !others.allSatisfy(\.isNoiseVisible) else {
      throw .saturated(grams: heaviest.grams)
    }
    // A zero that was assumed is no measurement.
    for (low, high) in zip(merged, merged.dropFirst()) where high.raw <= low.raw && !low.isAssumed {
      throw .notRising(from: low.grams, to: high.grams)
    }
    let (first, next) = (merged[1], merged[2])
    // An empty surface may send nothing, or a single value.
    merged[0].spread = max(merged[0].spread, first.spread)
    if merged[0].isAssumed {
      // The sensor may begin with an offset, or only above some weight: the first weights' line leads to zero.
      let slope = (next.raw - first.raw) / (next.grams - first.grams)
      merged[0].raw = first.raw - slope * first.grams
    }
    return merged
  }

  /// The same calibration with another check; a new fit, as that forgets the oldest.
  public func adding(_ check: CalibrationCheck) -> CalibrationFit {
    with(checks + [check]) ?? self
  }

  /// The same calibration without its last check; nil if there is none.
  public var withoutLastCheck: CalibrationFit? {
    checks.isEmpty ? nil : with(checks.dropLast())
  }

  private func with(_ checks: [CalibrationCheck]) -> CalibrationFit? {
    try? CalibrationFit(points, axis: axis, checks: checks, date: date)
  }

  // MARK: - Quality

  /// The shape of the law.
  public var shape: Shape { breakpoints.count > 2 ? .pieces : .line }

  /// The inner points whose neighbors were measured, too.
  private var inner: Range<Int> { (isZeroAssumed ? 2 : 1)..<breakpoints.count - 1 }

  /// How far a property of an inner point is above the line between those of its neighbors.
  private func excess(_ index: Int, of value: (CalibrationPoint) -> Double) -> Double {
    let (low, point, high) = (breakpoints[index - 1], breakpoints[index], breakpoints[index + 1])
    let part = (point.grams - low.grams) / (high.grams - low.grams)
    return value(point) - value(low) - part * (value(high) - value(low))
  }

  /// The distance of each inner point from the straight line between its neighbors, in grams.
  public var pointResiduals: [(grams: Double, residual: Double)] {
    inner.map { index in
      let (low, high) = (breakpoints[index - 1], breakpoints[index + 1])
      let residual = excess(index, of: \.raw) * (high.grams - low.grams) / (high.raw - low.raw)
      return (breakpoints[index].grams, residual)
    }
  }

  /// The maximum distance of an inner point from the line between its neighbors, in grams.
  public var worstResidual: Double { worst.residual.magnitude }

  /// The weight, in grams, of that point.
  public var worstResidualAt: Double { worst.grams }

  private var worst: (grams: Double, residual: Double) {
    pointResiduals.max { $0.residual.magnitude < $1.residual.magnitude } ?? (heaviest, 0)
  }

  /// The root mean square of the distances, in grams.
  public var rootMeanSquare: Double {
    let squares = pointResiduals.reduce(0) { $0 + $1.residual.squared }
    return (squares / Double(max(inner.count, 1))).squareRoot()
  }

  /// The coefficient of determination R²: the fraction of the weights' variance that neighbors explain, at most 1.
  public var rSquared: Double {
    let number = Double(points.count)
    let mean = points.reduce(0) { $0 + $1.grams } / number
    let variance = points.reduce(0) { $0 + ($1.grams - mean).squared } / number
    return 1 - rootMeanSquare.squared / variance
  }

  /// The error in grams within which 95 % of readings lie in the center, at once and within the hour.
  public func error(atGrams grams: Double) -> Double? { error(of: Load(grams: grams)) }

  /// The maximum `error` of a reading between zero and the heaviest known weight, in grams.
  public var greatestError: Double {
    breakpoints.reduce(0) { max($0, error(atGrams: $1.grams) ?? 0) }
  }

  /// The heaviest known weight, in grams.
  public var heaviest: Double { sensor.heaviest }

  /// The parts of the error of a reading of the heaviest weight, in grams, if each was the only one.
  public var budget: [(cause: ErrorCause, grams: Double)] {
    ([(.noise, noise(at: heaviest))] + sensor.parts)
      .map { ($0.0, SensorError.coverageFactor * $0.1.squareRoot()) }
      + [(.weights, tolerance * heaviest)]
  }

  /// Whether the points do not show that readings are proportional to weights, unlike those of an area.
  var isBent: Bool {
    inner.isEmpty || pointResiduals.contains { $0.residual.magnitude > 0.03 * $0.grams }
  }

  // MARK: - Conversion

  /// Whether the zero was assumed, because the sensor sends nothing on an empty surface.
  var isZeroAssumed: Bool { breakpoints[0].isAssumed }

  /// The start of the segment that contains a value; the outer segments extend without limit.
  private func segment(_ contains: (CalibrationPoint) -> Bool) -> Int {
    breakpoints.dropLast().lastIndex(where: contains) ?? 0
  }

  /// Grams per unit in a segment.
  private func step(_ segment: Int) -> Double {
    let (low, high) = (breakpoints[segment], breakpoints[segment + 1])
    return (high.grams - low.grams) / (high.raw - low.raw)
  }

  /// Grams of a raw value; not below zero if that was assumed, as a silent surface weighs nothing.
  package func grams(raw: Double) -> Double {
    let segment = segment { $0.raw <= raw }
    let grams = breakpoints[segment].grams + (raw - breakpoints[segment].raw) * step(segment)
    return isZeroAssumed ? max(grams, 0) : grams
  }

  func weight(raw: Int32) -> Weight {
    let grams = grams(raw: Double(raw))
    let isKnown = raw < axis.maximum && !isBeyondReach(raw: raw)
    return Weight(grams: grams, error: isKnown ? error(of: .unfavorable(grams)) : nil)
  }

  func isBeyondReach(raw: Int32) -> Bool {
    grams(raw: Double(raw)) > CalibrationFit.reach * heaviest
  }

  /// Grams per unit at a load, and where that is largest.
  func step(at grams: Double) -> Double { step(segment { $0.grams <= grams }) }

  var greatestStep: Double { breakpoints.indices.dropLast().reduce(0) { max($0, step($1)) } }

  /// The variance of a single value at a load, in square grams.
  private func noise(at grams: Double) -> Double {
    let segment = segment { $0.grams <= grams }
    return max(variance(of: segment, in: segment), variance(of: segment + 1, in: segment))
  }

  private func variance(of point: Int, in segment: Int) -> Double {
    (breakpoints[point].spread.squared + CalibrationPoint.roundingVariance) * step(segment).squared
  }

  /// The standard deviation of one value, where that is largest, in grams.
  var greatestNoise: Double {
    breakpoints.indices.reduce(0) { max($0, variance(of: $1, in: min($1, breakpoints.count - 2))) }
      .squareRoot()
  }

  // MARK: - Errors

  /// The error within which 95 % of readings of a load lie, in grams; nil for an estimate.
  ///
  /// Below the lightest known weight it is that of the lightest.
  /// The variance of noise and rounding is that of a single value, unless it is given in square grams.
  func error(of load: Load, noise: Double? = nil) -> Double? {
    guard !isEstimate else { return nil }
    let known = load.isDifference ? load.grams : max(load.grams, sensor.lightest)
    let variance = sensor.variance(of: load) + (noise ?? self.noise(at: load.grams))
    return CalibrationFit.error(variance, weights: tolerance * known)
  }

  /// The error of an empty surface: noise, or if the zero was assumed nothing but rounding.
  var errorAtZero: Double? {
    isEstimate ? nil : CalibrationFit.error(isZeroAssumed ? 0 : noise(at: 0))
  }

  /// The error that a variance in square grams and the error of the known weights make.
  static func error(_ variance: Double, weights: Double = 0) -> Double {
    (SensorError.coverageFactor.squared * variance + weights.squared + wireVariance).squareRoot()
  }

  /// Adopts what the known weights of the calibration show: how far they are from the lines between their neighbors, how that
  /// depends on how hard a hand pressed them, and how they drifted at rest.
  private mutating func adoptWeights() {
    let (weights, residuals) = (breakpoints.dropFirst(), pointResiduals)
    let drifts = weights.filter { $0.drift != nil }
    if !drifts.isEmpty {
      // A heavier weight shows it better.
      let sum = drifts.reduce(0) { $0 + $1.grams * ($1.drift ?? 0) * step(at: $1.grams) }
      sensor.adoptCreep(drift: sum / drifts.reduce(0) { $0 + $1.grams.squared })
    }
    if weights.allSatisfy({ $0.peak != nil }), !residuals.isEmpty {
      let descents = inner.map { excess($0, of: descent) }
      sensor.adoptUnloading(residuals.map(\.residual), descents: descents)
    }
    for (index, residual) in zip(inner, residuals) {
      adopt(residual.residual, of: Load(grams: residual.grams), breakpoints[index].tolerance)
    }
  }

  /// How far a weight had come down from what a hand pressed; 0 if unknown.
  private func descent(of point: CalibrationPoint) -> Double {
    point.peak.map { Load.descent(from: grams(raw: Double($0)), to: point.grams) } ?? 0
  }

  /// Adopts by how many grams the reading of a known weight deviates.
  private mutating func adopt(_ deviation: Double, of load: Load, _ tolerance: Double) {
    sensor.adopt(deviation, of: load, other: uncertainty(of: load.grams, tolerance))
  }

  /// The variance of a known weight and of the rounding of its reading, in square grams.
  private func uncertainty(of grams: Double, _ tolerance: Double) -> Double {
    step(at: grams).squared * CalibrationPoint.roundingVariance
      + (tolerance * grams / SensorError.coverageFactor).squared
  }

  /// Whether a check deviates by more than is assumed of this sensor, so that the calibration should be made anew: by more than
  /// three standard deviations.
  public func isContradicted(by check: CalibrationCheck) -> Bool {
    let variance = sensor.variance(of: check.load(calibratedAt: date))
    return check.deviation.squared > 9 * (variance + uncertainty(of: check.grams, check.tolerance))
  }
}
