internal import CLinux
internal import Glibc

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
