internal import CLinux
internal import Glibc
internal import PressureKit

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
  private static let mostGroups = 65_536

  private static func groups(of socket: Int32) -> Set<UInt32> {
    var length = socklen_t(0)
    // Without room the kernel says how much it needs.
    _ = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nil, &length)
    let count = min(Int(length) / MemoryLayout<gid_t>.stride, mostGroups)
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
