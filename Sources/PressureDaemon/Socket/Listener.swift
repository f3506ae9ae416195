internal import CLinux
internal import CSystemd
internal import Glibc
package import PressureKit
internal import PressureLoop
package import PressureSystem

/// The listening socket: passed by systemd, or created at a path.
package final class Listener {
  package let path: String

  /// Which process removes the socket's file on exit.
  private enum Ownership {
    /// systemd keeps it, so that the next connection starts the daemon again.
    case systemd
    /// This daemon, if the file is still the same; the lock keeps other daemons from the path until then.
    case path(PathLock, FileIdentity?)
    /// This daemon, together with the folder, which contains nothing else.
    case folder
  }

  private let file: Descriptor
  private let ownership: Ownership

  /// Whether every user can connect, so that the daemon decides; otherwise the permissions of the file do.
  package private(set) var isOpenToAll: Bool

  package var descriptor: Int32 { file.number }

  private init(
    path: String, file: consuming Descriptor, isOpenToAll: Bool, _ ownership: Ownership
  ) {
    self.path = path
    self.file = file
    self.isOpenToAll = isOpenToAll
    self.ownership = ownership
  }

  /// Adopts the socket that systemd has passed, which must be a listening Unix stream socket; nil if there is none.
  package static func fromSystemd() throws(ExitError) -> Listener? {
    let passed: Descriptor?
    do throws(PassedSocket.Unsuitable) {
      passed = try PassedSocket.adopt()
    } catch {
      let descriptor =
        error.count == 1 ? "the descriptor" : "one of the \(error.count) descriptors"
      throw ExitError(
        "\(descriptor) from the service manager is not a listening Unix stream socket; "
          + "a .socket unit for pressured has one ListenStream= with a path", .badConfiguration)
    }
    guard let passed else { return nil }
    let path = pathOf(passed.number)
    var status = stat()
    // A path that cannot be checked counts as open.
    let isOpenToAll = stat(path, &status) != 0 || status.st_mode & S_IWOTH != 0
    return Listener(path: path, file: passed, isOpenToAll: isOpenToAll, .systemd)
  }

  /// Adopts the socket of the program that started this private daemon; nil if there is none.
  package static func fromParentProgram() -> Listener? {
    let number = SD_LISTEN_FDS_START
    guard sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), 1, nil, 0) == 1 else { return nil }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return Listener(
      path: pathOf(number), file: Descriptor(number), isOpenToAll: false, .folder)
  }

  /// Creates a socket at a path; replaces one that no daemon serves any more.
  package static func make(
    at path: String, _ configuration: Configuration
  ) throws(ExitError) -> Listener {
    let permissions = configuration.socketPermissions
    guard let address = SocketAddress(path: path) else {
      throw ExitError(
        "\(path) is not a valid socket path: it is empty or longer than 107 bytes", .usage)
    }
    let lock = try PathLock(path: path)
    try makeRoom(at: path, address)
    var identity: FileIdentity?
    let file = try SystemError.orExit(
      .cannotCreate,
      try ListeningSocket.make(
        at: path, address, mode: permissions.mode, group: permissions.group, &identity))
    return Listener(
      path: path, file: file, isOpenToAll: permissions.areOpenToAll, .path(lock, identity))
  }

  /// Applies a changed configuration to the file of a socket that this daemon has created.
  ///
  /// One that is open to all stays so, as the daemon decides then.
  func adopt(_ configuration: Configuration) {
    guard !isOpenToAll, case .path(_, let identity) = ownership, identity == FileIdentity(at: path)
    else { return }
    let permissions = configuration.socketPermissions
    isOpenToAll = permissions.areOpenToAll
    do throws(SystemError) {
      try ListeningSocket.setPermissions(
        of: path, mode: permissions.mode, group: permissions.group)
    } catch {
      Log.warning(error.sentence)
    }
  }

  private static func pathOf(_ number: Int32) -> String {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(number, $0, &length)
      }
    }
    guard result == 0 else { return "a socket passed by systemd" }
    return withUnsafeBytes(of: address.sun_path) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func makeRoom(at path: String, _ address: SocketAddress) throws(ExitError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ExitError(
        "\(path) exists and is not a socket; choose another path with --socket", .cannotCreate)
    }
    let found = FileIdentity(at: path)
    let probe = try SystemError.orExit(.cannotCreate, try Descriptor.unixSocket(isBlocking: false))
    let number = address.with { connect(probe.number, $0, $1) } == 0 ? 0 : errno
    switch number {
    case ENOENT: break
    case ECONNREFUSED: found?.remove(at: path)
    // With EAGAIN, its listen backlog is full.
    case 0, EAGAIN: throw .inUse(path)
    default:
      let error = SystemError(attempt: "connect to \(path)", number: number)
      throw ExitError(error.sentence, .cannotCreate)
    }
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

extension Configuration {
  /// Who may connect by the permissions of a socket's file; without a group it is given the daemon's own.
  ///
  /// Every user can connect, so that the daemon decides, only if no mode is set. A daemon of root serves the machine; that of a
  /// user serves the user, and a group that the user is in.
  fileprivate var socketPermissions: (areOpenToAll: Bool, mode: UInt16, group: gid_t?) {
    let mode = socket.mode
    let areOpenToAll = mode == nil && access.seat && geteuid() == 0 && LoginMonitor.isPossible
    let name = areOpenToAll ? nil : access.group
    // A user need not be in the group of the service.
    let isMeant = geteuid() == 0 || name != AccessConfiguration().group
    let group = isMeant ? name.flatMap { getgrnam($0)?.pointee.gr_gid } : nil
    return (areOpenToAll, mode ?? (areOpenToAll ? 0o666 : 0o660), group)
  }
}

extension ExitError {
  fileprivate static func inUse(_ path: String) -> ExitError {
    ExitError(
      "another pressured already listens on \(path); stop it, or choose another path with --socket",
      .cannotCreate)
  }

  /// The lock file's path is taken by another program's file.
  fileprivate static func notOurLock(_ path: String) -> ExitError {
    ExitError(
      "\(path) exists and is not a lock file of pressured; choose another path with --socket",
      .cannotCreate)
  }
}

/// Keeps two daemons from serving one path; also closes the race between checking the path and binding it.
///
/// The lock is a file beside the socket with fixed contents, or empty if its daemon was killed too early. A file of that name with
/// other contents belongs to another program and is left alone.
final class PathLock {
  private let path: String
  private let file: Descriptor
  private let identity: FileIdentity

  /// The contents of a lock file, by which the file of a killed daemon is recognized.
  private static let content = Array("Lock of pressured for the socket beside it\n".utf8)

  /// Locks the file beside a socket's path, unless another daemon has or it belongs to another program.
  init(path: String) throws(ExitError) {
    self.path = path + ".lock"
    while true {
      let file = try PathLock.open(self.path)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        if errno == EWOULDBLOCK { throw .inUse(path) }
        let error = SystemError(attempt: "lock \(self.path)", number: errno)
        throw ExitError(error.sentence, .cannotCreate)
      }
      // The last owner may have removed the file between open and flock.
      guard let identity = FileIdentity(of: file.number), identity == FileIdentity(at: self.path)
      else { continue }
      let (number, content) = (file.number, PathLock.content)
      // The beginning of the file, long enough to recognize a lock.
      let text = [UInt8](unsafeUninitializedCapacity: content.count + 1) { buffer, count in
        count = max(pread(number, buffer.baseAddress, buffer.count, 0), 0)
      }
      guard text == content || text.isEmpty else { throw .notOurLock(self.path) }
      // Without its contents, for example on a full disk, it is still a lock.
      if text.isEmpty { _ = content.withUnsafeBytes { DescriptorWriter.writeAll($0, to: number) } }
      self.file = file
      self.identity = identity
      return
    }
  }

  /// Opens or creates the lock file; refuses anything but a regular file.
  private static func open(_ path: String) throws(ExitError) -> Descriptor {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let number = Glibc.open(path, flags, 0o600)
    guard number >= 0 else {
      let error = SystemError(making: path, number: errno)
      guard error.number != ELOOP, error.number != EISDIR else { throw .notOurLock(path) }
      throw ExitError(error.sentence, .cannotCreate)
    }
    let file = Descriptor(number)
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notOurLock(path)
    }
    return file
  }

  deinit {
    identity.remove(at: path)
  }
}
