/// Straight pieces from point to point, for a sensor that is not straight.
struct PiecewiseLine: Hashable, Sendable {
  /// From light to heavy; their weights must differ.
  let points: [CalibrationPoint]

  /// Units a gram from each point to the next.
  let slopes: [Double]

  init(_ points: [CalibrationPoint]) {
    self.points = points
    slopes = zip(points, points.dropFirst()).map { ($1.raw - $0.raw) / ($1.grams - $0.grams) }
  }

  /// The first point after which a heavier weight does not read higher, or nil.
  var firstNonRising: Int? { slopes.firstIndex { $0 <= 0 } }

  /// How far an inner point lies above the straight line of its neighbors, in units.
  func deviation(_ index: Int) -> Double {
    let (low, point, high) = (points[index - 1], points[index], points[index + 1])
    let slope = (high.raw - low.raw) / (high.grams - low.grams)
    return point.raw - (low.raw + slope * (point.grams - low.grams))
  }

  /// Units a gram squared by which the sensor bends about each inner point.
  private var curvatures: [Double] {
    (1..<points.count - 1).map { index in
      let width = points[index + 1].grams - points[index - 1].grams
      return (slopes[index] - slopes[index - 1]) / width
    }
  }

  /// The greatest bend on each piece: of its two ends, and what it may grow to on the outer ones.
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

  /// How much greater a bend may be on an outer piece than at its inner end.
  ///
  /// Contact areas grow as the weight to the power of 2/3, and others saturate: both bend most at
  /// one end, and from point to point by a like factor. Half a step is the middle of the piece.
  private static func growth(_ curvature: Double, from inner: Double?) -> Double {
    guard let inner else { return 1.6 }
    guard curvature > inner else { return 1 }
    return min(curvature / max(inner, .leastNormalMagnitude), 4).squareRoot()
  }

  /// The variance of a knot, which more than noise may have displaced.
  ///
  /// With four points and more it is what a parabola does not explain; with three nothing is left
  /// over to tell a bend from a weight that lay askew, so a part of the miss counts as that.
  private var displacement: Double {
    guard points.count > 3 else { return deviation(1) * deviation(1) / 16 }
    return Parabola(StraightLine(points), points).scatter
  }

  /// The law of the pieces, all of which must rise.
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
  /// The law of the line; its knots lie on it, for the noise that each weight has.
  func law(_ points: [CalibrationPoint], _ axis: Axis) -> FittedLaw {
    let noises = CalibrationFit.noises(points)
    let breakpoints = zip(points, noises).map { point, noise in
      FittedLaw.Breakpoint(
        grams: point.grams, raw: raw(at: point.grams), slope: slope, noise: noise)
    }
    return FittedLaw(
      breakpoints: breakpoints, uncertainty: LineUncertainty(self, points), maximum: axis.maximum)
  }
}

extension CalibrationFit {
  /// The noise at each point: where nothing lies the sensor may be silent, so there the first weight's counts.
  static func noises(_ points: [CalibrationPoint]) -> [Double] {
    var noises = points.map(\.noise)
    noises[0] = max(noises[0], noises[1])
    return noises
  }
}
