internal import Glibc

/// A file of settings in YAML: one mapping, every fault in it told at once.
enum SettingsFile {
  /// Bytes; what people write is a page or two.
  static let sizeLimit = 1 << 20

  /// Reads a file that must be there; an empty one leaves all as it is.
  static func read(
    path: String, body: (inout MappingReader) -> Void
  ) throws(ConfigurationFaults) {
    try read(text: try bytes(path: path), name: path, body: body)
  }

  /// Reads a file's text; the name is what to call the file in error messages.
  static func read(
    text: [UInt8], name: String, body: (inout MappingReader) -> Void
  ) throws(ConfigurationFaults) {
    let faults = FaultList(file: name)
    if let byte = UnreadableByte(in: text) {
      faults.add("not text in UTF-8", line: byte.line, column: byte.column)
      throw .wrong(faults.sorted)
    }
    do {
      if let root = try YAMLTree.root(of: text, faults: faults), !root.isNull {
        MappingReader.read(root, named: "the file", faults: faults, body: body)
      }
    } catch {
      faults.add(error.reason, at: error.mark)
    }
    guard faults.isEmpty else { throw .wrong(faults.sorted) }
  }
}

extension SettingsFile {
  private static func bytes(path: String) throws(ConfigurationFaults) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .opening(path, errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count <= sizeLimit {
      let part = try part(of: descriptor, path: path)
      guard !part.isEmpty else { return bytes }
      bytes += part
    }
    throw .unreadable(path: path, reason: "it is larger than \(sizeLimit >> 10) KiB")
  }

  private static func part(
    of descriptor: Int32, path: String
  ) throws(ConfigurationFaults) -> [UInt8] {
    var code: Int32 = 0
    let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      var got: Int
      repeat {
        got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      } while got < 0 && errno == EINTR
      code = got < 0 ? errno : 0
      count = max(got, 0)
    }
    guard code == 0 else { throw .opening(path, code) }
    return part
  }
}

extension ConfigurationFaults {
  /// What the kernel's error number means for the file.
  fileprivate static func opening(_ path: String, _ code: Int32) -> ConfigurationFaults {
    switch code {
    case ENOENT, ENOTDIR: .missing(path: path)
    default: .unreadable(path: path, reason: String(cString: strerror(code)))
    }
  }
}
