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
