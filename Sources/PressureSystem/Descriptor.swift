internal import CLinux
internal import Glibc

/// Owns an open file, and closes it.
package struct Descriptor: ~Copyable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }
}

/// What a descriptor is ready for, or is to be watched for.
package struct Readiness: OptionSet {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// There is something to read, or the other side has shut its sending.
  package static let reading = Readiness(rawValue: EPOLLIN.rawValue)

  /// There is room to write.
  package static let writing = Readiness(rawValue: EPOLLOUT.rawValue)

  /// The other side is gone; always reported, watched for or not.
  package static let gone = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}
