internal import CLinux
internal import Glibc
package import PressureKit

/// The user and groups of a socket's peer, as the kernel recorded them when it connected.
package struct PeerCredentials: Hashable {
  package var userID: UInt32

  /// All groups, including the primary one.
  package var groupIDs: Set<UInt32>

  /// Reads the credentials from the kernel; nil if it has none.
  ///
  /// The corresponding kernel constants are `SO_PEERCRED` and `SO_PEERGROUPS`.
  package init?(of socket: Int32) {
    var peer = pressured_peer()
    var length = socklen_t(MemoryLayout<pressured_peer>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
    userID = peer.uid
    groupIDs = PeerCredentials.groups(of: socket).union([peer.gid])
  }

  package init(userID: UInt32, groupIDs: Set<UInt32>) {
    self.userID = userID
    self.groupIDs = groupIDs
  }

  /// The peer's user ID only, with a single system call; nil if the kernel has none.
  package static func userID(of socket: Int32) -> UInt32? {
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
  package func mayControl(_ control: ControlConfiguration) -> Bool {
    userID == 0 || userID == geteuid() || isAmong(control.users, control.groups)
  }

  /// Whether the peer may change what other clients receive; control rights include this one.
  package func mayUse(_ use: UseConfiguration) -> Bool {
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
