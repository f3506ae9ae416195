package import CYAML

/// A place in a YAML file, counted from 1 as editors do.
package struct YAMLMark: Hashable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    (self.line, self.column) = (line, column)
  }

  package init(_ mark: yaml_mark_t) {
    line = Int(mark.line) + 1
    column = Int(mark.column) + 1
  }
}

/// What a YAML file consists of, one piece at a time.
package enum YAMLToken: Hashable {
  /// A text; `plain` where it stands without quotes and may be a number, a truth value or null.
  case scalar(String, plain: Bool)
  /// A list begins.
  case sequenceStart
  /// A list ends.
  case sequenceEnd
  /// A list of pairs begins; keys and values follow in turn.
  case mappingStart
  /// A list of pairs ends.
  case mappingEnd
  /// A reference to an anchor, which none of our files needs.
  case alias
  /// The file ends.
  case end
}

/// What is wrong with a YAML file, and where.
package struct YAMLError: Error, Hashable {
  package var mark: YAMLMark
  package var reason: String

  package init(mark: YAMLMark, reason: String) {
    self.mark = mark
    self.reason = reason
  }
}

/// Reads YAML piece by piece through libyaml, so that memory does not grow with the file.
package final class YAMLParser {
  private var parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let read: (UnsafeMutableRawBufferPointer) -> Int?
  private var isOver = false

  /// Whether what was told last is at the end of all that could be read.
  package private(set) var isAtEnd = false

  /// Where the last piece that has a length ends.
  private var endOfLast = yaml_mark_t()

  /// Reads what `read` puts into the buffer that it is given.
  ///
  /// - Parameter read: gives the number of bytes, 0 at the end, nil for a fault of its own.
  package init(read: @escaping (UnsafeMutableRawBufferPointer) -> Int?) {
    self.read = read
    yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input(
      parser,
      { context, buffer, size, count in
        guard let context, let buffer, let count else { return 0 }
        let owner = Unmanaged<YAMLParser>.fromOpaque(context).takeUnretainedValue()
        guard let got = owner.read(UnsafeMutableRawBufferPointer(start: buffer, count: size)) else {
          return 0
        }
        count.pointee = got
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// The next piece and where it begins; after the end, and after a fault, the end again.
  package func next() throws(YAMLError) -> (token: YAMLToken, mark: YAMLMark) {
    while true {
      var event = yaml_event_t()
      if isOver { return (.end, place(parser.pointee.mark)) }
      guard yaml_parser_parse(parser, &event) == 1 else {
        isOver = true
        throw fault()
      }
      defer { yaml_event_delete(&event) }
      isOver = event.type == YAML_STREAM_END_EVENT
      if event.end_mark.index > event.start_mark.index { endOfLast = event.end_mark }
      if let token = YAMLToken(event) { return (token, place(event.start_mark)) }
    }
  }

  /// Where a mark is in the file.
  ///
  /// What is missing at its end is missing behind what came last; libyaml counts a line more there, which a file
  /// has not whose last line is not ended.
  private func place(_ mark: yaml_mark_t) -> YAMLMark {
    let reader = parser.pointee
    isAtEnd =
      reader.eof != 0 && reader.buffer.pointer.pointee == 0 && mark.index == reader.mark.index
    guard isAtEnd else { return YAMLMark(mark) }
    // An open quote is no piece yet, but its fault says where it opens.
    let opening = reader.context_mark
    let isOpen = opening.index > endOfLast.index && opening.index < mark.index
    if isOpen { return YAMLMark(opening) }
    return YAMLMark(mark.column == 0 ? endOfLast : mark)
  }

  private func fault() -> YAMLError {
    var problem = parser.pointee.problem.map { String(cString: $0) } ?? "unreadable"
    // libyaml names a tab in some places, and not in the one where people put it.
    let isAtTab = parser.pointee.buffer.pointer?.pointee == UInt8(ascii: "\t")
    if isAtTab, problem.contains("tab character") || problem.contains("cannot start any token") {
      problem = "a tab stands here; YAML wants spaces to indent with"
    }
    // Bytes that are no text have no mark of their own.
    let isUnreadable = parser.pointee.error == YAML_READER_ERROR
    let mark = isUnreadable ? parser.pointee.mark : parser.pointee.problem_mark
    return YAMLError(mark: place(mark), reason: problem)
  }
}

extension YAMLToken {
  /// Translates libyaml's event; nil for those that carry nothing.
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
