internal import CLinux
internal import Glibc

/// Owns a file descriptor, and closes it.
package struct Descriptor: ~Copyable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }
}

/// Events that a descriptor is ready for, or is watched for.
package struct Readiness: OptionSet {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Data can be read, or the peer has shut down writing.
  package static let reading = Readiness(rawValue: EPOLLIN.rawValue)

  /// Data can be written.
  package static let writing = Readiness(rawValue: EPOLLOUT.rawValue)

  /// An attribute of sysfs has changed.
  package static let exceptional = Readiness(rawValue: EPOLLPRI.rawValue)

  /// Whether the peer has closed the connection, or an error occurred; reported even if not watched for.
  package var isGone: Bool { rawValue & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
}
