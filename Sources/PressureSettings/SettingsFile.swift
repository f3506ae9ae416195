internal import Glibc
internal import PressureKit
internal import PressureProtocol
package import PressureSystem
internal import PressureYAML

/// A file of settings in YAML, or in sections where these are as good: every fault in it told at once.
package enum SettingsFile {
  /// Bytes; what people write is a page or two.
  package static let sizeLimit = 1 << 20

  /// Reads a file that must be there; an empty one leaves all as it is.
  ///
  /// - Returns: what is right in it and does not fit this machine.
  @discardableResult
  package static func read(
    path: String, accepting kind: InputFile.Kind, sectionsAre list: String? = nil,
    body: (inout MappingDecoder) -> Void
  ) throws(ConfigurationErrors) -> [ConfigurationRemark] {
    try read(text: try bytes(path: path, kind), name: path, sectionsAre: list, body: body)
  }

  /// Reads a file's text.
  ///
  /// - Parameters:
  ///   - text: its bytes.
  ///   - name: what to call the file in error messages.
  ///   - list: the key under which YAML has what may stand in sections; nil where these are not read.
  ///   - body: reads the mapping.
  /// - Returns: what is right in it and does not fit this machine.
  /// - Throws: all that is wrong with it.
  @discardableResult
  package static func read(
    text: [UInt8], name: String, sectionsAre list: String? = nil,
    body: (inout MappingDecoder) -> Void
  ) throws(ConfigurationErrors) -> [ConfigurationRemark] {
    let faults = DiagnosticList(file: name)
    if let byte = UnreadableByte(in: text) {
      faults.add("not text in UTF-8", line: byte.line, column: byte.column)
      throw .wrong(faults.sorted)
    }
    do {
      let root =
        if let list, SectionedText.isMeant(by: text) {
          SectionedText.root(of: text, under: list, faults: faults)
        } else {
          try YAMLTree.root(of: text, faults: faults)
        }
      if let root, !root.isNull {
        MappingDecoder.read(root, named: "the file", faults: faults, body: body)
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
  ) throws(ConfigurationErrors) -> [UInt8] {
    do throws(AtomicFile.Fault) {
      return try AtomicFile.read(path, limit: sizeLimit, accepting: kind)
    } catch .missing {
      throw .missing(path: path)
    } catch .refused(EACCES) {
      throw .forbidden(path: path)
    } catch {
      throw .unreadable(path: path, reason: error.reason)
    }
  }
}
