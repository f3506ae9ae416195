internal import CLinux
internal import Glibc
internal import PressureSystem

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
  /// - Throws: `taken` where another daemon holds it; `notOurLock` where the file is another program's.
  init(path: String) throws(ListenerError) {
    self.path = path + ".lock"
    while true {
      let (number, isNew) = try PathLock.open(self.path)
      let file = Descriptor(number)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw .taken(path) }
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
