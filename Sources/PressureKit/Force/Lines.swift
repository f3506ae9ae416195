/// The least-squares line through points.
///
///     raw = intercept + slope × grams
///
/// The known weights are exact and the sensor is not, so the residuals are those of the raw values.
struct StraightLine: Hashable, Sendable {
  let intercept: Double
  let slope: Double
  let count: Int

  /// The mean of the weights, and the sum of squared deviations from it.
  let middle: Double
  let squares: Double

  /// Fits the line; the points must not all have the same weight.
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

  /// The distance of a point above the line, in units.
  func residual(_ point: CalibrationPoint) -> Double { point.raw - raw(at: point.grams) }

  /// The variance of the line at a weight relative to that of a point: low between the points, increasing beyond.
  func leverage(at grams: Double) -> Double {
    1 / Double(count) + (grams - middle) * (grams - middle) / squares
  }
}

/// The uncertainty of a straight line through points that do not reject it.
package struct LineUncertainty: Hashable, Sendable {
  private let line: StraightLine

  /// The variance of a point about the line, in units squared.
  private let variance: Double

  /// The variance of the points beyond their noise: a misfit of the line that is common to all readings.
  private let misfit: Double

  private let parabola: Parabola

  init(_ line: StraightLine, _ points: [CalibrationPoint]) {
    self.line = line
    let noise = points.reduce(0) { $0 + $1.meanVariance } / Double(points.count)
    let squares = points.reduce(0) { $0 + line.residual($1) * line.residual($1) }
    // The noise is known from many values; what exceeds it, from as many residuals as the line leaves free.
    let freedom = points.count - 2
    let excess = max(0, squares / Double(freedom) - noise)
    let factor = StudentDistribution.factor(freedom: freedom) / FittedLaw.coverageFactor
    misfit = excess * max(1, factor * factor)
    variance = noise + misfit
    parabola = Parabola(line, points)
  }

  /// The variance of the line at a weight, in units squared.
  func variance(at grams: Double) -> Double {
    let shape = parabola.shape(at: grams)
    return variance * (line.leverage(at: grams) + shape * shape / parabola.squares) + misfit
  }
}

/// The component of points that a parabola explains and a straight line, to which it is orthogonal, does not.
struct Parabola: Hashable, Sendable {
  private let middle: Double
  private let skew: Double
  private let level: Double

  /// The sum of the squares of its shape at the points.
  let squares: Double

  /// The residual variance about it, in units squared per degree of freedom; 0 if there is none left.
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

  func shape(at grams: Double) -> Double { Parabola.shape(grams - middle, skew, level) }

  private static func shape(_ distance: Double, _ skew: Double, _ level: Double) -> Double {
    distance * distance - skew * distance - level
  }
}

extension Double {
  /// The variance estimated from a sum of squares, enlarged as few degrees of freedom may underestimate it.
  func scatter(freedom: Int) -> Double { self / Double(freedom) * (1 + 2 / Double(freedom)) }
}

enum StudentDistribution {
  private static let factors = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
  ]

  /// The number of estimated standard deviations within which 95 % of values lie.
  static func factor(freedom: Int) -> Double {
    guard freedom > 0 else { return .infinity }
    guard freedom > factors.count else { return factors[freedom - 1] }
    return 1.96 + 2.5 / Double(freedom)
  }
}

/// Straight segments from point to point, for a nonlinear sensor.
struct PiecewiseLine: Hashable, Sendable {
  /// In ascending order of weight, without equal weights.
  let points: [CalibrationPoint]

  /// Units per gram from each point to the next.
  let slopes: [Double]

  init(_ points: [CalibrationPoint]) {
    self.points = points
    slopes = zip(points, points.dropFirst()).map { ($1.raw - $0.raw) / ($1.grams - $0.grams) }
  }

  /// The distance of an inner point above the line through its neighbors, in units.
  func deviation(_ index: Int) -> Double {
    let (low, point, high) = (points[index - 1], points[index], points[index + 1])
    let slope = (high.raw - low.raw) / (high.grams - low.grams)
    return point.raw - (low.raw + slope * (point.grams - low.grams))
  }

  /// The curvature of the sensor around each inner point, in units per gram squared.
  private var curvatures: [Double] {
    (1..<points.count - 1).map { index in
      let width = points[index + 1].grams - points[index - 1].grams
      return (slopes[index] - slopes[index - 1]) / width
    }
  }

  /// The maximum curvature on each segment: the larger of both ends, extrapolated on the outer segments.
  private var greatestCurvatures: [Double] {
    let curvatures = curvatures.map(\.magnitude)
    let last = curvatures.count - 1
    var greatest = slopes.indices.map { max(curvatures[max($0 - 1, 0)], curvatures[min($0, last)]) }
    greatest[0] *= PiecewiseLine.growth(
      curvatures[0], from: curvatures.count > 1 ? curvatures[1] : nil)
    greatest[last + 1] *= PiecewiseLine.growth(
      curvatures[last], from: curvatures.count > 1 ? curvatures[last - 1] : nil)
    return greatest
  }

  // Contact areas grow with the weight to the power of 2/3, and other sensors saturate: both bend most at one end,
  // by a similar factor from point to point. The square root is the factor for half a segment, its middle.
  private static func growth(_ curvature: Double, from inner: Double?) -> Double {
    guard let inner else { return 1.6 }
    guard curvature > inner else { return 1 }
    return min(curvature / max(inner, .leastNormalMagnitude), 4).squareRoot()
  }

  /// The variance of a breakpoint that is caused by more than noise, such as a badly placed weight.
  ///
  /// With four or more points it is the variance that a parabola does not explain. With three points a curve cannot be
  /// distinguished from a badly placed weight, so a part of the deviation counts as the latter.
  private var displacement: Double {
    guard points.count > 3 else { return deviation(1) * deviation(1) / 16 }
    return Parabola(StraightLine(points), points).scatter
  }

  func law(_ axis: Axis) -> FittedLaw {
    let (curvatures, noises) = (greatestCurvatures, CalibrationFit.noises(points))
    let displacement = displacement
    let breakpoints = points.indices.map { index in
      let piece = min(index, slopes.count - 1)
      return FittedLaw.Breakpoint(
        grams: points[index].grams, raw: points[index].raw, slope: slopes[piece],
        noise: noises[index], variance: max(points[index].meanVariance, displacement),
        curvature: curvatures[piece])
    }
    return FittedLaw(breakpoints: breakpoints, uncertainty: nil, maximum: axis.maximum)
  }
}

extension StraightLine {
  /// The law of the line; its breakpoints lie on it and carry the noise of each weight.
  func law(_ points: [CalibrationPoint], _ axis: Axis) -> FittedLaw {
    let merged = points.merged
    let breakpoints = zip(merged, CalibrationFit.noises(merged)).map { point, noise in
      FittedLaw.Breakpoint(
        grams: point.grams, raw: raw(at: point.grams), slope: slope, noise: noise)
    }
    return FittedLaw(
      breakpoints: breakpoints, uncertainty: LineUncertainty(self, points), maximum: axis.maximum)
  }
}

extension CalibrationFit {
  /// The noise at each point; an empty surface may send nothing, so the first weight's noise applies there too.
  static func noises(_ points: [CalibrationPoint]) -> [Double] {
    var noises = points.map(\.noise)
    if points[0].grams == 0 { noises[0] = max(noises[0], noises[1]) }
    return noises
  }
}
