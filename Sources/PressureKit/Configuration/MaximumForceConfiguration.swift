/// When a contact counts as pressed to the full, and when no longer.
public struct MaximumForceConfiguration: Hashable, Sendable {
  /// Ratios of the effective maximum: reached at 1, released below the lower one.
  public let threshold: Threshold

  /// Reached at the effective maximum, released below 0.95 of it.
  public init() {
    threshold = Threshold(knownPress: 1, release: 0.95)
  }

  /// Released below `releaseRatio`, which must be under 1.
  public init(releaseRatio: Double) throws(InconsistentValuesError) {
    guard releaseRatio < 1 else {
      throw InconsistentValuesError(
        setting: "release_ratio", reason: "release_ratio (\(releaseRatio.brief)) must be below 1")
    }
    threshold = Threshold(knownPress: 1, release: releaseRatio)
  }
}
