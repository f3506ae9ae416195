import Glibc
import Testing

@testable import PressureDesktop

/// One pen for each user.
struct PenLockTests {
  @Test func `a lock that nobody has is acquired, and ended by nobody`() throws {
    let path = "/tmp/pressured-pen-test-\(getpid())"
    defer { unlink(path) }
    let lock = try PenLock(opening: path)
    let nobody = lock.holder
    let ended = try lock.endHolder()
    let other = lock.acquire()
    #expect(nobody == nil && !ended && other == nil)
  }

  @Test func `a link in place of the file is refused`() throws {
    let path = "/tmp/pressured-pen-link-\(getpid())"
    symlink("/tmp/target", path)
    defer { unlink(path) }
    #expect(throws: (any Error).self) { _ = try PenLock(opening: path) }
  }
}
