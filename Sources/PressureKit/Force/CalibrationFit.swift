/// A law fitted to the empty surface and known weights, the checks of it, and its quality.
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
  public private(set) var checks: [CalibrationCheck] = []

  package private(set) var law: FittedLaw

  /// The distance of each inner point from the straight line between its neighbors, in grams.
  public let pointResiduals: [(grams: Double, residual: Double)]

  /// The minimum number of known weights, besides zero.
  public static let minimumWeights = 2

  /// The maximum number of points.
  public static let maximumPoints = 32

  /// The maximum number of checks; newer ones replace the oldest.
  public static let maximumChecks = 32

  /// The minimum change of the sensor by the heaviest weight, as a fraction of its range.
  static let minimumChange = 0.01

  /// Fits points given in any order.
  ///
  /// - Parameters:
  ///   - points: the points; those of older versions with another condition than a regular one become checks.
  ///   - axis: the range of the sensor.
  ///   - checks: the checks of an earlier fit of the same points; unusable ones are ignored.
  ///   - date: when the points were measured, in seconds since 1970; nil if unknown.
  /// - Throws: `CalibrationError` if the points do not make a calibration.
  public init(
    _ points: [CalibrationPoint], axis: Axis, checks: [CalibrationCheck] = [], date: Int64? = nil
  ) throws(CalibrationError) {
    let sorted = points.sorted { $0.grams < $1.grams }
    let regular = sorted.filter { $0.condition == .regular }
    try CalibrationFit.check(sorted, regular, axis)
    self.points = regular
    self.axis = axis
    let merged = regular.merged
    for (low, high) in zip(merged, merged.dropFirst()) where high.raw <= low.raw {
      // A zero that was assumed is no measurement.
      if !low.isAssumed { throw .notRising(from: low.grams, to: high.grams) }
    }
    pointResiduals = CalibrationFit.residuals(merged)
    law = FittedLaw(merged, pointResiduals.map(\.residual), maximum: axis.maximum)
    law.date = date
    var all = sorted.filter { $0.condition != .regular }
      .map { [law] in CalibrationCheck(evidence: $0, by: law) }
    all += checks.filter(\.isUsable)
    set(all)
  }

  private mutating func set(_ checks: [CalibrationCheck]) {
    self.checks = checks.suffix(CalibrationFit.maximumChecks)
    law.adopt(self.checks)
  }

  public static func == (left: CalibrationFit, right: CalibrationFit) -> Bool {
    left.points == right.points && left.axis == right.axis && left.checks == right.checks
      && left.date == right.date
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(points)
    hasher.combine(checks)
  }
}

// MARK: - Checks

extension CalibrationFit {
  /// When the points were measured, in seconds since 1970; nil if unknown.
  public var date: Int64? { law.date }

  /// The same calibration with another check.
  public func adding(_ check: CalibrationCheck) -> CalibrationFit {
    var fit = self
    if check.isUsable { fit.set(checks + [check]) }
    return fit
  }

  /// The same calibration without its last check; nil if there is none.
  public var withoutLastCheck: CalibrationFit? {
    guard !checks.isEmpty else { return nil }
    var fit = self
    fit.set(checks.dropLast())
    return fit
  }

  /// Whether a check deviates by more than is assumed of any sensor, so that the calibration should be made anew.
  public func isContradicted(by check: CalibrationCheck) -> Bool {
    law.deviation(of: check).magnitude > 3
  }
}

// MARK: - Quality

extension CalibrationFit {
  /// The shape of the law.
  public var shape: Shape { law.breakpoints.count > 2 ? .pieces : .line }

  /// The maximum distance of an inner point from the line between its neighbors, in grams.
  public var worstResidual: Double { worst?.residual.magnitude ?? 0 }

  /// The weight, in grams, of that point.
  public var worstResidualAt: Double { worst?.grams ?? heaviest }

  private var worst: (grams: Double, residual: Double)? {
    pointResiduals.max { $0.residual.magnitude < $1.residual.magnitude }
  }

  /// The root mean square of the distances, in grams.
  public var rootMeanSquare: Double { meanSquare.squareRoot() }

  private var meanSquare: Double {
    let squares = pointResiduals.reduce(0) { $0 + $1.residual * $1.residual }
    return squares / Double(max(pointResiduals.count, 1))
  }

  /// The coefficient of determination R²: the fraction of the weights' variance that neighbors explain, at most 1.
  public var rSquared: Double {
    let number = Double(points.count)
    let mean = points.reduce(0) { $0 + $1.grams } / number
    let variance = points.reduce(0) { $0 + ($1.grams - mean) * ($1.grams - mean) } / number
    return 1 - meanSquare / variance
  }

  /// The ends of the law's segments, in ascending order of weight.
  public var breakpoints: [(grams: Double, raw: Double)] {
    law.breakpoints.map { ($0.grams, $0.raw) }
  }

  /// The error in grams within which 95 % of readings lie in the center, at once and within the hour.
  public func error(atGrams grams: Double) -> Double? { law.error(of: grams, in: LoadConditions()) }

  /// The maximum `error` of a reading between zero and the heaviest known weight, in grams.
  public var greatestError: Double {
    law.breakpoints.reduce(0) { max($0, error(atGrams: $1.grams) ?? 0) }
  }

  /// The heaviest known weight, in grams.
  public var heaviest: Double { points.last?.grams ?? 0 }

  /// The parts of the error of a reading of the heaviest weight, in grams, if each was the only one.
  public var budget: [(cause: ErrorCause, grams: Double)] { law.budget }

  /// Whether the points do not show that readings are proportional to weights, unlike those of an area.
  var isBent: Bool {
    let measured = points.merged.filter { !$0.isAssumed }
    guard measured.count > 2 else { return true }
    return CalibrationFit.residuals(measured).contains { $0.residual.magnitude > 0.03 * $0.grams }
  }
}

// MARK: - Fit

extension CalibrationFit {
  private static func check(
    _ points: [CalibrationPoint], _ regular: [CalibrationPoint], _ axis: Axis
  ) throws(CalibrationError) {
    guard points.count <= maximumPoints else { throw .tooMany(limit: maximumPoints) }
    for point in points {
      guard point.isUsable else { throw .unusable(grams: point.grams) }
      guard point.greatest < axis.maximum else { throw .saturated(grams: point.grams) }
    }
    let weights = Set(regular.filter { $0.grams > 0 }.map(\.grams)).count
    guard weights >= minimumWeights else { throw .tooFew(weights: weights) }
    guard let zero = regular.first, zero.grams == 0, let heaviest = regular.last else {
      throw .noZero
    }
    let change = heaviest.raw - zero.raw
    guard change > 0 else { throw .notRising(from: 0, to: heaviest.grams) }
    guard change >= minimumChange * Double(axis.span) else {
      let percent = (change / Double(axis.span) * 10_000).rounded(.down) / 100
      throw .littleChange(percent: percent)
    }
    guard !isClipped(regular) else { throw .saturated(grams: heaviest.grams) }
  }

  /// Whether the heaviest weight's values do not vary although those of all others do.
  private static func isClipped(_ points: [CalibrationPoint]) -> Bool {
    guard let heaviest = points.last, heaviest.spread == 0, heaviest.count > 0 else { return false }
    let others = points.filter { $0.grams > 0 && $0.grams < heaviest.grams }
    return !others.isEmpty && others.allSatisfy { $0.spread >= FittedLaw.visibleSpread }
  }

  private static func residuals(
    _ points: [CalibrationPoint]
  ) -> [(grams: Double, residual: Double)] {
    guard points.count > 2 else { return [] }
    return (1..<points.count - 1).map { index in
      let (low, point, high) = (points[index - 1], points[index], points[index + 1])
      let slope = (high.raw - low.raw) / (high.grams - low.grams)
      return (point.grams, (point.raw - low.raw) / slope + low.grams - point.grams)
    }
  }
}

extension FittedLaw {
  /// The standard deviation, in units, of values that do not stay the same for a second.
  static let visibleSpread = 0.25

  /// The number of values whose mean is less uncertain than one of them.
  private static let reliableCount = 8

  /// The law through points, and how far the inner ones are from the lines between their neighbors.
  fileprivate init(_ points: [CalibrationPoint], _ residuals: [Double], maximum: Int32) {
    var breakpoints = points.map { Breakpoint(grams: $0.grams, raw: $0.raw, noise: $0.noise) }
    // An empty surface may send nothing, or a single value.
    breakpoints[0].noise = max(breakpoints[0].noise, breakpoints[1].noise)
    if points[0].isAssumed {
      // The sensor may begin with an offset, or only above some weight: the first weights' line leads to zero.
      let (first, next) = (breakpoints[1], breakpoints[2])
      breakpoints[0].raw =
        first.raw - (next.raw - first.raw) / (next.grams - first.grams) * first.grams
    }
    let greatest = residuals.reduce(0) { max($0, $1.magnitude) }
    for index in 0..<breakpoints.count - 1 {
      let (low, high) = (breakpoints[index], breakpoints[index + 1])
      breakpoints[index].slope = (high.raw - low.raw) / (high.grams - low.grams)
      let ends = [index - 1, index].filter(residuals.indices.contains)
      let bow = ends.reduce(greatest / 2) { max($0, residuals[$1].magnitude) } / 2
      let rounding = CalibrationPoint.roundingVariance.squareRoot() / breakpoints[index].slope
      breakpoints[index].bow = (bow * bow + rounding * rounding).squareRoot()
    }
    if !points[0].isAssumed, points[0].count < FittedLaw.reliableCount {
      // The zero is as uncertain as a single value.
      breakpoints[0].bow += breakpoints[0].noise / breakpoints[0].slope
    }
    let last = breakpoints.count - 1
    (breakpoints[last].slope, breakpoints[last].bow) =
      (breakpoints[last - 1].slope, breakpoints[last - 1].bow)
    let weights = points.dropFirst()
    self.init(
      breakpoints, lightest: points[1].grams, heaviest: points[last].grams,
      isZeroAssumed: points[0].isAssumed,
      tolerance: weights.reduce(0) { $0 + $1.tolerance } / Double(weights.count), maximum: maximum)
  }
}

extension CalibrationCheck {
  /// A point of another condition, as version 0.2 stored them.
  fileprivate init(evidence point: CalibrationPoint, by law: FittedLaw) {
    self.init(
      grams: point.grams, shown: law.grams(raw: point.raw), tolerance: point.tolerance,
      place: point.condition == .corner ? 0.7 : 0, seconds: point.condition == .minute ? 60 : 0,
      heaviest: point.condition == .descending ? law.heaviest : 0)
  }
}
