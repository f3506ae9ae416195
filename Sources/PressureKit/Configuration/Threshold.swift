/// A press point and the release point below it, so that a value between them changes nothing.
public struct Threshold: Hashable, Sendable {
  /// From here on it counts as pressed.
  public let press: Double

  /// Below this it no longer does.
  public let release: Double

  /// Refuses a release point that is not below the press point, and what is no number.
  public init(press: Double, release: Double) throws(InconsistentValuesError) {
    guard release < press else {
      throw InconsistentValuesError(
        setting: "release",
        reason: "release (\(release.brief)) must be below press (\(press.brief))")
    }
    self.press = press
    self.release = release
  }

  /// For our own numbers, which the tests have checked.
  package init(knownPress press: Double, release: Double) {
    assert(release < press)
    self.press = press
    self.release = release
  }
}
