internal import CYAML
internal import PressureSystem

/// A location in a YAML file; lines and columns are counted from 1, as in editors.
package struct YAMLMark: Hashable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    (self.line, self.column) = (line, column)
  }

  init(_ mark: yaml_mark_t) {
    line = Int(mark.line) + 1
    column = Int(mark.column) + 1
  }
}

enum YAMLToken: Hashable {
  /// A scalar; a `plain` one is not quoted and may be a number, a boolean or null.
  case scalar(String, plain: Bool)
  case sequenceStart
  case sequenceEnd
  /// The start of a mapping; keys and values alternate.
  case mappingStart
  case mappingEnd
  /// A reference to an anchor, which is not supported in any file.
  case alias
  case end
}

struct YAMLError: Error, Hashable {
  var mark: YAMLMark
  var reason: String

  init(mark: YAMLMark, reason: String) {
    self.mark = mark
    self.reason = reason
  }
}

/// Reads YAML token by token through libyaml.
final class YAMLParser {
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let text: UnsafeMutableBufferPointer<UInt8>
  private var isFinished = false

  private var endOfLastToken = yaml_mark_t()

  init(_ text: [UInt8]) {
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

  /// The next token and where it begins; after the end and after an error, `end` again.
  func next() throws(YAMLError) -> (token: YAMLToken, mark: YAMLMark) {
    while true {
      var event = yaml_event_t()
      if isFinished { return (.end, location(of: parser.pointee.mark)) }
      guard yaml_parser_parse(parser, &event) == 1 else {
        isFinished = true
        throw currentError()
      }
      defer { yaml_event_delete(&event) }
      isFinished = event.type == YAML_STREAM_END_EVENT
      if event.end_mark.index > event.start_mark.index { endOfLastToken = event.end_mark }
      if let token = YAMLToken(event) { return (token, location(of: event.start_mark)) }
    }
  }

  /// The location of a mark in the file.
  ///
  /// A mark at the end of the input is moved to the end of the last token: libyaml reports a line after the last one,
  /// which does not exist if the last line has no line break.
  private func location(of mark: yaml_mark_t) -> YAMLMark {
    let reader = parser.pointee
    let isAtEnd =
      reader.eof != 0 && reader.buffer.pointer.pointee == 0 && mark.index == reader.mark.index
    guard isAtEnd else { return YAMLMark(mark) }
    // An unclosed quote is not a token, but its error has the position of the opening quote.
    let opening = reader.context_mark
    let isOpen = opening.index > endOfLastToken.index && opening.index < mark.index
    if isOpen { return YAMLMark(opening) }
    return YAMLMark(mark.column == 0 ? endOfLastToken : mark)
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

extension YAMLToken {
  /// Converts libyaml's event; nil for those that have no content.
  fileprivate init?(_ event: yaml_event_t) {
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      self = .scalar(
        String(decoding: bytes, as: UTF8.self), plain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT: self = .sequenceStart
    case YAML_SEQUENCE_END_EVENT: self = .sequenceEnd
    case YAML_MAPPING_START_EVENT: self = .mappingStart
    case YAML_MAPPING_END_EVENT: self = .mappingEnd
    case YAML_ALIAS_EVENT: self = .alias
    case YAML_STREAM_END_EVENT: self = .end
    default: return nil
    }
  }
}
