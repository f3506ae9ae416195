internal import CLinux

/// What a descriptor is ready for, or is to be watched for.
struct Readiness: OptionSet {
  let rawValue: UInt32

  /// There is something to read, or the other side has shut its sending.
  static let reading = Readiness(rawValue: EPOLLIN.rawValue)

  /// There is room to write.
  static let writing = Readiness(rawValue: EPOLLOUT.rawValue)

  /// The other side is gone; always reported, watched for or not.
  static let gone = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}
