/// How far points lie from a law, in grams.
struct Residuals: Hashable, Sendable {
  /// The greatest, with the weight that it is of.
  var worst = 0.0
  var worstAt = 0.0

  /// The root of the mean of the squares.
  let rootMeanSquare: Double

  /// The part of the weights' variance that the law explains, at most 1.
  let determination: Double

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
      return (points[index].grams, pieces.miss(index) / slope)
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
    determination = 1 - squares / Double(residuals.count) / variance
  }
}
