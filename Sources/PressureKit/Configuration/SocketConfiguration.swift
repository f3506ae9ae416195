/// Where clients connect, and how much each may cost.
public struct SocketConfiguration: Hashable, Sendable {
  /// The socket's place, or nil for the first of the usual ones.
  public var path: String?

  /// Rights of the socket, as `chmod` takes them.
  public var mode: UInt16 = 0o660

  /// The group that owns the socket, or nil for the daemon's own.
  public var group: String?

  /// Clients connected at once; the next one is refused.
  public var maxClients = 512

  /// Of those, how many one user may have, or nil for a quarter; root and the daemon's own user may have all.
  public var maxClientsPerUser: Int?

  /// How many connections one user may have.
  public var clientLimitPerUser: Int { maxClientsPerUser ?? max(maxClients / 4, 1) }

  /// What may wait for one client, in KiB.
  public var clientBufferKibibytes = 256

  public init() {}
}

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

/// Who, beside root and the daemon's own user, may change what the daemon does.
public struct ControlConfiguration: Hashable, Sendable {
  /// Names of users.
  public var users: [String] = []

  /// Names of groups.
  public var groups: [String] = []

  public init() {}
}
