internal import CLinux
internal import CSystemd
internal import Glibc
package import PressureSystem

/// The listening socket: handed over by systemd, or made at a path.
package final class Listener {
  /// Where it is, for people.
  package let path: String

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

  package var descriptor: Int32 { file.number }

  private init(path: String, file: consuming Descriptor, _ ownership: Ownership) {
    self.path = path
    self.file = file
    self.ownership = ownership
  }

  /// Takes the socket that systemd has opened, or nil where there is none.
  ///
  /// - Throws: `handed` where it is of another kind: whoever has opened it expects it to be served.
  package static func fromSystemd() throws(ListenerError) -> Listener? {
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
  package static func fromCompanion() -> Listener? {
    let number = SD_LISTEN_FDS_START
    guard sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), 1, nil, 0) == 1 else { return nil }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return Listener(path: pathOf(number), file: Descriptor(number), .folder)
  }

  /// Makes a socket at a path, in the index of one that nobody serves any more.
  ///
  /// - Parameters:
  ///   - path: where; what is there and is no socket is left alone.
  ///   - mode: the rights of the socket's file.
  ///   - group: its group, or nil to leave it.
  /// - Returns: the socket, ready to be connected to.
  /// - Throws: why it cannot be made.
  package static func make(at path: String, mode: UInt16, group: String?) throws(ListenerError)
    -> Listener
  {
    guard let address = SocketAddress(path: path) else { throw .badPath(path) }
    let lock = try PathLock(path: path)
    try makeRoom(at: path, address)
    do throws(SystemError) {
      let file = try ListeningSocket.make(at: path, address, mode: mode, group: group)
      return Listener(path: path, file: file, .path(lock, FileIdentity(at: path)))
    } catch {
      throw .system(error)
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
    guard result == 0 else { return "a socket of systemd's" }
    return withUnsafeBytes(of: address.sun_path) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func makeRoom(at path: String, _ address: SocketAddress) throws(ListenerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .noSocket(path) }
    let probe = Descriptor(
      socket(
        AF_UNIX,
        Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0))
    let number = probe.number
    let found = FileIdentity(at: path)
    guard address.with({ connect(number, $0, $1) }) != 0 else { throw .inUse(path) }
    guard errno == ECONNREFUSED else { throw .inUse(path) }
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
package enum ListenerError: Error {
  /// It is empty or too long.
  case badPath(String)
  /// Another daemon serves it.
  case inUse(String)
  /// Something else has that name.
  case noSocket(String)
  /// The file that would be its lock is another program's.
  case notOurLock(String)
  /// The service manager has opened so many things, and not one listening socket.
  case handed(count: Int)
  /// The kernel refuses.
  case system(SystemError)

  /// One sentence for people.
  package var sentence: String {
    switch self {
    case .badPath(let path): "\(path) cannot be a socket's path: it is empty or over 107 bytes"
    case .inUse(let path):
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

/// Keeps two daemons from fighting over a path, between looking and taking it, too.
///
/// The lock is a file beside the socket with a content of its own. A file of that name with any other content is
/// another program's and is left alone; an empty one is locked and stays.
final class PathLock {
  private let path: String
  private let file: Descriptor

  /// What is in a lock's file, by which one that a killed daemon has left is known.
  private static let content = Array("Lock of pressured for the socket beside it\n".utf8)

  /// The file, if it is ours to remove.
  private var own: FileIdentity?

  /// Locks the file beside a socket's path.
  ///
  /// - Throws: `inUse` where another daemon holds it; `notOurLock` where the file is another program's.
  init(path: String) throws(ListenerError) {
    self.path = path + ".lock"
    while true {
      let (number, isNew) = try PathLock.open(self.path)
      let file = Descriptor(number)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw .inUse(path) }
      let identity = FileIdentity(of: file.number)
      // Its last owner may have removed the file between our opening and our locking it.
      guard identity != nil, identity == FileIdentity(at: self.path) else { continue }
      if isNew {
        own = identity
        // Without its content, as where the disk is full, it is still a lock, and is removed by us alone.
        _ = PathLock.content.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
      } else {
        switch PathLock.text(of: file.number) {
        case PathLock.content: own = identity
        case []: break
        default: throw .notOurLock(self.path)
        }
      }
      self.file = file
      return
    }
  }

  /// Opens the file, or makes it; nothing but a regular file is opened.
  private static func open(_ path: String) throws(ListenerError) -> (Int32, isNew: Bool) {
    let common = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    while true {
      let made = Glibc.open(path, common | O_CREAT | O_EXCL, 0o600)
      if made >= 0 { return (made, true) }
      guard errno == EEXIST else {
        throw .system(SystemError(making: path, number: errno))
      }
      var status = stat()
      // Gone again: its owner has ended just now.
      guard lstat(path, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else { throw .notOurLock(path) }
      let found = Glibc.open(path, common)
      if found >= 0 { return (found, false) }
      guard errno == ENOENT else {
        throw .system(SystemError(attempt: "open \(path)", number: errno))
      }
    }
  }

  /// The beginning of the file: as much as tells whether it is a lock's.
  private static func text(of number: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: content.count + 1) { buffer, count in
      count = max(pread(number, buffer.baseAddress, buffer.count, 0), 0)
    }
  }

  deinit {
    own?.remove(at: path)
  }
}
