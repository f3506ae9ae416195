internal import CLinux
internal import Glibc
package import PressureKit

/// The user and groups of a socket's peer, as the kernel recorded them when it connected.
package enum PeerCredentials {
  /// The peer's user ID; nil if the kernel has none.
  package static func userID(of socket: Int32) -> UInt32? { peer(of: socket)?.uid }

  /// The peer's primary group and then its supplementary groups; only the primary one if it has too many others.
  ///
  /// The kernel copies all supplementary groups or none.
  package static func groupIDs(of socket: Int32) -> [UInt32] {
    guard let peer = peer(of: socket) else { return [] }
    return [UInt32](unsafeUninitializedCapacity: maximumGroups + 1) { groups, count in
      groups[0] = peer.gid
      var length = socklen_t(maximumGroups * MemoryLayout<gid_t>.stride)
      let result = getsockopt(
        socket, SOL_SOCKET, SO_PEERGROUPS, groups.baseAddress.map { $0 + 1 }, &length)
      count = result == 0 ? 1 + Int(length) / MemoryLayout<gid_t>.stride : 1
    }
  }

  /// The most supplementary groups that are read: Linux allows 65,536, and any user can connect at any rate.
  package static let maximumGroups = 1024

  private static func peer(of socket: Int32) -> pressured_peer? {
    var peer = pressured_peer()
    var length = socklen_t(MemoryLayout<pressured_peer>.size)
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer : nil
  }
}

/// The numbers of users and groups that the configuration names, as they were when it was loaded.
///
/// Nothing is looked up for a client: a directory service may take seconds for a name, in which no device would be read.
package struct Accounts: Hashable {
  private let users: Set<UInt32>
  private let groups: Set<UInt32>

  /// Looks names up; those that do not exist are left out.
  package init(users: [String] = [], groups: [String] = []) {
    self.users = Set(users.compactMap { getpwnam($0)?.pointee.pw_uid })
    self.groups = Set(groups.compactMap { getgrnam($0)?.pointee.gr_gid })
  }

  package func names(_ user: UInt32) -> Bool { users.contains(user) }

  /// Whether a user is named, or in a group that is named; `groupIDs` is evaluated only if that decides.
  package func include(_ user: UInt32, in groupIDs: @autoclosure () -> [UInt32]) -> Bool {
    users.contains(user) || (!groups.isEmpty && groupIDs().contains(where: groups.contains))
  }
}

package struct Permissions: Hashable {
  /// Who always receives events, besides root and the daemon's own user.
  package let access: Accounts
  private let use: Accounts
  private let control: Accounts
  private let isUseOpen: Bool

  package init(_ configuration: Configuration) {
    let (access, use, control) = (configuration.access, configuration.use, configuration.control)
    self.access = Accounts(users: access.users, groups: access.group.map { [$0] } ?? [])
    self.use = Accounts(users: use.users, groups: use.groups)
    self.control = Accounts(users: control.users, groups: control.groups)
    isUseOpen = use.isOpen
  }

  /// Whether a user may change what the daemon does: root, the daemon's own user, and configured users and groups.
  package func mayControl(_ user: UInt32, in groupIDs: @autoclosure () -> [UInt32]) -> Bool {
    user == 0 || user == geteuid() || control.include(user, in: groupIDs())
  }

  /// Whether a user may change what other clients receive; control rights include this one.
  package func mayUse(_ user: UInt32, in groupIDs: @autoclosure () -> [UInt32]) -> Bool {
    isUseOpen || use.include(user, in: groupIDs()) || mayControl(user, in: groupIDs())
  }
}
