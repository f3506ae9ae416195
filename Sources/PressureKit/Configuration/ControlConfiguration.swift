/// Who, beside root and the daemon's own user, may change what the daemon does.
public struct ControlConfiguration: Hashable, Sendable {
  /// Names of users.
  public var users: [String] = []

  /// Names of groups.
  public var groups: [String] = []

  public init() {}
}
