/// The straight line through points that leaves the least squares.
///
///     raw = intercept + slope × grams
///
/// The known weights are exact and the sensor is not, so it is the raw values that are fitted.
struct StraightLine: Hashable, Sendable {
  let intercept: Double
  let slope: Double

  /// How many points it is through.
  let count: Int

  /// The middle of the weights, and the sum of their squares about it.
  let middle: Double
  let squares: Double

  /// Makes the line; the weights of the points must differ.
  init(_ points: some Collection<CalibrationPoint>) {
    count = points.count
    let middle = points.reduce(0) { $0 + $1.grams } / Double(points.count)
    let height = points.reduce(0) { $0 + $1.raw } / Double(points.count)
    var squares = 0.0
    var products = 0.0
    for point in points {
      squares += (point.grams - middle) * (point.grams - middle)
      products += (point.grams - middle) * (point.raw - height)
    }
    self.middle = middle
    self.squares = squares
    slope = products / squares
    intercept = height - slope * middle
  }

  func raw(at grams: Double) -> Double { intercept + slope * grams }

  func grams(at raw: Double) -> Double { (raw - intercept) / slope }

  /// How far a point lies above it, in raw units.
  func residual(_ point: CalibrationPoint) -> Double { point.raw - raw(at: point.grams) }

  /// The part of a point's variance that the line has at a weight: small amid the points, growing beyond.
  func leverage(at grams: Double) -> Double {
    1 / Double(count) + (grams - middle) * (grams - middle) / squares
  }
}

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

/// The part of points that no straight line explains and a parabola does.
///
/// Orthogonal to the line, so that its height changes nothing of the line.
struct Parabola: Hashable, Sendable {
  private let middle: Double
  private let skew: Double
  private let level: Double

  /// The sum of the squares of its shape at the points.
  let squares: Double

  /// What the points scatter about it, in units squared for each degree of freedom; 0 where none is left.
  private(set) var scatter = 0.0

  init(_ line: StraightLine, _ points: [CalibrationPoint]) {
    middle = line.middle
    let cubes = points.reduce(0) { sum, point in
      let distance = point.grams - line.middle
      return sum + distance * distance * distance
    }
    skew = cubes / line.squares
    level = line.squares / Double(points.count)
    var (squares, products) = (0.0, 0.0)
    for point in points {
      let shape = Parabola.shape(point.grams - middle, skew, level)
      squares += shape * shape
      products += shape * line.residual(point)
    }
    self.squares = squares
    guard points.count > 3 else { return }
    let height = products / squares
    let left = points.reduce(0) { sum, point in
      let rest = line.residual(point) - height * shape(at: point.grams)
      return sum + rest * rest
    }
    scatter = left.scatter(freedom: points.count - 3)
  }

  /// Its shape at a weight: nothing of it is constant, and nothing rises.
  func shape(at grams: Double) -> Double { Parabola.shape(grams - middle, skew, level) }

  private static func shape(_ distance: Double, _ skew: Double, _ level: Double) -> Double {
    distance * distance - skew * distance - level
  }
}

extension Double {
  /// The variance that a sum of squares speaks for; where few are left over, it may be by chance too small.
  func scatter(freedom: Int) -> Double { self / Double(freedom) * (1 + 2 / Double(freedom)) }
}
