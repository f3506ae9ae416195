internal import Glibc
internal import PressureKit
internal import PressureProtocol
package import PressureSystem

/// Files that are read and written as a whole.
package enum AtomicFile {
  /// Why a file is not read.
  package enum ReadError: Error {
    /// There is none.
    case missing
    /// It is larger than anything of its kind.
    case tooLarge(limit: Int)
    /// It is a pipe, a device or a link where only a regular file will do; named with its article.
    case notRegular(String)
    /// The kernel refuses, with this number.
    case refused(Int32)

    /// To stand after "cannot read it: ".
    package var reason: String {
      switch self {
      case .missing: "there is no such file"
      case .tooLarge(let limit): "it is larger than \(limit >> 10) KiB"
      case .notRegular(let kind): InputFile.OpenError.notRegular(kind).reason
      case .refused(let number): String(cString: strerror(number))
      }
    }
  }

  /// Reads a file of at most so many bytes.
  ///
  /// - Parameters:
  ///   - path: which; relative to `folder`, where there is one.
  ///   - limit: the most bytes that it may have.
  ///   - kind: what it may be besides a regular file.
  ///   - folder: the descriptor of a folder that is open.
  /// - Returns: its bytes.
  /// - Throws: why it is not read.
  package static func read(
    _ path: String, limit: Int, accepting kind: InputFile.Kind = .regular,
    in folder: Int32 = AT_FDCWD
  ) throws(ReadError) -> [UInt8] {
    let file: Descriptor
    do throws(InputFile.OpenError) {
      file = try InputFile.open(path, kind, in: folder)
    } catch {
      throw ReadError(error)
    }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let part = try part(of: file)
      guard !part.isEmpty else { return bytes }
      bytes += part
    }
    throw .tooLarge(limit: limit)
  }

  private static func part(of file: borrowing Descriptor) throws(ReadError) -> [UInt8] {
    let number = file.number
    var code: Int32 = 0
    let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      var got: Int
      repeat {
        got = Glibc.read(number, buffer.baseAddress, buffer.count)
      } while got < 0 && errno == EINTR
      code = got < 0 ? errno : 0
      count = max(got, 0)
    }
    guard code == 0 else { throw .refused(code) }
    return part
  }
}

extension AtomicFile.ReadError {
  package init(_ fault: InputFile.OpenError) {
    switch fault {
    case .notRegular(let kind): self = .notRegular(kind)
    case .refused(ENOENT), .refused(ENOTDIR): self = .missing
    case .refused(let number): self = .refused(number)
    }
  }
}

// MARK: - Writing

extension AtomicFile {
  /// Writes a file whole or not at all: whatever fails, and wherever the power does, the old one stays.
  ///
  /// `keep` is given the chance to keep the old file just before the new one takes its name.
  package static func write(
    _ bytes: [UInt8], to path: String, keep: () throws(SystemError) -> Void = {}
  ) throws(SystemError) {
    let temporary = path + ".new"
    do throws(SystemError) {
      try fill(temporary, bytes)
      try keep()
      try SystemError.checkErrno(rename(temporary, path), "put \(path) in its place")
    } catch {
      unlink(temporary)
      throw error
    }
    try syncFolder(of: path)
  }

  private static func fill(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    // What has the name may be a pipe that blocks, a link, or another name of a file that is to stay.
    unlink(path)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let file = Descriptor(
      try SystemError.checkErrno(open(path, flags, 0o644), "create \(path)"))
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw SystemError(attempt: "write \(path)", number: count < 0 ? errno : ENOSPC)
      }
      rest = rest.dropFirst(count)
    }
    // Otherwise the name may reach the disk before the bytes.
    try SystemError.checkErrno(fsync(file.number), "write \(path)")
  }

  /// Makes sure that the names in a folder outlast the power.
  package static func syncFolder(of path: String) throws(SystemError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let file = Descriptor(
      try SystemError.checkErrno(
        open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open \(folder)"))
    try SystemError.checkErrno(fsync(file.number), "write \(folder)")
  }

  /// Makes a folder, and those that it is in.
  static func createFolders(_ path: String) throws(SystemError) {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      guard mkdir(made, 0o755) != 0 else { continue }
      // Asking whether it is there changes the number.
      let number = errno
      guard number != EEXIST else { continue }
      // Above what is ours, a folder may be there and not be ours to look at.
      guard access(made, F_OK) != 0 else { continue }
      throw SystemError(attempt: "create the folder \(made)", number: number)
    }
  }
}
