/// A piecewise linear law fitted to known weights, with its uncertainty.
public struct FittedLaw: Hashable, Sendable {
  /// The point at which two segments meet.
  struct Breakpoint: Hashable, Sendable {
    var grams: Double
    var raw: Double

    /// Units per gram from here to the next breakpoint, and beyond the last one.
    var slope = 0.0

    /// The standard deviation of one value here, in units.
    var noise: Double

    /// The variance of the breakpoint itself, in units squared.
    var variance = 0.0

    /// The maximum curvature of the sensor on the segment, in units per gram squared.
    var curvature = 0.0

    func grams(raw: Double) -> Double { grams + (raw - self.raw) / slope }

    func raw(grams: Double) -> Double { raw + (grams - self.grams) * slope }
  }

  /// In ascending order of weight; at least two.
  let breakpoints: [Breakpoint]

  /// The uncertainty of a line; nil if the breakpoints are the points themselves.
  package let uncertainty: LineUncertainty?

  /// The end of the sensor's range, where it is saturated.
  package let maximum: Int32

  /// The number of standard deviations within which 95 % of readings lie.
  ///
  /// 1.96 for a normal distribution, and more, as the deviations are estimates themselves.
  static let coverageFactor = 2.2

  /// The factor by which the curvature between points may exceed the one that the points show.
  static let curvatureMargin = 1.3

  /// The segment that contains a value; the outer segments extend without limit.
  private func piece(at raw: Double) -> Int {
    var index = breakpoints.count - 2
    while index > 0, raw < breakpoints[index].raw { index -= 1 }
    return index
  }

  /// The weight of a raw value.
  package func weight(raw: Int32) -> Weight {
    Weight(grams: grams(raw: Double(raw)), error: error(raw: Double(raw)))
  }

  /// The error of an empty surface, in grams.
  var errorAtZero: Double? { error(raw: breakpoints[0].raw) }

  /// Grams of a raw value.
  package func grams(raw: Double) -> Double {
    breakpoints[piece(at: raw)].grams(raw: raw)
  }

  /// The error in grams within which 95 % of readings lie; nil if the sensor is saturated.
  package func error(raw: Double) -> Double? {
    guard raw < Double(maximum) else { return nil }
    let index = piece(at: raw)
    return error(breakpoints[index].grams(raw: raw), piece: index)
  }

  /// The same error for a weight in grams.
  package func error(grams: Double) -> Double? {
    var index = breakpoints.count - 2
    while index > 0, grams < breakpoints[index].grams { index -= 1 }
    guard breakpoints[index].raw(grams: grams) < Double(maximum) else { return nil }
    return error(grams, piece: index)
  }

  /// The error of a difference of two readings, one now and one at the reference.
  package func error(grams: Double, since reference: Double) -> Double? {
    guard let now = error(grams: grams), let then = error(grams: reference) else { return nil }
    return (now * now + then * then).squareRoot()
  }

  private func error(_ grams: Double, piece index: Int) -> Double {
    let (low, high) = (breakpoints[index], breakpoints[index + 1])
    let width = high.grams - low.grams
    let part = (grams - low.grams) / width
    let noise = FittedLaw.noise(low, high, part)
    if let uncertainty {
      let deviation = (noise * noise + uncertainty.variance(at: grams)).squareRoot()
      return FittedLaw.coverageFactor * deviation / low.slope
    }
    let placement = (1 - part) * (1 - part) * low.variance + part * part * high.variance
    let deviation = (noise * noise + placement).squareRoot()
    let bias = low.curvature * width * width * FittedLaw.bow(part, isFirst: index == 0)
    return (FittedLaw.coverageFactor * deviation + FittedLaw.curvatureMargin * bias) / low.slope
  }

  /// The deviation of a curve of unit curvature from its chord, at a fraction of the segment.
  ///
  /// A parabola; on the first segment a square root, as contact areas grow fastest at the beginning.
  private static func bow(_ part: Double, isFirst: Bool) -> Double {
    isFirst && part > 0 && part < 1
      ? part.squareRoot() * (1 - part) : (part * (1 - part)).magnitude
  }

  /// Interpolates the noise between breakpoints; beyond the heaviest it may increase but not decrease.
  private static func noise(_ low: Breakpoint, _ high: Breakpoint, _ part: Double) -> Double {
    let noise = low.noise + (high.noise - low.noise) * min(max(part, 0), 1)
    return part > 1 ? noise + max(0, high.noise - low.noise) * (part - 1) : noise
  }
}
