/// The law that known weights have taught: straight pieces from knot to knot, and how far to trust them.
public struct FittedLaw: Hashable, Sendable {
  /// Where two pieces meet.
  struct Breakpoint: Hashable, Sendable {
    var grams: Double
    var raw: Double

    /// Units a gram from here to the next knot, and beyond the last one.
    var slope = 0.0

    /// How far one value strays here, as a standard deviation in units.
    var noise: Double

    /// The variance of the knot itself, in units squared.
    var variance = 0.0

    /// The greatest bend that the sensor may have on the piece, in units a gram squared.
    var curvature = 0.0

    func grams(raw: Double) -> Double { grams + (raw - self.raw) / slope }

    func raw(grams: Double) -> Double { raw + (grams - self.grams) * slope }
  }

  /// From light to heavy, at least two.
  let breakpoints: [Breakpoint]

  /// What to doubt of a straight line; nil where the knots are the points themselves.
  package let uncertainty: LineUncertainty?

  /// The end of the sensor's range, where it can say no more.
  package let maximum: Int32

  /// The standard deviations within which 95 of 100 readings lie, and a little more, as they are estimates.
  static let coverageFactor = 2.2

  /// What a bend between points may be beside the one that the points show.
  static let curvatureMargin = 1.3

  /// The piece that a value lies on; those at the ends go on for ever.
  private func piece(at raw: Double) -> Int {
    var index = breakpoints.count - 2
    while index > 0, raw < breakpoints[index].raw { index -= 1 }
    return index
  }

  /// The weight of a value.
  package func weight(raw: Int32) -> Weight {
    Weight(grams: grams(raw: Double(raw)), error: error(raw: Double(raw)))
  }

  /// How wrong an empty surface may be.
  var errorAtZero: Double? { error(raw: breakpoints[0].raw) }

  /// Grams of a value.
  package func grams(raw: Double) -> Double {
    breakpoints[piece(at: raw)].grams(raw: raw)
  }

  /// Within how many grams of the truth 95 of 100 readings lie; nil where the sensor is at its end.
  package func error(raw: Double) -> Double? {
    guard raw < Double(maximum) else { return nil }
    let index = piece(at: raw)
    return error(breakpoints[index].grams(raw: raw), piece: index)
  }

  /// The same for a weight that is read.
  package func error(grams: Double) -> Double? {
    var index = breakpoints.count - 2
    while index > 0, grams < breakpoints[index].grams { index -= 1 }
    guard breakpoints[index].raw(grams: grams) < Double(maximum) else { return nil }
    return error(grams, piece: index)
  }

  /// The same for what was added to a weight: of two readings, one now and one then.
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

  /// How far a curve may be from its chord, at a part of the way, where the bend is 1.
  ///
  /// A parabola; on the first piece the bow of a root, as contacts grow fastest when they begin.
  private static func bow(_ part: Double, isFirst: Bool) -> Double {
    isFirst && part > 0 && part < 1
      ? part.squareRoot() * (1 - part) : (part * (1 - part)).magnitude
  }

  /// Noise changes from knot to knot; beyond the heaviest it may grow on, and never shrinks.
  private static func noise(_ low: Breakpoint, _ high: Breakpoint, _ part: Double) -> Double {
    let noise = low.noise + (high.noise - low.noise) * min(max(part, 0), 1)
    return part > 1 ? noise + max(0, high.noise - low.noise) * (part - 1) : noise
  }
}
