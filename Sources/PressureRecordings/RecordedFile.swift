internal import Glibc
package import PressureSystem

/// A file that grows by whole pieces: what cannot be written whole leaves no trace.
package final class RecordedFile {
  package let path: String

  private let file: Descriptor

  /// Whether it was not there before.
  private let isNew: Bool

  /// How many bytes there are of whole pieces.
  private var length: off_t = 0

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - path: where.
  ///   - replaces: whether it may take the place of another file's content.
  /// - Throws: why it is not made; EEXIST where it is there and may not be replaced.
  package init(path: String, replaces: Bool) throws(SystemError) {
    self.path = path
    // A limit of size, or a pipe that nobody reads, is a reason to say so and end, not to die.
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    let manner = O_WRONLY | O_CREAT | O_CLOEXEC
    var number = open(path, manner | O_EXCL, 0o644)
    isNew = number >= 0
    if replaces, !isNew, errno == EEXIST { number = open(path, manner | O_TRUNC, 0o644) }
    guard number >= 0 else { throw SystemError(making: path, number: errno) }
    file = Descriptor(number)
  }

  /// Writes a piece behind the others.
  ///
  /// - Throws: why it cannot, as where the disk is full; the pieces before it are there then.
  package func append(_ text: String) throws(SystemError) {
    try append(Array(text.utf8))
  }

  /// The same for bytes.
  package func append(_ bytes: [UInt8]) throws(SystemError) {
    let number = bytes.withUnsafeBufferPointer { RecordedFile.write($0, to: file.number) }
    guard number == 0 else {
      ftruncate(file.number, length)
      throw SystemError(attempt: "write \(path)", number: number)
    }
    length += off_t(bytes.count)
  }

  /// Makes sure that what was written is on the disk.
  package func finish() throws(SystemError) {
    // A pipe or a device, which --force may write to, has no disk.
    guard fsync(file.number) != 0, errno != EINVAL, errno != EROFS else { return }
    throw SystemError(attempt: "write \(path)", number: errno)
  }

  /// Takes the file away again, if it was not there before.
  package func discard() {
    if isNew { unlink(path) }
  }

  /// Gives the number of the error, or 0.
  private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeBufferPointer(rebasing: rest)
      let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : ENOSPC }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}
