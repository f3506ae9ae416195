internal import Glibc
internal import PressureSystem

/// A file in a temporary directory; both are removed with the last reference.
package final class TemporaryFile {
  package let path: String
  private let directory: String
  private var others: Set<String> = []

  package init(_ bytes: some Collection<UInt8>, name: String = "dump") throws {
    directory = try TemporaryDirectory.make(in: "/tmp")
    path = "\(directory)/\(name)"
    try Files.write(bytes, to: path)
  }

  package convenience init(_ text: String, name: String = "dump") throws {
    try self.init(text.utf8, name: name)
  }

  package func replace(_ bytes: [UInt8]) throws {
    try Files.write(bytes, to: path)
  }

  /// Writes another file into the same directory, which is removed with it.
  package func write(_ bytes: [UInt8], beside name: String) throws {
    others.insert("\(directory)/\(name)")
    try Files.write(bytes, to: "\(directory)/\(name)")
  }

  deinit {
    unlink(path)
    for other in others { unlink(other) }
    rmdir(directory)
  }
}
