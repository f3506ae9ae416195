internal import CLinux
internal import Glibc
internal import PressureKit

/// Opens files for reading without waiting for a pipe's writer and without acting on a device.
package enum InputFile {
  /// Which kinds of file are acceptable.
  package enum Kind {
    /// Regular files, and `/dev/null`, which stands for an empty one: for whatever reads without a person
    /// waiting for it, such as a daemon, which a pipe without a writer would block for ever.
    case regular
    /// The same, and the path itself is no symbolic link: for folders that somebody else may write to.
    case regularWithoutLinks
    /// Also pipes and devices: for a command that runs once, on a path that a person has named.
    case any
  }

  /// Why a file is not opened.
  package enum OpenError: Error {
    /// The kernel refuses, with this number.
    case refused(Int32)
    /// It is of another kind, which is named with its article.
    case notRegular(String)

    /// To stand after "cannot read it: ".
    package var reason: String {
      switch self {
      case .refused(let number): String(cString: strerror(number))
      case .notRegular(let kind): "it is \(kind), not a regular file"
      }
    }
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: which; relative to `folder`, where there is one.
  ///   - kind: what it may be.
  ///   - folder: the descriptor of a folder that is open.
  /// - Returns: the file, open for reading.
  /// - Throws: why it is not opened.
  package static func open(
    _ path: String, _ kind: Kind, in folder: Int32 = AT_FDCWD
  ) throws(OpenError) -> Descriptor {
    let common = O_RDONLY | O_CLOEXEC | O_NOCTTY
    switch kind {
    case .any:
      return try checked(openat(folder, path, common))
    case .regular, .regularWithoutLinks:
      let isLinkFollowed = kind == .regular
      // Even opening a device may act on it, so that its kind is asked for before as well as after.
      var status = stat()
      guard fstatat(folder, path, &status, isLinkFollowed ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
        throw .refused(errno)
      }
      try check(status)
      let file = try checked(
        openat(folder, path, common | O_NONBLOCK | (isLinkFollowed ? 0 : O_NOFOLLOW)))
      guard fstat(file.number, &status) == 0 else { throw .refused(errno) }
      try check(status)
      return file
    }
  }

  /// Opens a folder that is not a symbolic link, so that its files are found in it and nowhere else.
  package static func openFolder(_ path: String) throws(OpenError) -> Descriptor {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw .notRegular("a symbolic link")
    }
    return try checked(
      Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
  }

  private static func checked(_ number: Int32) throws(OpenError) -> Descriptor {
    guard number >= 0 else { throw .refused(errno) }
    return Descriptor(number)
  }

  private static func check(_ status: stat) throws(OpenError) {
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

  /// The number of `/dev/null`: major 1, minor 3, on every Linux.
  private static let null: dev_t = 1 << 8 | 3
}

/// What is in a folder.
package enum FileNames {
  /// The names of its entries in the order of their bytes; none where it cannot be read.
  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    return names(in: folder, limit: .max) ?? []
  }

  /// The same of a folder that is open, or nil where it has more than so many entries.
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

  private static func names(in folder: OpaquePointer, limit: Int) -> [String]? {
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = String(validatingCString: pressured_entry_name(entry))
      // Repaired, a name that is not UTF-8 would be that of another file; none of ours is one.
      guard let name, name != ".", name != ".." else { continue }
      guard names.count < limit else { return nil }
      names.append(name)
    }
    return names.sorted()
  }
}

/// Which file it is, whatever its name: its device and its number there.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// The file under a name, itself where it is a symbolic link; nil where there is none.
  package init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file behind a descriptor.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    (device, number) = (status.st_dev, status.st_ino)
  }

  /// Removes the name, unless another file has taken it meanwhile.
  package func remove(at path: String) {
    if FileIdentity(at: path) == self { unlink(path) }
  }
}

/// A folder under a name that was not there before, for its maker alone.
package enum TemporaryDirectory {
  /// Makes one; who has made it removes it.
  ///
  /// - Parameter parent: the folder in which it is made.
  /// - Returns: its path.
  /// - Throws: why it cannot be made.
  package static func make(in parent: String) throws(SystemError) -> String {
    var template = Array("\(parent)/pressured-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError(attempt: "make a folder in \(parent)", number: errno)
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
