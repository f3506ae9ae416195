internal import Glibc

/// A file of settings in YAML: one mapping, every fault in it told at once.
enum SettingsFile {
  /// Bytes; what people write is a page or two.
  static let sizeLimit = 1 << 20

  /// Reads a file that must be there; an empty one leaves all as it is.
  ///
  /// - Returns: what is right in it and does not fit this machine.
  @discardableResult
  static func read(
    path: String, accepting kind: InputFile.Kind, body: (inout MappingReader) -> Void
  ) throws(ConfigurationFaults) -> [ConfigurationRemark] {
    try read(text: try bytes(path: path, kind), name: path, body: body)
  }

  /// Reads a file's text; the name is what to call the file in error messages.
  @discardableResult
  static func read(
    text: [UInt8], name: String, body: (inout MappingReader) -> Void
  ) throws(ConfigurationFaults) -> [ConfigurationRemark] {
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
    return faults.remarks
  }
}

extension SettingsFile {
  private static func bytes(
    path: String, _ kind: InputFile.Kind
  ) throws(ConfigurationFaults) -> [UInt8] {
    do throws(WholeFile.Fault) {
      return try WholeFile.read(path, limit: sizeLimit, accepting: kind)
    } catch .missing {
      throw .missing(path: path)
    } catch .refused(EACCES) {
      throw .forbidden(path: path)
    } catch {
      throw .unreadable(path: path, reason: error.reason)
    }
  }
}
