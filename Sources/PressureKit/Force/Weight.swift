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

/// A number that may be missing, in the memory of the number alone.
///
/// An `Optional` needs a word more to say so. Contacts are copied some hundred times in a frame; without
/// those words one fits into as many bytes as the compiler moves without calling anybody.
struct PackedOptional: Hashable, Sendable {
  private static let missing = Double.nan.bitPattern

  private let bits: UInt64

  init(_ number: Double?) {
    bits = number?.bitPattern ?? PackedOptional.missing
  }

  /// A result of arithmetic, where what is missing has gone in as no number and comes out as such.
  init(orMissing number: Double) {
    // What is no number is nothing's equal; that is asked faster than whether it is one.
    bits = number == number ? number.bitPattern : PackedOptional.missing
  }

  /// The number, or none at all for arithmetic.
  var orNaN: Double { Double(bitPattern: bits) }

  var value: Double? { bits == PackedOptional.missing ? nil : Double(bitPattern: bits) }
}

/// A weight that may be missing, in the memory of its numbers alone.
struct PackedWeight: Hashable, Sendable {
  private let grams: PackedOptional
  private let error: PackedOptional

  init(_ weight: Weight?) {
    grams = PackedOptional(weight?.grams)
    error = PackedOptional(weight?.error)
  }

  var value: Weight? { grams.value.map { Weight(grams: $0, error: error.value) } }
}
