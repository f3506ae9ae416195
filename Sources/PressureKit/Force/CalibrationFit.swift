/// A law fitted to the empty surface and known weights, and its quality.
public struct CalibrationFit: Hashable, Sendable {
  /// The shape of the law.
  public enum Shape: String, Sendable {
    /// One straight line.
    case line
    /// Straight segments from point to point.
    case pieces
  }

  /// The points in ascending order of weight.
  public let points: [CalibrationPoint]

  /// The axis range that the device declared during the calibration.
  public let axis: Axis

  /// The shape of the law.
  public let shape: Shape

  private let residuals: Residuals

  package let law: FittedLaw

  /// The minimum number of known weights, besides zero.
  public static let minimumWeights = 2

  /// The maximum number of points.
  public static let maximumPoints = 32

  /// The minimum change of the sensor by the heaviest weight, as a fraction of its range.
  static let minimumChange = 0.01

  /// Fits points given in any order.
  ///
  /// - Throws: `CalibrationError` if the points do not make a calibration.
  public init(_ points: [CalibrationPoint], axis: Axis) throws(CalibrationError) {
    let points = points.sorted { $0.grams < $1.grams }
    try CalibrationFit.check(points, axis)
    self.points = points
    self.axis = axis
    let line = StraightLine(points)
    let pieces = PiecewiseLine(points)
    let isBent =
      CalibrationFit.rejects(line, points) && CalibrationFit.predictsBetter(pieces, points)
    if isBent, let index = pieces.firstNonRising {
      throw .notRising(from: points[index].grams, to: points[index + 1].grams)
    }
    shape = isBent ? .pieces : .line
    residuals = isBent ? Residuals(pieces) : Residuals(line, points)
    law = isBent ? pieces.law(axis) : line.law(points, axis)
  }
}

/// The quality of the fit, in grams.
///
/// For a line, all points count. Segments pass through every point, so each inner point is compared with the value
/// interpolated between its neighbors.
extension CalibrationFit {
  /// The maximum distance of a point from the law, in grams.
  public var worstResidual: Double { residuals.worst }

  /// The weight, in grams, of the point with the maximum distance.
  public var worstResidualAt: Double { residuals.worstAt }

  /// The root mean square of the distances, in grams.
  public var rootMeanSquare: Double { residuals.rootMeanSquare }

  /// The coefficient of determination R²: the fraction of the weights' variance that the law explains, at most 1.
  public var rSquared: Double { residuals.rSquared }

  /// The ends of the law's segments, in ascending order of weight.
  public var breakpoints: [(grams: Double, raw: Double)] {
    law.breakpoints.map { ($0.grams, $0.raw) }
  }

  /// The residuals: the weight by the law minus the known weight, in grams.
  ///
  /// For a line, of every point; for segments, of the inner points, as interpolated between their neighbors.
  public var pointResiduals: [(grams: Double, residual: Double)] {
    switch shape {
    case .line: Residuals.of(StraightLine(points), points)
    case .pieces: Residuals.of(PiecewiseLine(points))
    }
  }

  /// The error in grams within which 95 % of readings lie; nil if the sensor is saturated at that weight.
  public func error(atGrams grams: Double) -> Double? { law.error(grams: grams) }

  /// The maximum `error` of a reading between zero and the heaviest known weight, in grams.
  public var greatestError: Double {
    guard let first = points.first, let last = points.last else { return 0 }
    let steps = 64
    return (0...steps).reduce(0) { greatest, step in
      let raw = first.raw + (last.raw - first.raw) * Double(step) / Double(steps)
      return max(greatest, law.error(raw: raw) ?? 0)
    }
  }
}

// MARK: - Validation

extension CalibrationFit {
  private static func check(_ points: [CalibrationPoint], _ axis: Axis) throws(CalibrationError) {
    guard points.count <= maximumPoints else { throw .tooMany(limit: maximumPoints) }
    for point in points {
      guard point.isUsable else { throw .unusable(grams: point.grams) }
      guard point.greatest < axis.maximum else { throw .saturated(grams: point.grams) }
    }
    for (light, heavy) in zip(points, points.dropFirst()) where light.grams == heavy.grams {
      throw .equal(grams: light.grams)
    }
    let weights = points.count { $0.grams > 0 }
    guard weights >= minimumWeights else { throw .tooFew(weights: weights) }
    guard let lightest = points.first, lightest.grams == 0 else { throw .noZero }
    try checkChange(points, axis)
  }

  private static func checkChange(
    _ points: [CalibrationPoint], _ axis: Axis
  ) throws(CalibrationError) {
    guard let lightest = points.first, let heaviest = points.last else { return }
    let change = heaviest.raw - lightest.raw
    guard change > 0, StraightLine(points).slope > 0 else {
      throw .notRising(from: lightest.grams, to: heaviest.grams)
    }
    guard change >= minimumChange * Double(axis.span) else {
      let percent = (change / Double(axis.span) * 10_000).rounded(.down) / 100
      throw .littleChange(percent: percent)
    }
  }
}

extension CalibrationPoint {
  fileprivate var isUsable: Bool {
    grams >= 0 && grams.isFinite && raw.isFinite && spread >= 0 && spread.isFinite && count > 0
  }
}

// MARK: - Line or segments

extension CalibrationFit {
  /// Whether the points lie farther from the line than their noise explains.
  ///
  /// The squared residuals, each divided by the variance of its mean, sum to a chi-square value if the sensor is
  /// linear. The limit is exceeded by one linear sensor in a hundred.
  private static func rejects(_ line: StraightLine, _ points: [CalibrationPoint]) -> Bool {
    let sum = points.reduce(0) { sum, point in
      sum + line.residual(point) * line.residual(point) / point.meanVariance
    }
    return sum > chiSquare(freedom: Double(points.count - 2))
  }

  /// The 99th percentile of chi-square, by the Wilson-Hilferty approximation.
  private static func chiSquare(freedom: Double) -> Double {
    let normal = 2.326
    let part = 2 / (9 * freedom)
    let root = 1 - part + normal * part.squareRoot()
    return freedom * root * root * root
  }

  /// Whether interpolation between neighbors predicts a left-out point better than a line through all others.
  ///
  /// A random error, such as that of a badly placed weight, is not a curve: the line then predicts better, as it is
  /// based on more points. With three points both are the same line.
  private static func predictsBetter(_ pieces: PiecewiseLine, _ points: [CalibrationPoint]) -> Bool
  {
    guard points.count > 3 else { return true }
    var (byPieces, byLine) = (0.0, 0.0)
    for index in 1..<points.count - 1 {
      var others = points
      others.remove(at: index)
      let deviation = StraightLine(others).residual(points[index])
      byLine += deviation * deviation
      byPieces += pieces.deviation(index) * pieces.deviation(index)
    }
    return byPieces < byLine
  }
}

/// A known weight and the sensor's values for it.
public struct CalibrationPoint: Hashable, Sendable {
  /// The known weight in grams; 0 for the empty surface.
  public var grams: Double

  /// The mean of the sensor's values.
  public var raw: Double

  /// The standard deviation of the values.
  public var spread: Double

  /// The number of values.
  public var count: Int

  /// The maximum value, which shows whether the sensor was saturated.
  public var greatest: Int32

  /// Creates a point; a fit checks it.
  ///
  /// - Parameters:
  ///   - grams: the known weight, 0 or more.
  ///   - raw: the mean of the sensor's values, in units of its axis.
  ///   - spread: their standard deviation, 0 or more.
  ///   - count: their number, at least 1.
  ///   - greatest: the maximum of them.
  public init(grams: Double, raw: Double, spread: Double, count: Int, greatest: Int32) {
    self.grams = grams
    self.raw = raw
    self.spread = spread
    self.count = count
    self.greatest = greatest
  }
}

extension CalibrationPoint {
  /// The variance of rounding to integers, a uniform distribution of width 1.
  static let roundingVariance = 1.0 / 12

  /// The standard deviation of one value: the spread, and rounding, which the spread may not show.
  var noise: Double { (spread * spread + CalibrationPoint.roundingVariance).squareRoot() }

  /// The variance of the mean; rounding does not average out if nothing else varies the value.
  var meanVariance: Double {
    spread * spread / Double(max(count, 1)) + CalibrationPoint.roundingVariance
  }
}

/// The residuals of points from a law, in grams.
struct Residuals: Hashable, Sendable {
  /// The maximum and the weight at which it occurs.
  var worst = 0.0
  var worstAt = 0.0

  /// The root mean square.
  let rootMeanSquare: Double

  /// The fraction of the weights' variance that the law explains, at most 1.
  let rSquared: Double

  init(_ line: StraightLine, _ points: [CalibrationPoint]) {
    self.init(Residuals.of(line, points), all: points)
  }

  init(_ pieces: PiecewiseLine) {
    self.init(Residuals.of(pieces), all: pieces.points)
  }

  /// The distance of each point from a line, in grams.
  static func of(
    _ line: StraightLine, _ points: [CalibrationPoint]
  ) -> [(grams: Double, residual: Double)] {
    points.map { ($0.grams, line.residual($0) / line.slope) }
  }

  /// The distance of each inner point from the interpolation between its neighbors, in grams.
  static func of(_ pieces: PiecewiseLine) -> [(grams: Double, residual: Double)] {
    let points = pieces.points
    return (1..<points.count - 1).map { index in
      let (low, high) = (points[index - 1], points[index + 1])
      let slope = (high.raw - low.raw) / (high.grams - low.grams)
      return (points[index].grams, pieces.deviation(index) / slope)
    }
  }

  private init(_ residuals: [(grams: Double, residual: Double)], all points: [CalibrationPoint]) {
    var squares = 0.0
    for (grams, residual) in residuals {
      squares += residual * residual
      if residual.magnitude > worst { (worst, worstAt) = (residual.magnitude, grams) }
    }
    let mean = points.reduce(0) { $0 + $1.grams } / Double(points.count)
    let variance =
      points.reduce(0) { $0 + ($1.grams - mean) * ($1.grams - mean) } / Double(points.count)
    rootMeanSquare = (squares / Double(residuals.count)).squareRoot()
    rSquared = 1 - squares / Double(residuals.count) / variance
  }
}
