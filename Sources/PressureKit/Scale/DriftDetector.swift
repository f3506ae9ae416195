/// Detects that the zero of an empty surface has drifted, before readings are off by more than their stated error.
///
/// An empty surface weighs nothing, whatever a sensor reports that is never silent. Its zero has drifted if the mean of a
/// span exceeds the limit, and is back below half of that. A drift persists while a load hides it: readings are then
/// known to be off by it.
///
/// A load that was tared also weighs nothing, but a change of it may be its own: its readings state what it may have lost.
struct DriftDetector {
  private let span: Int64

  /// The time since which there is no contact; nil while there is one and before the first frame.
  private var emptySince: Timestamp?

  private(set) var hasDrifted = false

  /// The last observed offset of the empty surface, and the part of it that was tared with a load.
  private var emptyOffset = 0.0
  private var taredOffset = 0.0

  /// The known offset of net readings in grams; 0 if it is below the limit.
  var knownOffset: Double { emptyOffset - taredOffset }

  init(_ rules: ScaleConfiguration) { span = rules.trend }

  mutating func updateContacts(isEmpty: Bool, at time: Timestamp) {
    emptySince = isEmpty ? emptySince ?? time : nil
  }

  /// A tare was set; its reading was off by the known offset.
  mutating func tare(_ grams: Double) { taredOffset = grams > 0 ? emptyOffset : 0 }

  /// The gross reading was set to zero.
  mutating func zero() { emptyOffset = 0 }

  /// Evaluates the mean, in grams, over the span that ends at `time`.
  mutating func evaluate(_ grams: Double, limit: Double, at time: Timestamp) {
    guard emptySince != nil, deadline(after: time) == nil else { return hasDrifted = false }
    hasDrifted = grams.magnitude > (hasDrifted ? limit / 2 : limit)
    emptyOffset = hasDrifted ? grams : 0
  }

  /// The time at which a surface that has become empty is evaluated; nil if there is none.
  func deadline(after time: Timestamp) -> Timestamp? {
    emptySince.map { $0.advanced(byMicroseconds: span) }.flatMap { $0 > time ? $0 : nil }
  }
}
