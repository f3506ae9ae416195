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
