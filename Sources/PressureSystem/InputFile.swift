internal import CLinux
internal import Glibc
internal import PressureKit

/// Opens files for reading without blocking on a pipe and without side effects on a device.
package enum InputFile {
  package enum Kind {
    /// Regular files, and `/dev/null` as an empty one: for programs such as a daemon, which would
    /// block forever on a pipe without a writer.
    case regular
    /// As `regular`, but the path itself must not be a symbolic link: for folders that other users may write to.
    case regularWithoutLinks
    /// Also pipes and devices: for a command that runs once, on a path that the user has given.
    case any
  }

  package enum ReadError: Error {
    case missing
    /// The file is larger than any valid one of its kind.
    case tooLarge(limit: Int)
    /// The path is a pipe, a device or a link, but must be a regular file; the kind is given with its article.
    case notRegular(String)
    /// A system call failed with this error number.
    case refused(Int32)

    /// The reason, to follow "cannot read it: ".
    package var reason: String {
      switch self {
      case .missing: "there is no such file"
      case .tooLarge(let limit): "it is larger than \(limit >> 10) KiB"
      case .notRegular(let kind): "it is \(kind), not a regular file"
      case .refused(let number): String(cString: strerror(number))
      }
    }

    init(_ number: Int32) {
      self = number == ENOENT || number == ENOTDIR ? .missing : .refused(number)
    }
  }

  package static let standardInput = "/dev/stdin"

  /// Opens a file for reading; `folder` is that of a relative path.
  package static func open(
    _ path: String, _ kind: Kind, in folder: Int32 = AT_FDCWD
  ) throws(ReadError) -> Descriptor {
    let common = O_RDONLY | O_CLOEXEC | O_NOCTTY
    switch kind {
    case .any:
      // Not opened by its path, which fails for sockets and for terminals of other users.
      if path == standardInput { return try checked(fcntl(0, F_DUPFD_CLOEXEC, 3)) }
      return try checked(openat(folder, path, common))
    case .regular, .regularWithoutLinks:
      let isLinkFollowed = kind == .regular
      // Even opening a device may have side effects, so check the kind before as well as after.
      var status = stat()
      guard fstatat(folder, path, &status, isLinkFollowed ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
        throw ReadError(errno)
      }
      try check(status)
      let file = try checked(
        openat(folder, path, common | O_NONBLOCK | (isLinkFollowed ? 0 : O_NOFOLLOW)))
      guard fstat(file.number, &status) == 0 else { throw .refused(errno) }
      try check(status)
      return file
    }
  }

  /// Opens a folder that is not a symbolic link, so that its files cannot be redirected.
  package static func openFolder(_ path: String) throws(ReadError) -> Descriptor {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw .notRegular("a symbolic link")
    }
    return try checked(
      Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
  }

  private static func checked(_ number: Int32) throws(ReadError) -> Descriptor {
    guard number >= 0 else { throw ReadError(errno) }
    return Descriptor(number)
  }

  private static func check(_ status: stat) throws(ReadError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFCHR where status.st_rdev == null: break
    case S_IFCHR, S_IFBLK: throw .notRegular("a device")
    case S_IFIFO: throw .notRegular("a pipe")
    case S_IFSOCK: throw .notRegular("a socket")
    case S_IFLNK: throw .notRegular("a symbolic link")
    case S_IFDIR: throw .refused(EISDIR)
    default: throw .notRegular("something else")
    }
  }

  /// Reads a file of at most `limit` bytes; `folder` is that of a relative path.
  package static func read(
    _ path: String, limit: Int, accepting kind: Kind = .regular, in folder: Int32 = AT_FDCWD
  ) throws(ReadError) -> [UInt8] {
    try read(try open(path, kind, in: folder), limit: limit)
  }

  static func read(_ file: borrowing Descriptor, limit: Int) throws(ReadError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = Glibc.read(file.number, &part, part.count)
      guard count != 0 else { return bytes }
      if count > 0 {
        bytes += part[..<count]
      } else if errno != EINTR {
        throw .refused(errno)
      }
    }
    throw .tooLarge(limit: limit)
  }

  /// The first line of a file of the kernel; nil if it cannot be read.
  package static func line(_ path: String) -> String? {
    let bytes = try? read(path, limit: 1 << 12)
    return bytes.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
  }

  /// The number of `/dev/null`: major 1, minor 3, on every Linux.
  private static let null: dev_t = 1 << 8 | 3
}

package enum FileNames {
  /// The names of a folder's entries in byte order; empty if it cannot be read.
  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    return names(in: folder, limit: .max) ?? []
  }

  /// The names of an open folder's entries, or nil if there are more than `limit`.
  package static func names(in folder: borrowing Descriptor, limit: Int) -> [String]? {
    let number = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { return [] }
    guard let folder = fdopendir(number) else {
      close(number)
      return []
    }
    defer { closedir(folder) }
    return names(in: folder, limit: limit)
  }

  /// The names in a folder that are a prefix and a number, such as `event3`, by their numbers.
  package static func numbered(_ prefix: String, in path: String) -> [String] {
    names(in: path).filter { isNumbered($0, prefix) }
      .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }

  package static func isNumbered(_ name: String, _ prefix: String) -> Bool {
    let digits = name.utf8.dropFirst(prefix.utf8.count)
    return name.hasPrefix(prefix) && (1...10).contains(digits.count)
      && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The last name in the path that a symbolic link contains; nil if it is none.
  ///
  /// Not by realpath(3): it resolves the folders of a path, too, and mocked devices damage memory there.
  package static func linked(by path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    let bytes = target.prefix(max(count, 0)).map(UInt8.init(bitPattern:))
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "/").last.map(String.init)
  }

  private static func names(in folder: OpaquePointer, limit: Int) -> [String]? {
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = String(validatingCString: pressured_entry_name(entry))
      // Skip names that are not UTF-8: a repaired name would refer to another file, and pressured creates none.
      guard let name, name != ".", name != ".." else { continue }
      guard names.count < limit else { return nil }
      names.append(name)
    }
    return names.sorted()
  }
}

/// Identifies a file independently of its name, by device and inode number.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// The file at a path, without following a symbolic link; nil if there is none.
  package init?(at path: String) { self.init { lstat(path, &$0) } }

  package init?(of descriptor: Int32) { self.init { fstat(descriptor, &$0) } }

  private init?(_ read: (inout stat) -> Int32) {
    var status = stat()
    guard read(&status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }

  /// Removes the path, unless it refers to another file by now.
  package func remove(at path: String) {
    if FileIdentity(at: path) == self { unlink(path) }
  }
}

/// A folder with a unique name, accessible only to the user who created it.
package enum TemporaryDirectory {
  /// Creates a folder in another one, and returns its path; the caller removes it.
  package static func make(in parent: String) throws(SystemError) -> String {
    var template = Array("\(parent)/pressured-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError(attempt: "create a folder in \(parent)", number: errno)
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
