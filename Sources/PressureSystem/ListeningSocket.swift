internal import CLinux
internal import Glibc

/// Makes Unix stream sockets that listen.
package enum ListeningSocket {
  /// Makes a socket for another process to serve, which only this user may open.
  ///
  /// - Parameter path: its name, in a private directory.
  /// - Returns: the socket, which listens.
  /// - Throws: why it cannot be made.
  package static func make(at path: String) throws(SystemFault) -> Descriptor {
    guard let address = SocketAddress(path: path) else {
      throw SystemFault(attempt: "make the socket \(path)", number: ENAMETOOLONG)
    }
    return try make(at: path, address, mode: 0o600, group: nil)
  }

  package static func make(
    at path: String, _ address: SocketAddress, mode: UInt16, group: String?
  ) throws(SystemFault) -> Descriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let file = Descriptor(try SystemFault.checkErrno(socket(AF_UNIX, type, 0), "make a socket"))
    // Nobody may connect before the file has its rights.
    let oldMask = umask(0o777)
    let result = address.with { bind(file.number, $0, $1) }
    let number = errno
    umask(oldMask)
    guard result == 0 else { throw SystemFault(attempt: "make the socket \(path)", number: number) }
    let made = FileIdentity(at: path)
    do throws(SystemFault) {
      try give(path, to: group)
      // Neither follows a link that has taken the name meanwhile.
      try SystemFault.checkErrno(
        fchmodat(AT_FDCWD, path, mode_t(mode), AT_SYMLINK_NOFOLLOW), "set the rights of \(path)")
      try SystemFault.checkErrno(listen(file.number, SOMAXCONN), "listen on \(path)")
    } catch {
      made?.remove(at: path)
      throw error
    }
    return file
  }

  private static func give(_ path: String, to group: String?) throws(SystemFault) {
    guard let group else { return }
    guard let entry = getgrnam(group) else {
      throw SystemFault(attempt: "give \(path) to the group \(group)", number: ENOENT)
    }
    try SystemFault.checkErrno(
      lchown(path, uid_t.max, entry.pointee.gr_gid), "give \(path) to the group \(group)")
  }
}
