internal import CYAML
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// A location in a YAML file; lines and columns are counted from 1, as in editors.
package struct YAMLMark: Hashable {
  package var line: Int
  package var column: Int
}

struct YAMLError: Error, Hashable {
  var mark: YAMLMark
  var reason: String
}

/// Builds a tree from a YAML file with one document, whose events libyaml reads.
final class YAMLTree {
  /// The most levels of nesting; the configuration has six.
  static let depthLimit = 32

  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let text: UnsafeMutableBufferPointer<UInt8>
  private let errors: DiagnosticList
  private var endOfLastEvent = yaml_mark_t()

  private typealias Event = (type: yaml_event_type_t, mark: YAMLMark, scalar: YAMLNode.Content?)

  /// The root of the tree, or nil; duplicate keys and what is no YAML are added to the errors.
  static func root(of text: [UInt8], errors: DiagnosticList) -> YAMLNode? {
    do throws(YAMLError) {
      return try YAMLTree(text, errors).root()
    } catch {
      errors.add(error.reason, at: error.mark)
      return nil
    }
  }

  private init(_ text: [UInt8], _ errors: DiagnosticList) {
    self.errors = errors
    self.text = .allocate(capacity: text.count)
    _ = self.text.initialize(from: text)
    yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, self.text.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  private func root() throws(YAMLError) -> YAMLNode? {
    let first = try next()
    guard first.type != YAML_STREAM_END_EVENT else { return nil }
    let root = try node(first, depth: 0)
    let end = try next()
    guard end.type == YAML_STREAM_END_EVENT else {
      throw YAMLError(mark: end.mark, reason: "more than one document")
    }
    return root
  }

  private func node(_ event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    let mark = event.mark
    guard depth < Self.depthLimit else {
      throw YAMLError(mark: mark, reason: "more than \(Self.depthLimit) levels deep")
    }
    if let scalar = event.scalar { return YAMLNode(mark: mark, content: scalar) }
    switch event.type {
    case YAML_SEQUENCE_START_EVENT:
      return YAMLNode(mark: mark, content: .list(try list(depth: depth + 1)))
    case YAML_MAPPING_START_EVENT:
      return YAMLNode(mark: mark, content: .mapping(try fields(depth: depth + 1)))
    case YAML_ALIAS_EVENT:
      throw YAMLError(mark: mark, reason: "aliases are not supported")
    default:
      throw YAMLError(mark: mark, reason: "a value is missing")
    }
  }

  private func list(depth: Int) throws(YAMLError) -> [YAMLNode] {
    var nodes: [YAMLNode] = []
    while true {
      let event = try next()
      guard event.type != YAML_SEQUENCE_END_EVENT else { return nodes }
      nodes.append(try node(event, depth: depth))
    }
  }

  private func fields(depth: Int) throws(YAMLError) -> [YAMLField] {
    var fields: [YAMLField] = []
    var keys: Set<String> = []
    while true {
      let event = try next()
      guard event.type != YAML_MAPPING_END_EVENT else { return fields }
      guard case .scalar(let key, _)? = event.scalar else {
        throw YAMLError(mark: event.mark, reason: "a key must be text")
      }
      let value = try node(try next(), depth: depth)
      if keys.insert(key).inserted {
        fields.append(YAMLField(key: key, mark: event.mark, value: value))
      } else {
        errors.add("duplicate key \(key.quoted)", at: event.mark)
      }
    }
  }

  /// The next event that has a content, or the end of the file.
  private func next() throws(YAMLError) -> Event {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw currentError() }
      defer { yaml_event_delete(&event) }
      if event.end_mark.index > event.start_mark.index { endOfLastEvent = event.end_mark }
      let mark = location(of: event.start_mark)
      switch event.type {
      case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_DOCUMENT_END_EVENT: continue
      case YAML_SCALAR_EVENT:
        let scalar = event.data.scalar
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
        return (event.type, mark, .scalar(String(decoding: bytes, as: UTF8.self), plain: isPlain))
      default: return (event.type, mark, nil)
      }
    }
  }

  /// The location of a mark in the file.
  ///
  /// A mark at the end of the input is moved to the end of the last event: libyaml reports a line after the last one,
  /// which does not exist if the last line has no line break.
  private func location(of mark: yaml_mark_t) -> YAMLMark {
    let reader = parser.pointee
    var place = mark
    if reader.eof != 0, reader.buffer.pointer.pointee == 0, mark.index == reader.mark.index {
      // An unclosed quote is not an event, but its error has the position of the opening quote.
      let opening = reader.context_mark
      let isOpen = opening.index > endOfLastEvent.index && opening.index < mark.index
      if isOpen { place = opening } else if mark.column == 0 { place = endOfLastEvent }
    }
    return YAMLMark(line: Int(place.line) + 1, column: Int(place.column) + 1)
  }

  private func currentError() -> YAMLError {
    var problem = parser.pointee.problem.map { String(cString: $0) } ?? "unreadable"
    // In the indentation, where tabs are common, libyaml does not mention the tab.
    let isAtTab = parser.pointee.buffer.pointer?.pointee == UInt8(ascii: "\t")
    if isAtTab, problem.includes("tab character") || problem.includes("cannot start any token") {
      problem = "YAML must be indented with spaces, not tabs"
    }
    // An invalid byte has no problem mark.
    let isUnreadable = parser.pointee.error == YAML_READER_ERROR
    let mark = isUnreadable ? parser.pointee.mark : parser.pointee.problem_mark
    return YAMLError(mark: location(of: mark), reason: problem)
  }
}

package struct YAMLNode {
  package enum Content {
    /// A scalar; if `plain`, it has no quotes and may be a number, a boolean or null.
    case scalar(String, plain: Bool)
    case list([YAMLNode])
    /// Pairs of unique keys and values.
    case mapping([YAMLField])
  }

  package var mark: YAMLMark
  package var content: Content

  // YAML 1.2's core schema: `yes` and `on` are text, and so is everything in quotes.

  /// The text of a scalar without quotes.
  private var plain: String? {
    if case .scalar(let text, plain: true) = content { text } else { nil }
  }

  package var isNull: Bool { ["", "~", "null", "Null", "NULL"].contains(plain) }

  package var truth: Bool? {
    switch plain {
    case "true", "True", "TRUE": true
    case "false", "False", "FALSE": false
    default: nil
    }
  }

  /// A finite decimal number, with or without fraction and exponent.
  package var number: Double? {
    plain.flatMap { text in
      // Swift's parser also accepts `nan`, `infinity` and hexadecimal fractions.
      let isDecimal = text.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) }
      return isDecimal ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
    }
  }

  /// A decimal number without fraction and exponent.
  var wholeNumber: Int? { plain.flatMap { Int($0) } }

  /// A scalar that is not null, a boolean or a number.
  package var text: String? {
    guard case .scalar(let text, _) = content else { return nil }
    return isNull || truth != nil || number != nil ? nil : text
  }

  /// A short description of the value for messages, on one line.
  package var brief: String {
    switch content {
    case .list: "a list"
    case .mapping: "a mapping"
    case .scalar(let text, _):
      isNull ? "null" : self.text == nil ? String(text.prefix(40)) : text.quoted
    }
  }
}

package struct YAMLField {
  var key: String
  var mark: YAMLMark
  var value: YAMLNode
}

extension String {
  package var quoted: String { truncated.debugDescription }
}
