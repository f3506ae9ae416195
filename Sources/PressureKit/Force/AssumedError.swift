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

/// The standard deviations of a reading from the truth that are assumed of a sensor, until checks show its own.
///
/// They were fitted to the simulated sensors of `Tests/accuracy`.
enum AssumedError {
  /// Of each load, as a fraction of it.
  private static let proportional = 0.008

  /// Of the root of the load times the heaviest known weight.
  private static let ofHeaviest = 0.007

  /// In a corner, as a fraction of the load.
  private static let inCorner = 0.04

  /// In each doubling of the time beyond that of a calibration's weights, as a fraction of the load.
  private static let perDoubling = 0.0045

  /// What is usual in a calibration, in seconds.
  private static let usualSeconds = 3.0

  /// Within the hour of the calibration and on another day, as fractions of the load.
  private static let withinHour = 0.003
  private static let onAnotherDay = 0.02
  private static let day = 86_400.0

  /// Of what remains of a heavier load, as a fraction of that one.
  private static let ofUnloading = 0.03

  /// How much more than an object a hand presses while it puts it down, also during the calibration.
  static let pressing = 1.3

  /// The variance of a load, or of a difference of loads, in square grams.
  static func variance(of grams: Double, heaviest: Double, in conditions: LoadConditions) -> Double
  {
    let place = inCorner * conditions.place
    let time = creep(from: usualSeconds, to: conditions.seconds)
    let age = ofAge(conditions.age)
    let share =
      proportional * proportional + place * place + time * time + age * age
    let bend = ofHeaviest * ofHeaviest * grams.magnitude * heaviest
    let remainder = ofRemainder(of: conditions.heaviest, in: grams)
    return share * grams * grams + bend + remainder * remainder
  }

  /// What is not proportional to the load.
  static func bend(of grams: Double, heaviest: Double) -> Double {
    ofHeaviest * (grams.magnitude * heaviest).squareRoot()
  }

  /// The change of a load that rests from one time to another, in seconds, as a fraction of it; in steps, so that a
  /// reading at rest does not change all the time.
  static func creep(from start: Double, to end: Double) -> Double {
    let ratio = max(end, usualSeconds) / max(start, usualSeconds)
    guard ratio > 1, ratio.isFinite else { return 0 }
    return perDoubling * Double(Int(ratio.exponent) + (ratio.significand > 1 ? 1 : 0))
  }

  private static func ofAge(_ seconds: Double?) -> Double {
    let days = min((seconds ?? day) / day, 1)
    return max(withinHour, onAnotherDay * max(days, 0).squareRoot())
  }

  /// Hysteresis grows with how far a load has come down: to its share of the heavier load once half of that is gone.
  static func ofRemainder(of heavier: Double, in grams: Double) -> Double {
    ofUnloading * max(0, min(heavier, 2 * (heavier - pressing * grams.magnitude)))
  }

  /// The parts of the error of a load, each as one standard deviation, in grams.
  static func parts(of grams: Double) -> [(cause: ErrorCause, grams: Double)] {
    [
      (.repetition, proportional * grams), (.place, inCorner * grams),
      (.time, creep(from: usualSeconds, to: 60) * grams), (.unloading, ofUnloading * 2 * grams),
      (.temperature, onAnotherDay * grams),
    ]
  }
}
