internal import Glibc
internal import PressureKit

/// The file in which a person states what differs from the standard settings.
enum ConfigurationFile {
  /// Bytes; a configuration is a page or two.
  static let sizeLimit = 1 << 20

  /// Reads the file at a place; without one, or where an optional one is not there, all is standard.
  static func read(
    at location: ConfigurationLocation?
  ) throws(ConfigurationFaults) -> Configuration {
    guard let location else { return Configuration() }
    do {
      return try read(path: location.path)
    } catch .missing where !location.isRequired {
      return Configuration()
    }
  }

  /// Reads a file that must be there.
  static func read(path: String) throws(ConfigurationFaults) -> Configuration {
    try read(text: try bytes(path: path), name: path)
  }

  /// Reads a file's text; the name is what to call the file in error messages.
  static func read(text: [UInt8], name: String) throws(ConfigurationFaults) -> Configuration {
    let faults = FaultList(file: name)
    var configuration = Configuration()
    if let byte = UnreadableByte(in: text) {
      faults.add("not text in UTF-8", line: byte.line, column: byte.column)
      throw .wrong(faults.sorted)
    }
    do {
      if let root = try YAMLTree.root(of: text, faults: faults), !root.isNull {
        MappingReader.read(root, named: "the file", faults: faults) { configuration.read(&$0) }
      }
    } catch {
      faults.add(error.reason, at: error.mark)
    }
    guard faults.isEmpty else { throw .wrong(faults.sorted) }
    return configuration
  }
}

extension ConfigurationFile {
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
