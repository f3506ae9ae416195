internal import Glibc
internal import PressureKit
internal import PressureProtocol
package import PressureSystem

/// Reads a settings file in YAML, or in sections if the caller allows them; reports all errors at once.
package enum SettingsFile {
  /// The most bytes; a typical file is a page or two.
  package static let sizeLimit = 1 << 20

  /// Reads a file that must exist, and returns warnings; an empty one changes nothing.
  @discardableResult
  package static func read(
    path: String, accepting kind: InputFile.Kind, body: (inout MappingDecoder) -> Void
  ) throws(ConfigurationErrors) -> [ConfigurationError] {
    try read(text: try bytes(path: path, kind), name: path, body: body)
  }

  /// Decodes a settings file; returns warnings about settings that do not work on this machine, or throws all errors.
  ///
  /// Messages name the file by `name`. The list of the key `list` may be written as sections instead; nil if sections are not
  /// allowed.
  @discardableResult
  package static func read(
    text: [UInt8], name: String, sectionsAre list: String? = nil,
    body: (inout MappingDecoder) -> Void
  ) throws(ConfigurationErrors) -> [ConfigurationError] {
    let errors = DiagnosticList(file: name)
    if let mark = YAMLMark(ofInvalidByteIn: text) {
      errors.add("not text in UTF-8", at: mark)
      throw .wrong(errors.sorted)
    }
    let root: YAMLNode? =
      if let list, SectionedText.isSectioned(text) {
        SectionedText.root(of: text, under: list, errors: errors)
      } else {
        YAMLTree.root(of: text, errors: errors)
      }
    if let root, !root.isNull {
      MappingDecoder.read(root, named: "the file", errors: errors, body: body)
    }
    guard errors.isEmpty else { throw .wrong(errors.sorted) }
    return errors.warnings
  }

  static func bytes(
    path: String, _ kind: InputFile.Kind
  ) throws(ConfigurationErrors) -> [UInt8] {
    do throws(InputFile.ReadError) {
      return try InputFile.read(path, limit: sizeLimit, accepting: kind)
    } catch .missing {
      throw .missing(path: path)
    } catch .refused(EACCES) {
      throw .forbidden(path: path)
    } catch {
      throw .unreadable(path: path, reason: error.reason)
    }
  }
}

/// Converts text in sections, libinput's quirks format, to equivalent YAML nodes.
///
///     # a comment
///     [A section's title]
///     Key=value
enum SectionedText {
  /// Whether a text has sections: its first line that is not blank starts one.
  static func isSectioned(_ text: [UInt8]) -> Bool {
    lines(of: text).first { !$0.isEmpty }?.hasPrefix("[") ?? false
  }

  /// A mapping of `list` to a mapping per section, each with its title; the text is UTF-8.
  static func root(of text: [UInt8], under list: String, errors: DiagnosticList) -> YAMLNode {
    var sections: [(mark: YAMLMark, fields: [YAMLField])] = []
    for (index, line) in lines(of: text).enumerated() where !line.isEmpty {
      let mark = YAMLMark(line: index + 1, column: 1)
      if line.hasPrefix("[") {
        guard line.hasSuffix("]"), line.count > 2 else {
          errors.add("a section begins with a line such as [title]", at: mark)
          continue
        }
        let title = YAMLNode(
          mark: mark, content: .scalar(String(line.dropFirst().dropLast()), plain: false))
        sections.append((mark, [YAMLField(key: "title", mark: mark, value: title)]))
      } else if let field = field(of: line, at: mark, errors) {
        let last = sections.count - 1
        if last < 0 {
          errors.add("\(field.key.quoted) precedes the first section", at: mark)
        } else if sections[last].fields.count > maximumFields {
          errors.add("a section has at most \(maximumFields) keys", at: mark)
        } else if sections[last].fields.contains(where: { $0.key == field.key }) {
          errors.add("\(field.key.quoted) is a duplicate in its section", at: mark)
        } else {
          sections[last].fields.append(field)
        }
      }
    }
    let nodes = sections.map { YAMLNode(mark: $0.mark, content: .mapping($0.fields)) }
    let start = YAMLMark(line: 1, column: 1)
    let value = YAMLNode(mark: start, content: .list(nodes))
    let field = YAMLField(key: list, mark: start, value: value)
    return YAMLNode(mark: start, content: .mapping([field]))
  }

  private static func field(
    of line: Substring, at mark: YAMLMark, _ errors: DiagnosticList
  ) -> YAMLField? {
    guard let sign = line.firstIndex(of: "="), sign != line.startIndex else {
      errors.add("a line is [title] or Key=value", at: mark)
      return nil
    }
    let text = String(line[line.index(after: sign)...])
    let column = line.distance(from: line.startIndex, to: sign) + 2
    let place = YAMLMark(line: mark.line, column: column)
    return YAMLField(
      key: String(line[..<sign]), mark: mark,
      value: YAMLNode(mark: place, content: .scalar(text, plain: true)))
  }

  /// Keys are compared pairwise.
  private static let maximumFields = 100

  /// The lines without comments and surrounding white space.
  private static func lines(of text: [UInt8]) -> [Substring] {
    String(decoding: text, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
      .map { line in
        let content = line.prefix { $0 != "#" }
        let start = content.drop { $0 == " " || $0 == "\t" }
        let spaces = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return start.dropLast(spaces)
      }
  }
}

extension YAMLMark {
  /// The first place with invalid UTF-8 or a control character; nil if there is none.
  ///
  /// libyaml also rejects such a file, but reports another position, as it reads ahead.
  init?(ofInvalidByteIn text: [UInt8]) {
    self.init(line: 1, column: 1)
    var bytes = text.makeIterator()
    var decoder = UTF8()
    while true {
      switch decoder.decode(&bytes) {
      case .emptyInput: return nil
      case .error: return
      case .scalarValue("\n"): (line, column) = (line + 1, 1)
      case .scalarValue(let scalar):
        let isControl = scalar.properties.generalCategory == .control
        guard !isControl || "\t\n\r\u{85}".unicodeScalars.contains(scalar) else { return }
        column += 1
      }
    }
  }
}
