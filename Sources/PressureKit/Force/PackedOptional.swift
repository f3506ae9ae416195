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
