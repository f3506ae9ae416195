/// The reason why points do not make a calibration.
public enum CalibrationError: Error, Hashable, Sendable {
  /// There are fewer known weights than `CalibrationFit.minimumWeights`, besides zero.
  case tooFew(weights: Int)
  /// There are more points than `CalibrationFit.maximumPoints`.
  case tooMany(limit: Int)
  /// The empty surface was not measured.
  case noZero
  /// A value that cannot be measured: infinite, NaN or negative.
  case unusable(grams: Double)
  /// The same weight occurs twice.
  case equal(grams: Double)
  /// The sensor was saturated.
  case saturated(grams: Double)
  /// The heaviest weight moves the sensor by less than `CalibrationFit.minimumChange` of its range.
  case littleChange(percent: Double)
  /// A heavier weight does not read higher than a lighter one.
  case notRising(from: Double, to: Double)

  /// A description for users, without the device's name.
  public var sentence: String {
    switch self {
    case .tooFew(let weights):
      "the empty surface and at least two known weights are needed, and there \(weights.weights) so far"
    case .tooMany(let limit): "more than \(limit) points are no better than fewer"
    case .noZero: "the empty surface has not been measured"
    case .unusable(let grams): "\(grams.shortDescription) g is no weight that can be measured"
    case .equal(let grams): "\(grams.shortDescription) g is there twice; each weight counts once"
    case .saturated(let grams):
      "with \(grams.shortDescription) g the sensor is at its end and can say no more; take a lighter weight"
    case .littleChange(let percent):
      "the heaviest weight moves the sensor by \(percent.shortDescription) % of its range, and 1 % is the least "
        + "that counts; take a heavier one"
    case .notRising(let lighter, let heavier):
      "\(heavier.shortDescription) g does not read higher than \(lighter.shortDescription) g"
    }
  }
}

extension Int {
  fileprivate var weights: String { self == 1 ? "is one weight" : "are \(self) weights" }
}
