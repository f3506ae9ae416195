internal import CLinux
internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// There are three levels of rights: every client may read; `use` covers requests that change what other clients
// receive; `control` covers requests that change what the daemon does. Request rates are limited per user: for `use`
// including root, for `control` except for root and the daemon's own user, whose rights need no lookup.

extension Daemon {
  /// Throws if a client may not make a request, or not yet.
  func admit(_ command: Command, of client: Client) throws(RequestError) {
    switch command.requiredPermission {
    case .read: return
    case .control where client.userID == 0 || client.userID == geteuid(): return
    case .use, .control: break
    }
    // Check the rate first: looking up user and group names may take longer than the request itself.
    if let wait = useLimits.admit(client.userID, at: loop.now, configuration.use) {
      throw .tooFast(retryAfterMilliseconds: wait)
    }
    switch command.requiredPermission {
    case .read: break
    case .use: try requireUse(client)
    case .control: try requireControl(client)
    }
  }

  private func requireUse(_ client: Client) throws(RequestError) {
    let rules = configuration
    guard !rules.use.isOpen else { return }
    let peer = PeerCredentials(of: client.descriptor)
    guard peer?.mayUse(rules.use) == true || peer?.mayControl(rules.control) == true else {
      throw RequestError(
        .notPermitted,
        "this request changes what other clients receive; it is permitted to root, the daemon's own user, and "
          + "the users and groups under use: or control: in the configuration")
    }
  }

  /// Throws if the client has no control rights.
  private func requireControl(_ client: Client) throws(RequestError) {
    let peer = PeerCredentials(of: client.descriptor)
    guard peer?.mayControl(configuration.control) == true else {
      throw RequestError(
        .notPermitted,
        "this request is permitted to root, the daemon's own user, and the users and groups under "
          + "control: in the configuration")
    }
  }
}

/// The user and groups of a socket's peer, as the kernel recorded them when it connected.
struct PeerCredentials: Hashable {
  var userID: UInt32

  /// All groups, including the primary one.
  var groupIDs: Set<UInt32>

  /// Reads the credentials from the kernel; nil if it has none.
  ///
  /// The corresponding kernel constants are `SO_PEERCRED` and `SO_PEERGROUPS`.
  init?(of socket: Int32) {
    var peer = pressured_peer()
    var length = socklen_t(MemoryLayout<pressured_peer>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
    userID = peer.uid
    groupIDs = PeerCredentials.groups(of: socket).union([peer.gid])
  }

  init(userID: UInt32, groupIDs: Set<UInt32>) {
    self.userID = userID
    self.groupIDs = groupIDs
  }

  /// The peer's user ID only, with a single system call; nil if the kernel has none.
  static func userID(of socket: Int32) -> UInt32? {
    var peer = pressured_peer()
    var length = socklen_t(MemoryLayout<pressured_peer>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
    return peer.uid
  }

  /// The most groups that Linux allows a process.
  ///
  /// The corresponding kernel constant is `NGROUPS_MAX`.
  private static let maximumGroups = 65_536

  private static func groups(of socket: Int32) -> Set<UInt32> {
    var length = socklen_t(0)
    // With an empty buffer the kernel returns the required size.
    _ = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nil, &length)
    let count = min(Int(length) / MemoryLayout<gid_t>.stride, maximumGroups)
    guard count > 0 else { return [] }
    var groups = [gid_t](repeating: 0, count: count)
    let result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length)
    return result == 0 ? Set(groups) : []
  }
}

extension PeerCredentials {
  /// Whether the peer may change what the daemon does: root, the daemon's own user, and configured users and groups.
  func mayControl(_ control: ControlConfiguration) -> Bool {
    userID == 0 || userID == geteuid() || isAmong(control.users, control.groups)
  }

  /// Whether the peer may change what other clients receive; control rights include this one.
  func mayUse(_ use: UseConfiguration) -> Bool {
    use.isOpen || isAmong(use.users, use.groups)
  }

  /// Looks names up each time, as group membership may have changed since.
  private func isAmong(_ users: [String], _ groups: [String]) -> Bool {
    if users.contains(where: { getpwnam($0)?.pointee.pw_uid == userID }) { return true }
    return groups.contains { name in
      getgrnam(name).map { groupIDs.contains($0.pointee.gr_gid) } ?? false
    }
  }
}

/// Limits how many requests that change what other clients receive each user, and all users together, may make.
///
/// Root and the daemon's own user do not share the common limit: other users cannot exhaust theirs.
struct UseLimits {
  /// The factor from the limit of one user to that of all users together.
  private static let sharedFactor = 4

  /// With more users than this, those whose bucket is full again are removed.
  private static let pruneThreshold = 64

  private var buckets: [UInt32: TokenBucket] = [:]
  private var shared: TokenBucket?
  private let ownUser: UInt32

  init(ownUser: UInt32 = geteuid()) {
    self.ownUser = ownUser
  }

  /// Admits a request of a user.
  ///
  /// - Returns: milliseconds until the next one is admitted, or nil if this one is.
  mutating func admit(_ user: UInt32, at now: Int64, _ rules: UseConfiguration) -> Int? {
    let (rate, burst) = (Double(rules.requestsPerSecond), Double(rules.burst))
    let factor = Double(UseLimits.sharedFactor)
    if buckets.count > UseLimits.pruneThreshold {
      buckets = buckets.filter { !$1.isFull(at: now, perSecond: rate, burst: burst) }
    }
    var shared = shared ?? TokenBucket(burst: burst * factor, now: now)
    var own = buckets[user] ?? TokenBucket(burst: burst, now: now)
    let wait = own.acquire(at: now, perSecond: rate, burst: burst)
    if wait == nil, sharesLimit(user) {
      let wait = shared.acquire(at: now, perSecond: rate * factor, burst: burst * factor)
      self.shared = shared
      // The user's own token is not consumed.
      if let wait { return UseLimits.milliseconds(wait) }
    }
    buckets[user] = own
    return wait.map(UseLimits.milliseconds)
  }

  /// Charges for lossless lines that a request has sent to clients: no send queue may drop them.
  mutating func charge(_ user: UInt32, bytes: Int) {
    let more = Double(bytes / UseLimits.bytesPerRequest)
    buckets[user]?.charge(more)
    if sharesLimit(user) { shared?.charge(more) }
  }

  private func sharesLimit(_ user: UInt32) -> Bool { user != 0 && user != ownUser }

  private static func milliseconds(_ microseconds: Int64) -> Int {
    Int((microseconds + 999) / 1000)
  }

  /// This many bytes of a line cost one more request, so that by default the lines that all users may cause at once fit
  /// into the send queue of one client.
  private static let bytesPerRequest = 256
}
