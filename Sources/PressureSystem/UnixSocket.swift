package import CLinux
internal import Glibc

extension Descriptor {
  /// Creates a Unix stream socket, which programs that are started do not inherit.
  package static func unixSocket(isBlocking: Bool) throws(SystemError) -> Descriptor {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
    let number = socket(AF_UNIX, Int32(isBlocking ? type : type | SOCK_NONBLOCK.rawValue), 0)
    return Descriptor(try SystemError.checkErrno(number, "create a socket"))
  }
}

package enum ListeningSocket {
  /// How many connections may wait to be accepted; `Backlog=` of pressured.socket is the same.
  ///
  /// A new connection waits for all before it, also for those that are refused: with 4096 of a stranger, 0.1 s.
  private static let backlog: Int32 = 1024

  /// Creates a socket for another process to serve in a private folder; only this user may connect.
  package static func make(at path: String) throws(SystemError) -> Descriptor {
    guard let address = SocketAddress(path: path) else {
      throw SystemError(attempt: "create the socket \(path)", number: ENAMETOOLONG)
    }
    var identity: FileIdentity?
    return try make(at: path, address, mode: 0o600, &identity)
  }

  /// Creates a socket with permissions; `identity` is the file's, taken before another process can know of it.
  package static func make(
    at path: String, _ address: SocketAddress, mode: UInt16, group: gid_t? = nil,
    _ identity: inout FileIdentity?
  ) throws(SystemError) -> Descriptor {
    let file = try Descriptor.unixSocket(isBlocking: false)
    // No process may connect before the permissions are set: the file takes these of the socket. The mask of the process is that of
    // all its threads.
    try SystemError.checkErrno(fchmod(file.number, 0), "create a socket")
    try SystemError.checkErrno(
      address.with { bind(file.number, $0, $1) }, "create the socket \(path)")
    identity = FileIdentity(at: path)
    do throws(SystemError) {
      // Before the permissions are set, so that a client that may connect is never refused.
      try SystemError.checkErrno(listen(file.number, backlog), "listen on \(path)")
      try setPermissions(of: path, mode: mode, group: group)
    } catch {
      identity?.remove(at: path)
      throw error
    }
    return file
  }

  /// Sets the permissions of a socket's file, and its group unless that is nil; follows no symbolic link that may have replaced it.
  package static func setPermissions(
    of path: String, mode: UInt16, group: gid_t?
  ) throws(SystemError) {
    if let group, lchown(path, uid_t.max, group) != 0 {
      let error = SystemError(attempt: "give \(path) to the group \(group)", number: errno)
      // A user may give it only to a group of the user.
      guard error.number == EPERM else { throw error }
      Log.warning(error.sentence)
    }
    try SystemError.checkErrno(
      fchmodat(AT_FDCWD, path, mode_t(mode), AT_SYMLINK_NOFOLLOW), "set the permissions of \(path)")
  }
}

package struct SocketAddress {
  private var address = sockaddr_un()

  /// Creates an address from a path; nil if it is empty or too long for the kernel.
  package init?(path: String) {
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  /// Calls `body` with the arguments for `bind` and `connect`.
  package func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
