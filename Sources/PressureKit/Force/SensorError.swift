/// What causes the error of a calibrated reading.
public enum ErrorCause: String, CaseIterable, Sendable {
  /// Noise and rounding of a single reading.
  case noise
  /// The sensor between the known weights.
  case fit
  /// The tolerance of the known weights.
  case weights
  /// Another place than the center of the surface.
  case place
  /// The minutes that a load lies there.
  case time
  /// A heavier load before.
  case unloading
  /// Placing a weight again.
  case repetition
  /// Another temperature, on another day.
  case temperature
}

/// A load on the surface, or a difference of two, with what its error depends on.
struct Load: Hashable, Sendable {
  var grams: Double

  /// The number of contacts that share it.
  var contacts = 1

  /// The distance from the center of the surface: 0 there, 1 in a corner.
  var place = 0.0

  /// The load that creep has followed, in grams; nil if it is that of a calibration's weights.
  var crept: Double?

  /// The greatest load since the surface was empty, in grams; nil for a load that grew, as those of a calibration.
  var heaviest: Double?

  /// The age of the calibration in seconds; nil if unknown, which counts as a day.
  var age: Double? = 0

  var isDifference = false

  /// The same load rests for some seconds more.
  mutating func creep(for seconds: Double) {
    let x = max(seconds, 0) / SensorError.creepSeconds
    // The part of a change that creep has not followed yet.
    let uncrept: Double = 1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))))
    crept = grams - (grams - (crept ?? 0)) * uncrept
  }

  /// Anywhere on the surface, after minutes and on another day.
  static func unfavorable(_ grams: Double) -> Load {
    Load(grams: grams, place: 1, crept: grams, age: nil)
  }

  /// How far a load has come down from a heavier one, in grams.
  ///
  /// Hysteresis grows with the descent, to its share of the heavier load once half of that is gone.
  static func descent(from heavier: Double, to grams: Double) -> Double {
    max(0, min(heavier, 2 * (heavier - grams.magnitude)))
  }
}

/// The standard deviations of a sensor from the truth: those of any sensor, corrected by what a calibration and checks show.
///
/// The constants were fitted to the simulated sensors of `Tests/accuracy`.
struct SensorError: Hashable, Sendable {
  /// The variances of a load in square grams, one lane for each of `load`, `place`, `time`, `unloading` and `age`.
  typealias Variances = SIMD8<Double>

  private static let (load, place, time, unloading, age) = (0, 1, 2, 3, 4)

  /// Of a load between the known weights, as fractions of it and of the heaviest known weight.
  private static let ofLoad = 0.012
  private static let ofHeaviest = 0.006

  /// In a corner, as a fraction of the load.
  private static let inCorner = 0.04

  /// Of a load that has rested for long, or of an earlier one that has just been removed, as a fraction of it.
  private static let ofCreep = 0.025

  /// The time constant of creep in seconds, and how far a calibration's weights have crept.
  fileprivate static let creepSeconds = 15.0
  private static let usuallyCrept = 0.12

  /// Of the descent from a heavier load, as a fraction of it.
  private static let ofDescent = 0.03

  /// The part of the heaviest known weight that a sensor of known hysteresis remembers although the surface was empty since.
  private static let ofRemembered = 0.4

  /// On another day, as a fraction of the load.
  private static let onAnotherDay = 0.02
  private static let day = 86_400.0

  /// The number of standard deviations within which 95 % of readings lie.
  ///
  /// It is 1.96 for a normal distribution, and more, as the deviations are estimates themselves.
  static let coverageFactor = 2.2

  /// The weight of a known deviation: a few of them may be smaller than most by chance.
  private static let weightOfKnown = 1.3

  /// The lightest and the heaviest known weight, in grams.
  let lightest: Double
  let heaviest: Double

  /// What the calibration has shown in place of the assumed variances, as multiples of them.
  private var shown = Variances(repeating: 1)

  /// The sum of squares of deviations, in those variances, with one that is assumed, and the number of the others.
  private var squares = Variances(repeating: 1)
  private var count = Variances.zero

  /// The part of the heaviest known weight that the sensor remembers, if its hysteresis is known.
  private var remembered = 0.0

  init(lightest: Double, heaviest: Double) {
    (self.lightest, self.heaviest) = (lightest, heaviest)
  }

  /// The variances as multiples of the assumed ones: one deviation changes no variance downwards by itself.
  private var scale: Variances { shown * squares / pointwiseMax(count, Variances(repeating: 1)) }

  // MARK: - Errors

  private func variances(of load: Load) -> Variances {
    // A load counts at least as the lightest known weight.
    let grams = load.isDifference ? load.grams : max(load.grams, lightest)
    let creep = load.crept.map { $0 - Self.usuallyCrept * load.grams } ?? 0
    let remembered = load.isDifference ? 0 : remembered * heaviest
    let descent = load.heaviest.map { Load.descent(from: max($0, remembered), to: load.grams) } ?? 0
    let days = min(max(load.age ?? Self.day, 0) / Self.day, 1)
    var variances = Variances.zero
    variances[Self.load] = (Self.ofLoad * grams).squared + Double(load.contacts) * bend(of: load)
    variances[Self.place] = (Self.inCorner * load.place * grams).squared
    variances[Self.time] = (Self.ofCreep * creep).squared
    variances[Self.unloading] = (Self.ofDescent * descent).squared
    variances[Self.age] = Self.onAnotherDay.squared * days * grams.squared
    return scale * variances
  }

  /// What is not proportional to the load; of a difference, what is not common to both.
  private func bend(of load: Load) -> Double {
    let common = load.isDifference ? min(1, load.grams.magnitude / heaviest) : 1
    return (Self.ofHeaviest * heaviest).squared * common
  }

  /// The variance of a load between the lightest and the heaviest known weight, in square grams.
  func variance(of load: Load) -> Double { variances(of: load).sum() }

  /// The part of the variance of a load that is not proportional to it, in square grams.
  func bendVariance(of load: Load) -> Double { scale[Self.load] * bend(of: load) }

  /// The variance by each cause of the error of the heaviest weight in unfavorable conditions, in square grams.
  var parts: [(cause: ErrorCause, variance: Double)] {
    var load = Load.unfavorable(heaviest)
    load.heaviest = 2 * heaviest
    let variances = variances(of: load)
    let bend = bendVariance(of: load)
    return [
      (.fit, bend), (.repetition, variances[Self.load] - bend), (.place, variances[Self.place]),
      (.time, variances[Self.time]), (.unloading, variances[Self.unloading]),
      (.temperature, variances[Self.age]),
    ]
  }

  // MARK: - What is known

  /// Adopts the deviation of a known weight in grams; it counts for each cause by that cause's share of the variance.
  ///
  /// What else may cause the deviation has another variance, in square grams.
  mutating func adopt(_ deviation: Double, of load: Load, other: Double) {
    let variances = variances(of: load)
    let variance = variances.sum() + other
    let shares = variances / variance
    squares += Self.weightOfKnown * deviation.squared / variance * shares * scale / shown
    count += shares
  }

  /// The descents that are as good as a calibration whose readings do not depend on them, as a fraction of the heaviest weight.
  private static let assumedDescent = 0.01

  /// The most hysteresis of a sensor, as a fraction of the descent.
  private static let mostOfDescent = 0.1

  /// Adopts how far known weights are from their neighbors, in grams, and how much further than these they have come down from
  /// what a hand pressed.
  mutating func adoptUnloading(_ deviations: [Double], descents: [Double]) {
    let assumed = (Self.assumedDescent * heaviest).squared
    let seen = deviations.reduce(0) { $0 + $1.squared } / Self.ofDescent.squared
    let possible = descents.reduce(0) { $0 + $1.squared }
    remembered = Self.ofRemembered
    let most = (Self.mostOfDescent / Self.ofDescent).squared
    shown[Self.unloading] = min((assumed + seen) / (assumed + possible), most)
  }

  /// How much more creep adds within minutes than within half of a second after a second of rest.
  private static let creepAfterDrift = 9.0

  /// The variance of creep that is assumed beside that of a measured drift, as a fraction.
  private static let assumedCreep = 0.05

  /// Adopts how known weights drifted within half of a second at rest, as a fraction of them.
  mutating func adoptCreep(drift: Double) {
    shown[Self.time] = Self.assumedCreep + (Self.creepAfterDrift * drift / Self.ofCreep).squared
  }
}

extension Double {
  var squared: Double { self * self }
}

extension Location {
  /// The distance from the center of a surface: 0 there, 1 in a corner, and in between if it is unknown.
  var eccentricity: Double {
    let (across, down) = (2 * x - 1, 2 * y - 1)
    let distance = ((across * across + down * down) / 2).squareRoot()
    return distance.isNaN ? 0.5 : min(distance, 1)
  }
}
