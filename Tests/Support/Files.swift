internal import Glibc
internal import PressureSystem

/// Whole files, as tests read and write them.
package enum Files {
  package static func bytes(_ path: String) throws -> [UInt8] {
    try InputFile.read(path, limit: .max)
  }

  package static func text(_ path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  package static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    let bytes = Array(bytes)
    guard let file = fopen(path, "w") else { throw FileError(path: path) }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw FileError(path: path) }
  }

  /// Removes a folder and everything in it, without following links.
  package static func removeAll(_ path: String) {
    for name in FileNames.names(in: path) where unlink("\(path)/\(name)") != 0 {
      removeAll("\(path)/\(name)")
    }
    rmdir(path)
  }

  private struct FileError: Error {
    var path: String
  }
}
