internal import CSystemd
internal import Glibc

/// Keeps two daemons from fighting over a path, between looking and taking it, too.
final class PathLock {
  private let path: String
  private let file: Descriptor

  /// Locks the file beside a socket's path.
  ///
  /// - Throws: `taken` where another daemon holds it.
  init(path: String) throws(ListenerFault) {
    self.path = path + ".lock"
    while true {
      let file = try PathLock.open(self.path)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw .taken(path) }
      // Its last owner may have removed the file between our opening and our locking it.
      guard PathLock.isStill(file.number, at: self.path) else { continue }
      self.file = file
      return
    }
  }

  private static func open(_ path: String) throws(ListenerFault) -> Descriptor {
    let number = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else {
      throw .system(SystemFault(attempt: "make \(path)", number: errno))
    }
    return Descriptor(number)
  }

  private static func isStill(_ number: Int32, at path: String) -> Bool {
    var opened = stat()
    var named = stat()
    return fstat(number, &opened) == 0 && lstat(path, &named) == 0
      && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  deinit {
    unlink(path)
  }
}
