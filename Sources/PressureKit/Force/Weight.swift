/// A weight in grams; only a `Calibration` creates it, as a raw value alone has no weight.
public struct Weight: Hashable, Comparable, Sendable {
  /// Grams; below zero for a value below the law's zero.
  public let grams: Double

  /// The error in grams, plus or minus, within which 95 % of such weights lie.
  ///
  /// Of a calibrated device: 2.2 standard deviations of the calibration and the sensor, and what one calibration at one
  /// place and time cannot show, in proportion to the weight. Of the kernel's grams: the rounding of their units per gram, and the same
  /// proportion. Nil for an estimate, if the sensor is saturated, and below the lightest known weight if the zero was assumed.
  public let error: Double?

  package init(grams: Double, error: Double?) {
    self.grams = grams
    self.error = error
  }

  /// Compares the grams; errors do not count.
  public static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }

  /// Adds weights; their errors add up too, as one law causes both.
  package static func + (left: Weight, right: Weight) -> Weight {
    guard let leftError = left.error, let rightError = right.error else {
      return Weight(grams: left.grams + right.grams, error: nil)
    }
    return Weight(grams: left.grams + right.grams, error: leftError + rightError)
  }

  /// An equal share of the weight that several contacts put on one sensor.
  package func shared(among contacts: Int) -> Weight {
    let count = Double(max(contacts, 1))
    return Weight(grams: grams / count, error: error.map { $0 / count })
  }
}

/// An optional number in the memory of the number alone; NaN means nil.
///
/// `Optional` needs one more word. Contacts are copied up to hundreds of times per frame; without those words a
/// contact is small enough to be moved without a call.
struct PackedOptional: Hashable, Sendable {
  private static let missing = Double.nan.bitPattern

  private let bits: UInt64

  init(_ number: Double?) {
    bits = number?.bitPattern ?? PackedOptional.missing
  }

  /// A result of arithmetic in which NaN stands for a missing operand.
  init(orMissing number: Double) {
    // NaN is not equal to itself; the comparison is faster than `isNaN`.
    bits = number == number ? number.bitPattern : PackedOptional.missing
  }

  /// The number, or NaN for arithmetic.
  var orNaN: Double { Double(bitPattern: bits) }

  var value: Double? { bits == PackedOptional.missing ? nil : Double(bitPattern: bits) }
}

/// An optional weight in the memory of its two numbers alone.
struct PackedWeight: Hashable, Sendable {
  private let grams: PackedOptional
  private let error: PackedOptional

  init(_ weight: Weight?) {
    grams = PackedOptional(weight?.grams)
    error = PackedOptional(weight?.error)
  }

  var value: Weight? { grams.value.map { Weight(grams: $0, error: error.value) } }
}
