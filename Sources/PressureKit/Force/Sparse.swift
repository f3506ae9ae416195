/// A number that may be missing, in the memory of the number alone.
///
/// An `Optional` needs a word more to say so. Contacts are copied some hundred times in a frame; without
/// those words one fits into as many bytes as the compiler moves without calling anybody.
struct Sparse: Hashable, Sendable {
  private static let missing = Double.nan.bitPattern

  private let bits: UInt64

  init(_ number: Double?) {
    bits = number?.bitPattern ?? Sparse.missing
  }

  var value: Double? { bits == Sparse.missing ? nil : Double(bitPattern: bits) }
}

/// A weight that may be missing, in the memory of its numbers alone.
struct SparseWeight: Hashable, Sendable {
  private let grams: Sparse
  private let error: Sparse

  init(_ weight: Weight?) {
    grams = Sparse(weight?.grams)
    error = Sparse(weight?.error)
  }

  var value: Weight? { grams.value.map { Weight(grams: $0, error: error.value) } }
}
