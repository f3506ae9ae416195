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
  private static let proportional = 0.006

  /// Of any load, as a fraction of the heaviest known weight; of a difference, of the root of both at most.
  private static let ofHeaviest = 0.006

  /// In a corner, as a fraction of the load.
  private static let inCorner = 0.04

  /// Of a load that has rested for long, or of an earlier one that has just been removed, as a fraction of it.
  private static let ofCreep = 0.025

  /// The time constant of creep in seconds, and how far a calibration's weights have crept.
  private static let creepSeconds = 30.0
  private static let usuallyCrept = 0.1

  /// Within the hour of the calibration and on another day, as fractions of the load.
  private static let withinHour = 0.003
  private static let onAnotherDay = 0.02
  private static let day = 86_400.0

  /// Of what remains of a heavier load, as a fraction of that one.
  private static let ofUnloading = 0.045

  /// How much more than an object a hand presses while it puts it down, also during the calibration.
  static let pressing = 1.2

  /// The variance of a load, or of a difference of loads, in square grams.
  static func variance(
    of grams: Double, heaviest: Double, in conditions: LoadConditions, isDifference: Bool = false
  ) -> Double {
    let place = inCorner * conditions.place
    let age = ofAge(conditions.age)
    let share = proportional * proportional + place * place + age * age
    let bend = isDifference ? bend(of: grams, heaviest: heaviest) : ofHeaviest * heaviest
    let creep = ofCreep * (conditions.crept.map { $0 - usuallyCrept * grams } ?? 0)
    let remainder = ofRemainder(of: conditions.heaviest, in: grams)
    let ofLoad = share * grams * grams
    return ofLoad + bend * bend + creep * creep + remainder * remainder
  }

  /// What is not proportional to a difference of loads.
  static func bend(of grams: Double, heaviest: Double) -> Double {
    ofHeaviest * min(heaviest, (grams.magnitude * heaviest).squareRoot())
  }

  /// The part of a change that creep has not followed yet, some seconds after it.
  static func uncrept(after seconds: Double) -> Double {
    let x = max(seconds, 0) / creepSeconds
    return 1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))))
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
      (.time, ofCreep * grams), (.unloading, ofUnloading * 2 * grams),
      (.temperature, onAnotherDay * grams),
    ]
  }
}
