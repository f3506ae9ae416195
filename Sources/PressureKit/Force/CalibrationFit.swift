/// What zero and known weights teach of a sensor: the law, and how well it fits.
public struct CalibrationFit: Hashable, Sendable {
  /// What the law looks like.
  public enum Shape: String, Sendable {
    /// One straight line.
    case line
    /// Straight pieces from point to point.
    case pieces
  }

  /// The points from light to heavy.
  public let points: [CalibrationPoint]

  /// The range that the device declared when the weights were laid on.
  public let axis: Axis

  public let shape: Shape

  private let residuals: Residuals

  package let law: FittedLaw

  /// Zero and this many known weights make a fit.
  public static let minimumWeights = 2

  /// More points than anybody lays on.
  public static let maximumPoints = 32

  /// Parts of the range by which the heaviest weight must move the sensor.
  static let minimumChange = 0.01

  /// Fits points of any order, or says why they make no calibration.
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

/// How well it fits, in grams.
///
/// Of a line all points count. Pieces go through every point, so there each inner point is compared
/// with what its neighbors would have said of it, had it not been measured.
extension CalibrationFit {
  /// The greatest distance of a point from the law.
  public var worstResidual: Double { residuals.worst }

  /// The weight whose point that is.
  public var worstResidualAt: Double { residuals.worstAt }

  /// The root of the mean of the distances' squares.
  public var rootMeanSquare: Double { residuals.rootMeanSquare }

  /// The part of the weights' variance that the law explains, at most 1.
  ///
  /// Statistics call it R².
  public var rSquared: Double { residuals.rSquared }

  /// The ends of the law's straight pieces, from light to heavy.
  public var breakpoints: [(grams: Double, raw: Double)] {
    law.breakpoints.map { ($0.grams, $0.raw) }
  }

  /// How far points lie from the law, in grams: what is read less what was laid on.
  ///
  /// Of a line every point; of pieces the inner ones, each from what its neighbors say of it.
  public var pointResiduals: [(grams: Double, residual: Double)] {
    switch shape {
    case .line: Residuals.of(StraightLine(points), points)
    case .pieces: Residuals.of(PiecewiseLine(points))
    }
  }

  /// Within how many grams of the truth 95 of 100 readings of a weight lie; nil at the sensor's end.
  public func error(atGrams grams: Double) -> Double? { law.error(grams: grams) }

  /// The greatest `error` of a reading from nothing to the heaviest known weight, in grams.
  public var greatestError: Double {
    guard let first = points.first, let last = points.last else { return 0 }
    let steps = 64
    return (0...steps).reduce(0) { greatest, step in
      let raw = first.raw + (last.raw - first.raw) * Double(step) / Double(steps)
      return max(greatest, law.error(raw: raw) ?? 0)
    }
  }
}

// MARK: - What is refused

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

// MARK: - Line or pieces

extension CalibrationFit {
  /// Whether the points lie farther from the line than their noise carries them.
  ///
  /// The squares of the residuals, each over the variance of its mean, sum up to chi-square where
  /// the sensor is straight. Above what one straight sensor in a hundred reaches, it is not.
  private static func rejects(_ line: StraightLine, _ points: [CalibrationPoint]) -> Bool {
    let sum = points.reduce(0) { sum, point in
      sum + line.residual(point) * line.residual(point) / point.meanVariance
    }
    return sum > chiSquare(freedom: Double(points.count - 2))
  }

  /// The 99th percentile of chi-square, by Wilson and Hilferty.
  private static func chiSquare(freedom: Double) -> Double {
    let normal = 2.326
    let part = 2 / (9 * freedom)
    let root = 1 - part + normal * part.squareRoot()
    return freedom * root * root * root
  }

  /// Whether its neighbors foretell a point that is left out better than the line through all others.
  ///
  /// Chance alone, as where a weight was laid on askew, bends no curve: there the line foretells
  /// better, as it is drawn by more points. With three points both are the same line.
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

/// A known weight, and what the sensor said of it.
public struct CalibrationPoint: Hashable, Sendable {
  /// What was laid on, 0 for nothing.
  public var grams: Double

  /// The mean of the sensor's values.
  public var raw: Double

  /// The standard deviation of the values.
  public var spread: Double

  /// How many values the mean is of.
  public var count: Int

  /// The greatest of the values, which shows whether the sensor was at its end.
  public var greatest: Int32

  public init(grams: Double, raw: Double, spread: Double, count: Int, greatest: Int32) {
    self.grams = grams
    self.raw = raw
    self.spread = spread
    self.count = count
    self.greatest = greatest
  }
}

extension CalibrationPoint {
  /// The variance of rounding to whole units, which is even over one of them.
  static let roundingVariance = 1.0 / 12

  /// How far one value strays from the truth: the spread, and rounding that no spread shows.
  var noise: Double { (spread * spread + CalibrationPoint.roundingVariance).squareRoot() }

  /// The variance of the mean; rounding does not average out where nothing else moves the value.
  var meanVariance: Double {
    spread * spread / Double(max(count, 1)) + CalibrationPoint.roundingVariance
  }
}

/// How far points lie from a law, in grams.
struct Residuals: Hashable, Sendable {
  /// The greatest, with the weight that it is of.
  var worst = 0.0
  var worstAt = 0.0

  /// The root of the mean of the squares.
  let rootMeanSquare: Double

  /// The part of the weights' variance that the law explains, at most 1.
  let rSquared: Double

  init(_ line: StraightLine, _ points: [CalibrationPoint]) {
    self.init(Residuals.of(line, points), all: points)
  }

  init(_ pieces: PiecewiseLine) {
    self.init(Residuals.of(pieces), all: pieces.points)
  }

  /// How far each point lies from a line, in grams.
  static func of(
    _ line: StraightLine, _ points: [CalibrationPoint]
  ) -> [(grams: Double, residual: Double)] {
    points.map { ($0.grams, line.residual($0) / line.slope) }
  }

  /// How far each inner point lies from what its neighbors would have said of it, in grams.
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
