/// How far the sensor may be from a straight line through points, though they do not forbid one.
package struct LineUncertainty: Hashable, Sendable {
  private let line: StraightLine

  /// The variance of a point about the line, in raw units squared.
  private let variance: Double

  /// What the points scatter beyond their own noise: the line's misfit, which readings share.
  private let misfit: Double

  /// The bend that the points leave possible.
  private let parabola: Parabola

  init(_ line: StraightLine, _ points: [CalibrationPoint]) {
    self.line = line
    let noise = points.reduce(0) { $0 + $1.meanVariance } / Double(points.count)
    let squares = points.reduce(0) { $0 + line.residual($1) * line.residual($1) }
    let scatter = squares.scatter(freedom: points.count - 2)
    variance = max(noise, scatter)
    misfit = max(0, scatter - noise)
    parabola = Parabola(line, points)
  }

  /// The variance of the line at a weight, in raw units squared.
  func variance(at grams: Double) -> Double {
    let shape = parabola.shape(at: grams)
    return variance * (line.leverage(at: grams) + shape * shape / parabola.squares) + misfit
  }
}
