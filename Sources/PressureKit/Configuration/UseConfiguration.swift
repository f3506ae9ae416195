/// Who may change what a scale reads or perform actions, and how often.
///
/// Without users and groups these are all that may connect. Those that may control the daemon may always.
public struct UseConfiguration: Hashable, Sendable {
  /// Names of users.
  public var users: [String] = []

  /// Names of groups.
  public var groups: [String] = []

  /// Requests in a second that one user may go on with; all users together may have four times as many.
  public var requestsPerSecond = 50

  /// Requests that one user may have at once after a pause.
  public var burst = 200

  /// Whether all that may connect may use the daemon.
  public var isOpen: Bool { users.isEmpty && groups.isEmpty }

  public init() {}
}
