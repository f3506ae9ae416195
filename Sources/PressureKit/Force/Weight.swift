/// A weight in grams, made by a calibration alone: a raw number by itself weighs nothing.
public struct Weight: Hashable, Comparable, Sendable {
  public let grams: Double

  /// Within how many grams of the truth 95 of 100 such weights lie.
  ///
  /// Known from a calibration by weights; nil where nobody has compared the device with any, be its
  /// grams an estimate or the kernel's, whose units per gram are rounded. Nil also where the sensor
  /// is at its end.
  public let error: Double?

  package init(grams: Double, error: Double?) {
    self.grams = grams
    self.error = error
  }

  public static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }

  /// Several contacts are wrong together, as one law weighs them: their errors add up.
  public static func + (left: Weight, right: Weight) -> Weight {
    Weight(
      grams: left.grams + right.grams, error: combine(left.error, right.error) { $0 + $1 })
  }

  /// What was added since a tare or a zero; the errors of two readings, one now and one then.
  public static func - (left: Weight, right: Weight) -> Weight {
    Weight(
      grams: left.grams - right.grams,
      error: combine(left.error, right.error) { ($0 * $0 + $1 * $1).squareRoot() })
  }

  /// An equal part of a weight that several contacts bring upon one sensor.
  public func shared(among contacts: Int) -> Weight {
    let count = Double(max(contacts, 1))
    return Weight(grams: grams / count, error: error.map { $0 / count })
  }

  private static func combine(
    _ left: Double?, _ right: Double?, _ body: (Double, Double) -> Double
  ) -> Double? {
    guard let left, let right else { return nil }
    return body(left, right)
  }
}
