/// A law fitted to the empty surface and known weights, and its quality.
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

  /// The shape of the law.
  public let shape: Shape

  /// The points that determine the law: regular ones, without a zero that was assumed and that the weights contradict.
  private let fitted: [CalibrationPoint]

  private let residuals: Residuals

  package let law: FittedLaw

  /// The minimum number of known weights, besides zero.
  public static let minimumWeights = 2

  /// The maximum number of points.
  public static let maximumPoints = 32

  /// The minimum change of the sensor by the heaviest weight, as a fraction of its range.
  static let minimumChange = 0.01

  /// The maximum error of a new calibration, as a fraction of the heaviest weight.
  static let maximumError = 0.25

  /// Fits points given in any order.
  ///
  /// - Throws: `CalibrationError` if the points do not make a calibration.
  public init(_ points: [CalibrationPoint], axis: Axis) throws(CalibrationError) {
    try self.init(points, axis: axis, scatter: nil)
  }

  /// Fits points, with another uncertainty in place of the one that they show.
  init(
    _ points: [CalibrationPoint], axis: Axis, scatter: RelativeUncertainty?
  ) throws(CalibrationError) {
    let points = points.sorted { $0.grams < $1.grams }
    try CalibrationFit.check(points, axis)
    self.points = points
    self.axis = axis
    let fitted = try CalibrationFit.withoutContradictedZero(points.filter(\.isRegular))
    self.fitted = fitted
    let line = StraightLine(fitted)
    let merged = fitted.merged
    let pieces = PiecewiseLine(merged)
    let isBent =
      merged.count > 2 && CalibrationFit.rejects(line, fitted)
      && CalibrationFit.predictsBetter(pieces, merged)
    if isBent, let index = pieces.slopes.firstIndex(where: { $0 <= 0 }) {
      throw .notRising(from: merged[index].grams, to: merged[index + 1].grams)
    }
    shape = isBent ? .pieces : .line
    residuals = isBent ? Residuals(pieces) : Residuals(line, fitted)
    var law = isBent ? pieces.law(axis) : line.law(fitted, axis)
    if points.contains(where: \.isAssumed) {
      law.lightest = points.first { $0.grams > 0 && $0.isRegular }?.grams ?? 0
    }
    law.relative = scatter ?? RelativeUncertainty(points, by: law)
    self.law = law
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
  /// For a line, of every point that determines it; for segments, of the inner points, as interpolated between their
  /// neighbors.
  public var pointResiduals: [(grams: Double, residual: Double)] {
    switch shape {
    case .line: Residuals.of(StraightLine(fitted), fitted)
    case .pieces: Residuals.of(PiecewiseLine(fitted.merged))
    }
  }

  /// The error in grams within which 95 % of readings lie; nil below the lightest weight if the zero is assumed, and if
  /// the sensor is saturated at that weight.
  public func error(atGrams grams: Double) -> Double? { law.error(grams: grams) }

  /// The maximum `error` of a reading between zero and the heaviest known weight, in grams.
  public var greatestError: Double {
    guard let first = points.first, let last = points.last else { return 0 }
    let steps = 64
    return (0...steps).reduce(0) { greatest, step in
      let grams = first.grams + (last.grams - first.grams) * Double(step) / Double(steps)
      return max(greatest, law.error(grams: grams) ?? 0)
    }
  }

  /// The heaviest known weight, in grams.
  public var heaviest: Double { points.last?.grams ?? 0 }

  /// The parts of the error of a reading of the heaviest weight, in grams; their squares add up to that of the error.
  public var budget: [(cause: ErrorCause, grams: Double)] { law.budget(grams: heaviest) }
}

// MARK: - Validation

extension CalibrationFit {
  private static func check(_ points: [CalibrationPoint], _ axis: Axis) throws(CalibrationError) {
    guard points.count <= maximumPoints else { throw .tooMany(limit: maximumPoints) }
    for point in points {
      guard point.isUsable else { throw .unusable(grams: point.grams) }
      guard point.greatest < axis.maximum else { throw .saturated(grams: point.grams) }
    }
    let weights = Set(points.filter { $0.isRegular && $0.grams > 0 }.map(\.grams)).count
    guard weights >= minimumWeights else { throw .tooFew(weights: weights) }
    guard let lightest = points.first, lightest.grams == 0 else { throw .noZero }
    try checkChange(points.filter(\.isRegular), axis)
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

  func checkError() throws(CalibrationError) {
    let part = greatestError / heaviest
    guard part <= CalibrationFit.maximumError else {
      throw .uncertain(percent: (part * 100).rounded(.up))
    }
  }

  /// A sensor that sends nothing on an empty surface may begin with an offset, or only above some weight.
  private static func withoutContradictedZero(
    _ points: [CalibrationPoint]
  ) throws(CalibrationError) -> [CalibrationPoint] {
    guard let zero = points.first, zero.isAssumed else { return points }
    let weights = Array(points.dropFirst())
    let line = StraightLine(weights)
    let lightest = weights[0]
    let placement = lightest.tolerance * lightest.grams * line.slope
    let noise = weights.reduce(0) { $0 + $1.meanVariance } / Double(weights.count)
    let freedom = weights.count - 2
    let squares = weights.reduce(0) { $0 + line.residual($1) * line.residual($1) }
    let variance = freedom > 0 ? max(noise, squares.scatter(freedom: freedom)) : noise
    let limit = 3 * ((1 + line.leverage(at: 0)) * variance + placement * placement).squareRoot()
    guard line.residual(zero).magnitude > limit else { return points }
    guard line.slope > 0 else {
      throw .notRising(from: lightest.grams, to: weights[weights.count - 1].grams)
    }
    guard Set(weights.map(\.grams)).count > 2 else { throw .zeroContradicted(raw: zero.raw) }
    return weights
  }
}

// MARK: - Line or segments

extension CalibrationFit {
  /// Whether the points lie farther from the line than their noise explains.
  ///
  /// The squared residuals, each divided by the variance of its mean, sum to a chi-square value if the sensor is
  /// linear. The limit is exceeded by one linear sensor in a hundred. How well a weight is repeated counts as noise.
  private static func rejects(_ line: StraightLine, _ points: [CalibrationPoint]) -> Bool {
    let repeats = points.repeats
    let repetition = repeats.freedom > 0 ? repeats.squares / Double(repeats.freedom) : 0
    let sum = points.reduce(0) { sum, point in
      let variance = max(point.meanVariance, repetition)
      return sum + line.residual(point) * line.residual(point) / variance
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

struct Residuals: Hashable, Sendable {
  /// The maximum and the weight at which it occurs.
  var worst = 0.0
  var worstAt = 0.0
  let rootMeanSquare: Double
  let rSquared: Double

  init(_ line: StraightLine, _ points: [CalibrationPoint]) {
    self.init(Residuals.of(line, points), all: points)
  }

  init(_ pieces: PiecewiseLine) {
    self.init(Residuals.of(pieces), all: pieces.points)
  }

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
