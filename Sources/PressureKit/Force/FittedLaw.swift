/// A piecewise linear law fitted to known weights, with its uncertainty.
public struct FittedLaw: Hashable, Sendable {
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
  package let maximum: Int32

  /// The lightest known weight, in grams, if the zero was assumed; lighter readings have no error then.
  var lightest = 0.0

  /// What one calibration at one place and time does not show.
  package var relative = RelativeUncertainty.assumed

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

  /// Units per gram at a weight.
  func slope(grams: Double) -> Double { breakpoints[segment(grams)].slope }

  func raw(grams: Double) -> Double { breakpoints[segment(grams)].raw(grams: grams) }

  private func segment(_ grams: Double) -> Int {
    var index = breakpoints.count - 2
    while index > 0, grams < breakpoints[index].grams { index -= 1 }
    return index
  }

  package func weight(raw: Int32) -> Weight {
    Weight(grams: grams(raw: Double(raw)), error: error(raw: Double(raw)))
  }

  /// The error of an empty surface, in grams; for an assumed zero, that of the lightest weight.
  var errorAtZero: Double? {
    lightest > 0 ? error(grams: lightest) : error(raw: breakpoints[0].raw)
  }

  package func grams(raw: Double) -> Double {
    breakpoints[piece(at: raw)].grams(raw: raw)
  }

  /// Grams per unit, where that is largest.
  var greatestStep: Double { breakpoints.dropLast().reduce(0) { max($0, 1 / $1.slope) } }

  /// The standard deviation of one value, where that is largest, in grams.
  var greatestNoise: Double {
    breakpoints.indices.reduce(0) { greatest, index in
      let slope = breakpoints[min(index, breakpoints.count - 2)].slope
      return max(greatest, breakpoints[index].noise / slope)
    }
  }

  /// The error in grams within which 95 % of readings lie; nil if the sensor is saturated, or below the lightest weight
  /// if the zero is assumed.
  package func error(raw: Double) -> Double? {
    guard raw < Double(maximum) else { return nil }
    let index = piece(at: raw)
    return error(breakpoints[index].grams(raw: raw), piece: index)
  }

  package func error(grams: Double) -> Double? {
    piece(atGrams: grams).flatMap { error(grams, piece: $0) }
  }

  /// The same error without its relative part.
  func absoluteError(grams: Double) -> Double? {
    guard claims(grams) else { return nil }
    return piece(atGrams: grams).map { absoluteError(grams, piece: $0) }
  }

  /// The error of a difference of two readings, one now and one at the reference.
  ///
  /// Their absolute errors are independent. Most relative ones are common to both, so they apply to the difference; only
  /// what time changes also applies to the reference.
  package func error(grams: Double, since reference: Double) -> Double? {
    guard let now = absoluteError(grams: grams), let then = absoluteError(grams: reference) else {
      return nil
    }
    return combined(now, then, net: grams - reference, reference: reference)
  }

  func combined(_ now: Double, _ then: Double, net: Double, reference: Double) -> Double {
    let part = relative.expanded * net
    let change = FittedLaw.coverageFactor / 2 * relative[.time] * reference
    return (now * now + then * then + part * part + change * change).squareRoot()
  }

  func budget(grams: Double) -> [(cause: ErrorCause, grams: Double)] {
    guard let index = piece(atGrams: grams) else { return [] }
    let absolute = absoluteError(grams, piece: index)
    let (low, high) = (breakpoints[index], breakpoints[index + 1])
    let part = (grams - low.grams) / (high.grams - low.grams)
    let noise = FittedLaw.coverageFactor * FittedLaw.noise(low, high, part) / low.slope
    let fit = max(0, absolute * absolute - noise * noise - FittedLaw.wireVariance).squareRoot()
    return [(.noise, (noise * noise + FittedLaw.wireVariance).squareRoot()), (.fit, fit)]
      + relative.budget(grams: grams)
  }

  /// The square of the error of rounding to 0.1 g, a uniform distribution, as on the wire.
  static let wireVariance = 0.05 * 0.05

  private func piece(atGrams grams: Double) -> Int? {
    let index = segment(grams)
    return breakpoints[index].raw(grams: grams) < Double(maximum) ? index : nil
  }

  /// A tenth below the lightest weight, as its own readings vary.
  private func claims(_ grams: Double) -> Bool { lightest == 0 || grams >= 0.9 * lightest }

  private func error(_ grams: Double, piece index: Int) -> Double? {
    guard claims(grams) else { return nil }
    let absolute = absoluteError(grams, piece: index)
    let part = relative.expanded * grams
    return (absolute * absolute + part * part).squareRoot()
  }

  private func absoluteError(_ grams: Double, piece index: Int) -> Double {
    let (low, high) = (breakpoints[index], breakpoints[index + 1])
    let width = high.grams - low.grams
    let part = (grams - low.grams) / width
    let noise = FittedLaw.noise(low, high, part)
    let units: Double
    if let uncertainty {
      units =
        FittedLaw.coverageFactor * (noise * noise + uncertainty.variance(at: grams)).squareRoot()
    } else {
      let placement = (1 - part) * (1 - part) * low.variance + part * part * high.variance
      let deviation = (noise * noise + placement).squareRoot()
      let bias = low.curvature * width * width * FittedLaw.bow(part, isFirst: index == 0)
      units = FittedLaw.coverageFactor * deviation + FittedLaw.curvatureMargin * bias
    }
    let error = units / low.slope
    return (error * error + FittedLaw.wireVariance).squareRoot()
  }

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
