/// A known weight, and what the sensor said of it.
public struct CalibrationPoint: Hashable, Sendable {
  /// What was laid on, 0 for nothing.
  public var grams: Double

  /// The mean of the sensor's values.
  public var raw: Double

  /// The standard deviation of the values.
  public var spread: Double

  /// How many values the mean is of.
  public var count: Int

  /// The greatest of the values, which shows whether the sensor was at its end.
  public var greatest: Int32

  public init(grams: Double, raw: Double, spread: Double, count: Int, greatest: Int32) {
    self.grams = grams
    self.raw = raw
    self.spread = spread
    self.count = count
    self.greatest = greatest
  }
}

extension CalibrationPoint {
  /// The variance of rounding to whole units, which is even over one of them.
  static let roundingVariance = 1.0 / 12

  /// How far one value strays from the truth: the spread, and rounding that no spread shows.
  var noise: Double { (spread * spread + CalibrationPoint.roundingVariance).squareRoot() }

  /// The variance of the mean; rounding does not average out where nothing else moves the value.
  var meanVariance: Double {
    spread * spread / Double(max(count, 1)) + CalibrationPoint.roundingVariance
  }
}
