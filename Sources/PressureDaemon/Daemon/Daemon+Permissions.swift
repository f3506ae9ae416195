internal import CLinux
internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// Rights come in three steps: all that may connect may read; `use` is for changing what others read; `control` is for
// changing what the daemon does. How often is limited for each user: of `use` for root as well, of `control` for
// those of whom it must be looked up whether they may.

extension Daemon {
  /// Refuses a request that a client may not ask for, or not yet.
  func admit(_ command: Command, of client: Client) throws(RequestError) {
    switch command.right {
    case .read: return
    case .control where client.userID == 0 || client.userID == geteuid(): return
    case .use, .control: break
    }
    // First, as looking up names may take longer than what is asked for.
    if let wait = useLimits.admit(client.userID, at: loop.now, configuration.use) {
      throw .tooFast(retryAfterMilliseconds: wait)
    }
    switch command.right {
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
        "this changes what others read, and is for root, the daemon's own user, and those under use: or "
          + "control: in its configuration")
    }
  }

  /// Refuses those who may only watch.
  private func requireControl(_ client: Client) throws(RequestError) {
    let peer = PeerCredentials(of: client.descriptor)
    guard peer?.mayControl(configuration.control) == true else {
      throw RequestError(
        .notPermitted,
        "this is for root, the daemon's own user, and those under control: in its "
          + "configuration")
    }
  }
}

/// Who is at the other end of a socket, as the kernel noted it when they connected.
struct PeerCredentials: Hashable {
  var userID: UInt32

  /// All groups, the user's own among them.
  var groupIDs: Set<UInt32>

  /// Asks the kernel; nil where it does not say.
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

  /// The user at the other end alone, which is a single question; nil where the kernel does not say.
  static func userID(of socket: Int32) -> UInt32? {
    var peer = pressured_peer()
    var length = socklen_t(MemoryLayout<pressured_peer>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
    return peer.uid
  }

  /// As many groups as Linux lets a process have.
  ///
  /// The corresponding kernel constant is `NGROUPS_MAX`.
  private static let maximumGroups = 65_536

  private static func groups(of socket: Int32) -> Set<UInt32> {
    var length = socklen_t(0)
    // Without room the kernel says how much it needs.
    _ = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nil, &length)
    let count = min(Int(length) / MemoryLayout<gid_t>.stride, maximumGroups)
    guard count > 0 else { return [] }
    var groups = [gid_t](repeating: 0, count: count)
    let result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length)
    return result == 0 ? Set(groups) : []
  }
}

extension PeerCredentials {
  /// Whether they may change what the daemon does: root, whoever the daemon runs as, and who is configured.
  func mayControl(_ control: ControlConfiguration) -> Bool {
    userID == 0 || userID == geteuid() || isAmong(control.users, control.groups)
  }

  /// Whether they may change what others read; those that may control the daemon may, too.
  func mayUse(_ use: UseConfiguration) -> Bool {
    use.isOpen || isAmong(use.users, use.groups)
  }

  /// Names are looked up each time, as somebody may have joined a group since.
  private func isAmong(_ users: [String], _ groups: [String]) -> Bool {
    if users.contains(where: { getpwnam($0)?.pointee.pw_uid == userID }) { return true }
    return groups.contains { name in
      getgrnam(name).map { groupIDs.contains($0.pointee.gr_gid) } ?? false
    }
  }
}

/// How many requests that change what others read each user may have, and all users together.
///
/// Root and the daemon's own user have limits of their own alone: no number of others keeps them out.
struct UseLimits {
  /// All users together may have so many times what one may.
  private static let sharedFactor = 4

  /// With more users than this, those that have paused for long enough are forgotten.
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
      // Its own token is left where it is.
      if let wait { return UseLimits.milliseconds(wait) }
    }
    buckets[user] = own
    return wait.map(UseLimits.milliseconds)
  }

  /// Counts what a request has sent to clients in vain of any queue: lines that are never dropped.
  mutating func charge(_ user: UInt32, bytes: Int) {
    let more = Double(bytes / UseLimits.bytesPerRequest)
    buckets[user]?.charge(more)
    if sharesLimit(user) { shared?.charge(more) }
  }

  private func sharesLimit(_ user: UInt32) -> Bool { user != 0 && user != ownUser }

  private static func milliseconds(_ microseconds: Int64) -> Int {
    Int((microseconds + 999) / 1000)
  }

  /// Each of these in a line costs one request more, so that what all users may send at once by default is less than
  /// what may wait for one client by default.
  private static let bytesPerRequest = 256
}
