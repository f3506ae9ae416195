internal import PressureYAML

/// Text in sections, as libinput's quirks are written, read as YAML would be that says the same.
///
///     # a comment
///     [A section's title]
///     Key=value
enum SectionedText {
  /// Whether a text is of this kind: the first line that says something opens a section.
  static func isMeant(by text: [UInt8]) -> Bool {
    lines(of: text).first { !$0.isEmpty }?.hasPrefix("[") ?? false
  }

  /// A mapping with one list, of a mapping with a title for each section.
  ///
  /// - Parameters:
  ///   - text: UTF-8, as was made sure before.
  ///   - list: the key of the list.
  ///   - faults: takes what is wrong.
  /// - Returns: the mapping.
  static func root(of text: [UInt8], under list: String, faults: DiagnosticList) -> YAMLNode {
    var sections: [(mark: YAMLMark, fields: [YAMLField])] = []
    for (index, line) in lines(of: text).enumerated() where !line.isEmpty {
      let mark = YAMLMark(line: index + 1, column: 1)
      if line.hasPrefix("[") {
        guard line.hasSuffix("]"), line.count > 2 else {
          faults.add("a section begins with a line such as [title]", at: mark)
          continue
        }
        let title = YAMLNode(
          mark: mark, content: .scalar(String(line.dropFirst().dropLast()), plain: false))
        sections.append((mark, [YAMLField(key: "title", mark: mark, value: title)]))
      } else if let field = field(of: line, at: mark, faults) {
        add(field, to: &sections, faults)
      }
    }
    let nodes = sections.map { YAMLNode(mark: $0.mark, content: .mapping($0.fields)) }
    let start = YAMLMark(line: 1, column: 1)
    let value = YAMLNode(mark: start, content: .list(nodes))
    let field = YAMLField(key: list, mark: start, value: value)
    return YAMLNode(mark: start, content: .mapping([field]))
  }

  private static func field(
    of line: Substring, at mark: YAMLMark, _ faults: DiagnosticList
  ) -> YAMLField? {
    guard let sign = line.firstIndex(of: "="), sign != line.startIndex else {
      faults.add("a line is [title] or Key=value", at: mark)
      return nil
    }
    let text = String(line[line.index(after: sign)...])
    let column = line.distance(from: line.startIndex, to: sign) + 2
    let place = YAMLMark(line: mark.line, column: column)
    return YAMLField(
      key: String(line[..<sign]), mark: mark,
      value: YAMLNode(mark: place, content: .scalar(text, plain: true)))
  }

  private static func add(
    _ field: YAMLField, to sections: inout [(mark: YAMLMark, fields: [YAMLField])],
    _ faults: DiagnosticList
  ) {
    let last = sections.count - 1
    if last < 0 {
      faults.add("\(field.key.quoted) stands before the first section", at: field.mark)
    } else if sections[last].fields.count > mostFields {
      faults.add("a section has at most \(mostFields) keys", at: field.mark)
    } else if sections[last].fields.contains(where: { $0.key == field.key }) {
      faults.add("\(field.key.quoted) stands twice in its section", at: field.mark)
    } else {
      sections[last].fields.append(field)
    }
  }

  /// Each is compared with all before it.
  private static let mostFields = 100

  /// The lines without comments and the spaces around.
  private static func lines(of text: [UInt8]) -> [Substring] {
    String(decoding: text, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { $0.isNewline }
      .map { line in
        let said = line.prefix { $0 != "#" }
        let start = said.drop { $0 == " " || $0 == "\t" }
        let spaces = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return start.dropLast(spaces)
      }
  }
}
