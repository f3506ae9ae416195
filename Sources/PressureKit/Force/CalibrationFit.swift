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
  public let checks: [CalibrationCheck]

  package private(set) var law: FittedLaw
  private let residuals: [Residual]

  /// The minimum number of known weights, besides zero.
  public static let minimumWeights = 2

  /// The maximum number of points.
  public static let maximumPoints = 32

  /// The maximum number of checks; newer ones replace the oldest.
  public static let maximumChecks = 32

  /// The minimum change of the sensor by the heaviest weight, as a fraction of its range.
  static let minimumChange = 0.01

  /// Fits points given in any order, with the checks of an earlier fit of them; unusable checks are ignored.
  ///
  /// - Throws: `CalibrationError` if the points do not make a calibration.
  public init(
    _ points: [CalibrationPoint], axis: Axis, checks: [CalibrationCheck] = [], date: Int64? = nil
  ) throws(CalibrationError) {
    let points = points.sorted { $0.grams < $1.grams }
    try CalibrationFit.check(points, axis)
    self.points = points
    self.axis = axis
    let merged = Set(points.map(\.grams)).sorted().map { grams in
      CalibrationPoint(mean: points.filter { $0.grams == grams })
    }
    for (low, high) in zip(merged, merged.dropFirst()) where high.raw <= low.raw {
      // A zero that was assumed is no measurement.
      if !low.isAssumed { throw .notRising(from: low.grams, to: high.grams) }
    }
    let measured = merged.filter { !$0.isAssumed }
    residuals = measured.indices.dropFirst().dropLast().map {
      Residual(low: measured[$0 - 1], point: measured[$0], high: measured[$0 + 1])
    }
    law = FittedLaw(merged, residuals, maximum: axis.maximum, date: date)
    self.checks = checks.filter(\.isUsable).suffix(CalibrationFit.maximumChecks)
    for check in self.checks { law.adopt(check) }
  }
}

// MARK: - Checks

extension CalibrationFit {
  /// When the points were measured, in seconds since 1970; nil if unknown.
  public var date: Int64? { law.date }

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

  /// Whether a check deviates by more than is assumed of this sensor, so that the calibration should be made anew.
  public func isContradicted(by check: CalibrationCheck) -> Bool { law.isContradicted(by: check) }
}

// MARK: - Quality

extension CalibrationFit {
  /// The shape of the law.
  public var shape: Shape { law.breakpoints.count > 2 ? .pieces : .line }

  /// The distance of each inner point from the straight line between its neighbors, in grams.
  public var pointResiduals: [(grams: Double, residual: Double)] {
    residuals.map { ($0.point.grams, $0.grams) }
  }

  /// The maximum distance of an inner point from the line between its neighbors, in grams.
  public var worstResidual: Double { worst?.grams.magnitude ?? 0 }

  /// The weight, in grams, of that point.
  public var worstResidualAt: Double { worst?.point.grams ?? heaviest }

  private var worst: Residual? { residuals.max { $0.grams.magnitude < $1.grams.magnitude } }

  /// The root mean square of the distances, in grams.
  public var rootMeanSquare: Double { meanSquare.squareRoot() }

  private var meanSquare: Double {
    residuals.reduce(0) { $0 + $1.grams.squared } / Double(max(residuals.count, 1))
  }

  /// The coefficient of determination R²: the fraction of the weights' variance that neighbors explain, at most 1.
  public var rSquared: Double {
    let number = Double(points.count)
    let mean = points.reduce(0) { $0 + $1.grams } / number
    let variance = points.reduce(0) { $0 + ($1.grams - mean).squared } / number
    return 1 - meanSquare / variance
  }

  /// The ends of the law's segments, in ascending order of weight.
  public var breakpoints: [(grams: Double, raw: Double)] {
    law.breakpoints.map { ($0.grams, $0.raw) }
  }

  /// The error in grams within which 95 % of readings lie in the center, at once and within the hour.
  public func error(atGrams grams: Double) -> Double? { law.error(of: Load(grams: grams)) }

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
    residuals.isEmpty || residuals.contains { $0.grams.magnitude > 0.03 * $0.point.grams }
  }
}

// MARK: - Fit

extension CalibrationFit {
  private static func check(
    _ points: [CalibrationPoint], _ axis: Axis
  ) throws(CalibrationError) {
    guard points.count <= maximumPoints else { throw .tooMany(limit: maximumPoints) }
    for point in points {
      guard point.isUsable else { throw .unusable(grams: point.grams) }
      guard point.greatest < axis.maximum else { throw .saturated(grams: point.grams) }
    }
    let weights = Set(points.filter { $0.grams > 0 }.map(\.grams)).count
    guard weights >= minimumWeights else { throw .tooFew(weights: weights) }
    guard let zero = points.first, zero.grams == 0, let heaviest = points.last else {
      throw .noZero
    }
    let change = heaviest.raw - zero.raw
    guard change > 0 else { throw .notRising(from: 0, to: heaviest.grams) }
    guard change >= minimumChange * Double(axis.span) else {
      let percent = (change / Double(axis.span) * 10_000).rounded(.down) / 100
      throw .littleChange(percent: percent)
    }
    guard !isClipped(points) else { throw .saturated(grams: heaviest.grams) }
  }

  /// Whether the heaviest weight's values do not vary although those of all others do.
  private static func isClipped(_ points: [CalibrationPoint]) -> Bool {
    guard let heaviest = points.last, heaviest.spread == 0, heaviest.count > 0 else { return false }
    let others = points.filter { $0.grams > 0 && $0.grams < heaviest.grams }
    return !others.isEmpty && others.allSatisfy { $0.noise >= CalibrationPoint.visibleNoise }
  }

  /// An inner point and its neighbors.
  struct Residual: Hashable, Sendable {
    let low: CalibrationPoint
    let point: CalibrationPoint
    let high: CalibrationPoint

    /// How far the point is from the straight line between its neighbors, in grams.
    var grams: Double { excess(of: \.raw) * (high.grams - low.grams) / (high.raw - low.raw) }

    /// How far a property of the point is above the line between those of its neighbors.
    func excess(of value: (CalibrationPoint) -> Double) -> Double {
      let part = (point.grams - low.grams) / (high.grams - low.grams)
      return value(point) - value(low) - part * (value(high) - value(low))
    }
  }
}
