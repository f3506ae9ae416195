package import Glibc
package import PressureSystem

/// Lets a user have one pen at a time, and finds the process that has it.
///
/// A lock of fcntl(2) on a file in `$XDG_RUNTIME_DIR`: the kernel ends it with the process, however that ends, and states
/// whose it is. A file with a process ID could be left behind and name another program.
package struct PenLock: ~Copyable {
  private let file: Descriptor

  private static let fileName = "pressured-pen.lock"

  /// How long a pen may take to end, in microseconds, and how often that is checked.
  private static let timeout: UInt32 = 5_000_000
  private static let interval: UInt32 = 20_000

  /// The path of the file; nil without `$XDG_RUNTIME_DIR`, which sudo(8) removes.
  package static var path: String? {
    let folder = Environment.value("XDG_RUNTIME_DIR") ?? (geteuid() == 0 ? "/run" : nil)
    return folder.map { "\($0)/\(fileName)" }
  }

  /// Opens the file without locking it.
  package init(opening path: String) throws(SystemError) {
    file = Descriptor(
      try SystemError.checkErrno(
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600), "open \(path)"))
  }

  /// Locks the file for this process; nil, or else the process that has locked it: 0 if that is not visible here.
  package borrowing func acquire() -> pid_t? {
    var lock = PenLock.whole
    if fcntl(file.number, F_SETLK, &lock) == 0 { return nil }
    return holder ?? 0
  }

  package var holder: pid_t? {
    var lock = PenLock.whole
    guard fcntl(file.number, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }

  /// Ends the process that has locked the file, and waits until it has; returns whether there was one.
  ///
  /// One that was stopped continues first, and one that does not end is killed: the kernel and the daemon give the pad back.
  package borrowing func endHolder() throws(SystemError) -> Bool {
    guard let process = holder else { return false }
    guard process > 0 else {
      throw SystemError(
        attempt: "end the other pen, which runs outside of this container", number: ESRCH)
    }
    for number in [SIGTERM, SIGKILL] {
      // Not after the other signal: a process that ends may be traced (by a leak checker, for example), whose stops this would undo.
      _ = kill(process, SIGCONT)
      let status = kill(process, number)
      // It may have ended meanwhile.
      if status != 0, errno == ESRCH, holder != process { return true }
      try SystemError.checkErrno(status, "end the other pen, process \(process)")
      for _ in 0..<PenLock.timeout / PenLock.interval {
        guard holder == process else { return true }
        usleep(PenLock.interval)
      }
      if holder != process { return true }
    }
    throw SystemError(attempt: "wait for the end of process \(process)", number: ETIMEDOUT)
  }

  private static var whole: flock {
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    return lock
  }
}
