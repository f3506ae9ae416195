internal import Glibc
internal import PressureKit
internal import PressureProtocol
package import PressureSystem

package enum AtomicFile {
  /// Replaces a file atomically, and creates its folder: on an error the old file stays.
  ///
  /// - Parameters:
  ///   - bytes: the new contents.
  ///   - path: the file's path.
  ///   - waits: whether to wait until the disk has it, so that the old file stays on a power failure, too; otherwise the file may
  ///     then be empty or cut.
  ///   - keep: called just before the rename, to preserve the old file.
  /// - Throws: the system call that failed.
  package static func write(
    _ bytes: [UInt8], to path: String, waitsForDisk waits: Bool = true,
    keep: () throws(SystemError) -> Void = {}
  ) throws(SystemError) {
    let temporary = path + ".new"
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    try createFolders(folder)
    do throws(SystemError) {
      // The path may be a pipe that blocks, a link, or another name of a file that must not change.
      unlink(temporary)
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
      let file = Descriptor(
        try SystemError.checkErrno(open(temporary, flags, 0o644), "create \(temporary)"))
      let number = bytes.withUnsafeBytes { DescriptorWriter.writeAll($0, to: file.number) }
      guard number == 0 else { throw SystemError(attempt: "write \(temporary)", number: number) }
      // Otherwise the rename may reach the disk before the contents.
      if waits { try SystemError.checkErrno(fsync(file.number), "write \(temporary)") }
      try keep()
      try SystemError.checkErrno(rename(temporary, path), "rename \(path).new")
    } catch {
      unlink(temporary)
      throw error
    }
    guard waits else { return }
    // The entries of the folder must survive a power failure as well.
    let opened = Descriptor(
      try SystemError.checkErrno(
        open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open \(folder)"))
    try SystemError.checkErrno(fsync(opened.number), "write \(folder)")
  }

  /// Creates a folder, and those above it.
  package static func createFolders(_ path: String) throws(SystemError) {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      if mkdir(made, 0o755) == 0 || errno == EEXIST { continue }
      // `access` changes `errno`.
      let number = errno
      // A parent folder may exist without this process having the right to create it.
      guard access(made, F_OK) != 0 else { continue }
      throw SystemError(attempt: "create the folder \(made)", number: number)
    }
  }
}
