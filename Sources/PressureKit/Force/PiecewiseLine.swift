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

  /// The first point after which a heavier weight does not read higher; nil if there is none.
  var firstNonRising: Int? { slopes.firstIndex { $0 <= 0 } }

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

  /// The factor by which the curvature on an outer segment may exceed that at its inner end.
  ///
  /// Contact areas grow with the weight to the power of 2/3, and other sensors saturate: both bend most at one end,
  /// by a similar factor from point to point. The square root is the factor for half a segment, its middle.
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

  /// The law of the segments, all of which must rise.
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
