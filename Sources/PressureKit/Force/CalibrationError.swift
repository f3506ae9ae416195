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
  /// The sensor was saturated.
  case saturated(grams: Double)
  /// The heaviest weight moves the sensor by less than `CalibrationFit.minimumChange` of its range.
  case littleChange(percent: Double)
  /// A heavier weight does not read higher than a lighter one.
  case notRising(from: Double, to: Double)
  /// Two weights contradict a zero that was assumed, so that there is no third point.
  case zeroContradicted(raw: Double)
  /// The error exceeds `CalibrationFit.maximumError` of the heaviest weight.
  case uncertain(percent: Double)
}

extension CalibrationError: CustomStringConvertible {
  /// The reason for users, without the device's name.
  public var description: String {
    switch self {
    case .tooFew(let weights):
      "a calibration needs the empty surface and at least \(CalibrationFit.minimumWeights) known weights;"
        + " \(weights) measured so far"
    case .tooMany(let limit): "a calibration has at most \(limit) points"
    case .noZero: "the empty surface has not been measured"
    case .unusable(let grams): "a weight of \(grams.shortDescription) g cannot be measured"
    case .saturated(let grams):
      "with \(grams.shortDescription) g the sensor is saturated; use a lighter weight"
    case .littleChange(let percent):
      "the heaviest weight moves the sensor by \(percent.shortDescription) % of its range, less than the"
        + " required 1 %; use a heavier weight"
    case .notRising(let lighter, let heavier):
      "\(heavier.shortDescription) g does not read higher than \(lighter.shortDescription) g"
    case .zeroContradicted(let raw):
      "the two weights contradict the assumed zero of \(raw.shortDescription) units, as the device sends nothing"
        + " when empty; measure a third weight"
    case .uncertain(let percent):
      "the error would be \(percent.shortDescription) % of the heaviest weight, more than the permitted 25 %; measure"
        + " more weights, each at the same place and at rest"
    }
  }
}
