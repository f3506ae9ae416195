/// By how much a contact must outweigh the heaviest one to take its place.
///
/// Of the two margins the larger one counts.
public struct HeaviestConfiguration: Hashable, Sendable {
  /// Part of the holder's own grams, 0…1.
  public var marginRatio = 0.03

  /// Grams.
  public var marginGrams = 2.0

  public init() {}
}
