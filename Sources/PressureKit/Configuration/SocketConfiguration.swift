/// Where clients connect, and the resources that each may use.
package struct SocketConfiguration: Hashable, Sendable {
  /// The path of the socket; nil for the first usable default path.
  package var path: String?

  /// Permission bits of the socket, as for `chmod`; nil for those that `AccessConfiguration` requires.
  package var mode: UInt16?

  /// The group that owns the socket; nil for the daemon's own group.
  package var group: String?

  /// The maximum number of clients connected at the same time; further connections are refused.
  package var maxClients = 512

  /// The maximum number of clients per user; nil for a quarter of `maxClients`.
  ///
  /// The limit does not apply to root and the daemon's own user.
  package var maxClientsPerUser: Int?

  /// The effective maximum number of clients per user.
  package var clientLimitPerUser: Int { maxClientsPerUser ?? max(maxClients / 4, 1) }

  /// The size of a client's send queue, in KiB.
  package var clientBufferKibibytes = 256

  package init() {}
}

/// Users that may receive events, besides root and the daemon's own user.
package struct AccessConfiguration: Hashable, Sendable {
  /// Whether users receive the events of devices at a seat while their session on it is active.
  package var seat = true

  /// Whether the session must also be unlocked.
  package var suspendsWhenLocked = true

  /// The group whose members always receive all events; nil for none.
  package var group: String? = "pressured"

  /// The names of users that always receive all events.
  package var users: [String] = []

  package init() {}
}

/// Users that may change what a scale reads and perform actions, and how often.
///
/// Without users and groups, all users that may connect are allowed. Users that may control the daemon always are.
package struct UseConfiguration: Hashable, Sendable {
  /// User names.
  package var users: [String] = []

  /// Group names.
  package var groups: [String] = []

  /// The sustained rate of requests per second for one user; all users together have four times as much.
  package var requestsPerSecond = 50

  /// The maximum burst of requests of one user after a pause.
  package var burst: Int { 4 * requestsPerSecond }

  /// Whether all users that may connect may use the daemon.
  package var isOpen: Bool { users.isEmpty && groups.isEmpty }

  package init() {}
}

/// Users, besides root and the daemon's own user, that may change what the daemon does.
package struct ControlConfiguration: Hashable, Sendable {
  /// Whether users with an active session may control the devices at their seat.
  package var seat = false

  /// User names.
  package var users: [String] = []

  /// Group names.
  package var groups: [String] = []

  package init() {}
}
