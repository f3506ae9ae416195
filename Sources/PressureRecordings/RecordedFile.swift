internal import Glibc
package import PressureSystem

/// A file that grows by whole records: a record that cannot be written completely is truncated away.
package final class RecordedFile {
  package let path: String

  private let file: Descriptor
  private let isNew: Bool

  /// The length of the complete records in bytes.
  private var length: off_t = 0

  /// Creates the file; throws EEXIST if it exists and may not be replaced.
  package init(path: String, replaces: Bool) throws(SystemError) {
    self.path = path
    // Ignored, so that write() fails with EFBIG instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    var number = open(path, flags | O_EXCL, 0o644)
    isNew = number >= 0
    if replaces, !isNew, errno == EEXIST { number = open(path, flags | O_TRUNC, 0o644) }
    guard number >= 0 else { throw SystemError(making: path, number: errno) }
    file = Descriptor(number)
  }

  /// Throws if a file could not be created now, without doing so; EEXIST if it exists.
  package static func check(_ path: String) throws(SystemError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(path, F_OK) != 0 else { throw SystemError(making: path, number: EEXIST) }
    guard access(folder, W_OK | X_OK) != 0 else { return }
    throw SystemError(making: path, number: errno)
  }

  package var descriptor: Int32 { file.number }

  /// Appends a record; after an error, such as of a full disk, the records before it remain.
  package func append(_ text: String) throws(SystemError) { try append(Array(text.utf8)) }

  package func append(_ bytes: [UInt8]) throws(SystemError) {
    let number = bytes.withUnsafeBytes { DescriptorWriter.writeAll($0, to: file.number) }
    guard number == 0 else {
      ftruncate(file.number, length)
      throw SystemError(attempt: "write \(path)", number: number)
    }
    length += off_t(bytes.count)
  }

  package func finish() throws(SystemError) {
    // A pipe or a device, to which --force may write, cannot be flushed.
    guard fsync(file.number) != 0, errno != EINVAL, errno != EROFS else { return }
    throw SystemError(attempt: "write \(path)", number: errno)
  }

  package func discard() {
    if isNew { unlink(path) }
  }
}
