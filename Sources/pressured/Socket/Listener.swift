internal import CSystemd
internal import Glibc

/// The listening socket: handed over by systemd, or made at a path.
final class Listener {
  /// Where it is, for people.
  let path: String

  /// Who sees to the socket's file at the end.
  private enum Ownership {
    /// systemd: it stays, so that the next connection starts the daemon again.
    case systemd
    /// We do, if it is still the same file; and nobody else may serve the path until then.
    case path(PathLock, FileIdentity?)
    /// We do, and its folder is for nothing else.
    case folder
  }

  private let file: Descriptor
  private let ownership: Ownership

  var descriptor: Int32 { file.number }

  private init(path: String, file: consuming Descriptor, _ ownership: Ownership) {
    self.path = path
    self.file = file
    self.ownership = ownership
  }

  /// Takes the socket that systemd has opened, or nil where there is none.
  ///
  /// - Throws: `handed` where it is of another kind: whoever has opened it expects it to be served.
  static func fromSystemd() throws(ListenerFault) -> Listener? {
    let count = sd_listen_fds(1)
    guard count >= 1 else { return nil }
    let number = SD_LISTEN_FDS_START
    guard count == 1, sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), 1, nil, 0) == 1 else {
      throw .handed(count: Int(count))
    }
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    return Listener(path: pathOf(number), file: Descriptor(number), .systemd)
  }

  /// Takes the socket of a program of ours that has started us for itself alone, or nil where there is none.
  static func fromCompanion() -> Listener? {
    let number = SD_LISTEN_FDS_START
    guard sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), 1, nil, 0) == 1 else { return nil }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return Listener(path: pathOf(number), file: Descriptor(number), .folder)
  }

  /// Makes a socket for somebody else to serve, which only we may open.
  ///
  /// - Parameter path: where, in a folder of our own.
  /// - Returns: the socket, which listens.
  /// - Throws: why it cannot be made.
  static func descriptor(at path: String) throws(SystemFault) -> Descriptor {
    guard let address = SocketAddress(path: path) else {
      throw SystemFault(attempt: "make the socket \(path)", number: ENAMETOOLONG)
    }
    return try bound(to: path, address, mode: 0o600, group: nil)
  }

  /// Makes a socket at a path, in the place of one that nobody serves any more.
  ///
  /// - Parameters:
  ///   - path: where; what is there and is no socket is left alone.
  ///   - mode: the rights of the socket's file.
  ///   - group: its group, or nil to leave it.
  /// - Returns: the socket, ready to be connected to.
  /// - Throws: why it cannot be made.
  static func make(at path: String, mode: UInt16, group: String?) throws(ListenerFault)
    -> Listener
  {
    guard let address = SocketAddress(path: path) else { throw .badPath(path) }
    let lock = try PathLock(path: path)
    try makeRoom(at: path, address)
    do throws(SystemFault) {
      let file = try bound(to: path, address, mode: mode, group: group)
      return Listener(path: path, file: file, .path(lock, FileIdentity(at: path)))
    } catch {
      throw .system(error)
    }
  }

  private static func bound(
    to path: String, _ address: SocketAddress, mode: UInt16, group: String?
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
      // Before the permissions are set, so that a client that may connect is never refused.
      try SystemFault.checkErrno(listen(file.number, SOMAXCONN), "listen on \(path)")
      try give(path, to: group)
      // Neither follows a link that has taken the name meanwhile.
      try SystemFault.checkErrno(
        fchmodat(AT_FDCWD, path, mode_t(mode), AT_SYMLINK_NOFOLLOW), "set the rights of \(path)")
    } catch {
      made?.remove(at: path)
      throw error
    }
    return file
  }

  private static func pathOf(_ number: Int32) -> String {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(number, $0, &length)
      }
    }
    guard result == 0 else { return "a socket of systemd's" }
    return withUnsafeBytes(of: address.sun_path) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func give(_ path: String, to group: String?) throws(SystemFault) {
    guard let group else { return }
    guard let entry = getgrnam(group) else {
      throw SystemFault(attempt: "give \(path) to the group \(group)", number: ENOENT)
    }
    try SystemFault.checkErrno(
      lchown(path, uid_t.max, entry.pointee.gr_gid), "give \(path) to the group \(group)")
  }

  private static func makeRoom(at path: String, _ address: SocketAddress) throws(ListenerFault) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .noSocket(path) }
    let probe = Descriptor(
      socket(
        AF_UNIX,
        Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0))
    let number = probe.number
    let found = FileIdentity(at: path)
    guard address.with({ connect(number, $0, $1) }) != 0 else { throw .taken(path) }
    guard errno == ECONNREFUSED else { throw .taken(path) }
    found?.remove(at: path)
  }

  deinit {
    switch ownership {
    case .systemd: break
    case .path(_, let identity): identity?.remove(at: path)
    case .folder:
      unlink(path)
      if let end = path.lastIndex(of: "/") { rmdir(String(path[..<end])) }
    }
  }
}

/// Why a socket cannot be made.
enum ListenerFault: Error {
  /// It is empty or too long.
  case badPath(String)
  /// Another daemon serves it.
  case taken(String)
  /// Something else has that name.
  case noSocket(String)
  /// The file that would be its lock is another program's.
  case notOurLock(String)
  /// The service manager has opened so many things, and not one listening socket.
  case handed(count: Int)
  /// The kernel refuses.
  case system(SystemFault)

  /// One sentence for people.
  var sentence: String {
    switch self {
    case .badPath(let path): "\(path) cannot be a socket's path: it is empty or over 107 bytes"
    case .taken(let path):
      "another pressured serves \(path) already; stop it, or choose another with --socket"
    case .noSocket(let path):
      "\(path) is there and is no socket, so it is left alone; choose another with --socket"
    case .notOurLock(let path):
      "\(path) is there and is not a lock of pressured, so it is left alone; choose another socket "
        + "with --socket"
    case .handed(let count):
      "\(count == 1 ? "what" : "one of the \(count) things that") the service manager has opened is no "
        + "listening Unix stream socket; a .socket unit for pressured has one ListenStream= with a path"
    case .system(let fault): fault.sentence
    }
  }
}
