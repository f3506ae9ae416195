/// The press that performs an action.
public struct ActionTrigger: Hashable, Sendable {
  /// The name of the stage that must be reached.
  public var stage: String

  public var fingers = Fingers.exactly(1)

  /// The name of the region in which the press began, or nil for anywhere.
  public var region: String?

  /// On which devices.
  public var device: Glob = "*"

  public init(stage: String) {
    self.stage = stage
  }
}
