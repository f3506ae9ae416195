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
