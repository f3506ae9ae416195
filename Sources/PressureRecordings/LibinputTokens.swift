internal import PressureYAML

/// The pieces of a `libinput record` file, with what is needed to go over the unknown ones.
final class LibinputTokens {
  /// Deeper than any recorder nests, and little enough for a parser that remembers each level.
  static let deepest = 64

  /// The line of the piece that came last.
  private(set) var line = 1

  let source: LineSource
  private let path: String
  private let parser: YAMLParser

  init(_ bytes: ByteReader) {
    let source = LineSource(bytes)
    self.source = source
    path = bytes.path
    parser = YAMLParser { source.read(into: $0) }
  }

  func next() throws(RecordingError) -> YAMLToken {
    let piece: (token: YAMLToken, mark: YAMLMark)
    do {
      piece = try parser.next()
    } catch {
      line = error.mark.line
      throw sourceFault ?? fault(error.reason)
    }
    line = piece.mark.line
    if let sourceFault { throw sourceFault }
    return piece.token
  }

  /// Why there is nothing at the current line, as far as the parser is not to blame.
  private var sourceFault: RecordingError? { parser.isAtEnd ? source.fault : nil }

  func fault(_ reason: String) -> RecordingError { .data(path, place: ":\(line)", reason) }

  /// The next key of a mapping, nil at its end.
  func key() throws(RecordingError) -> String? {
    switch try next() {
    case .scalar(let key, plain: _): return key
    case .mappingEnd: return nil
    case .sequenceStart, .sequenceEnd, .mappingStart, .alias, .end:
      throw fault("a name was expected")
    }
  }

  /// Goes into the list or mapping that comes next; false where nothing stands in its place.
  func enter(_ start: YAMLToken) throws(RecordingError) -> Bool {
    let token = try next()
    if token == start { return true }
    guard case .scalar("", plain: true) = token else {
      throw fault("a \(start == .sequenceStart ? "list" : "mapping") was expected")
    }
    return false
  }

  /// Goes over the value that comes next, whatever it is.
  func skipValue() throws(RecordingError) {
    try skipRest(of: try next())
  }

  /// Goes over the rest of the value that began with a piece.
  func skipRest(of first: YAMLToken) throws(RecordingError) {
    var depth = 0
    var token = first
    while true {
      switch token {
      case .sequenceStart, .mappingStart: depth += 1
      case .sequenceEnd, .mappingEnd: depth -= 1
      case .scalar, .alias: break
      case .end: throw fault("the file ends within a value")
      }
      if depth <= 0 { return }
      if depth > LibinputTokens.deepest { throw fault("the values are nested too deeply") }
      token = try next()
    }
  }

  /// The next number of a list, nil at its end.
  func number<Number: FixedWidthInteger>(
    _ what: StaticString, as type: Number.Type = Number.self
  ) throws(RecordingError) -> Number? {
    switch try next() {
    case .scalar(let text, plain: _): return try number(what, text)
    case .sequenceEnd: return nil
    case .sequenceStart, .mappingStart, .mappingEnd, .alias, .end:
      throw fault("the \(what) is no number")
    }
  }

  /// The number in a text.
  func number<Number: FixedWidthInteger>(
    _ what: StaticString, _ text: String
  ) throws(RecordingError) -> Number {
    if let number = Number(text) { return number }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    guard !digits.isEmpty, digits.allSatisfy({ ($0.digit ?? 10) < 10 }) else {
      throw fault("the \(what) is no number")
    }
    let shown = text.count > 32 ? text.prefix(32) + "…" : text[...]
    throw fault("the \(what) \(shown) does not fit into \(Number.bitWidth) bits")
  }

  /// Numbers up to the end of a list, of which there must be at least some.
  func numbers<Number: FixedWidthInteger>(
    _ what: StaticString, atLeast least: Int = 0, atMost most: Int
  ) throws(RecordingError) -> [Number] {
    var numbers: [Number] = []
    guard try enter(.sequenceStart) else { return numbers }
    while let number = try number(what, as: Number.self) {
      numbers.append(number)
      if numbers.count > most { throw fault("there are more than \(most) numbers") }
    }
    guard numbers.count >= least else { throw fault("a \(what) is missing") }
    return numbers
  }
}

/// Gives lines to a parser that wants bytes, and keeps what it could not pass on.
///
/// The parser looks ahead, and what it finds wrong there hides the events before. So it gets no more than a line at a
/// time, and where a line cannot be had, it sees the end of the file; who asks for the line itself learns the fault.
final class LineSource {
  /// Why there was no next line.
  private(set) var fault: RecordingError?

  /// The line that had the fault, or was given last.
  var number: Int { lines.number }

  /// The slot that the comments of the current device speak of; the parser does not show comments.
  var comment = SlotComment()

  private let lines: LineReader
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)[...]
  private var owesLineBreak = false

  init(_ bytes: ByteReader) {
    lines = LineReader(bytes)
  }

  /// Fills a part of the buffer; the number of bytes is 0 at the end and after a fault.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    do {
      while fault == nil, rest.isEmpty, !owesLineBreak {
        guard let line = try lines.next() else { return 0 }
        try take(line)
      }
      return pass(into: buffer)
    } catch {
      fault = error
      return 0
    }
  }

  private func take(_ line: UnsafeRawBufferPointer) throws(RecordingError) {
    guard LineSource.isText(line) else {
      throw lines.fault("a control character or a broken one stands in the text")
    }
    comment.read(line)
    rest = line[...]
    owesLineBreak = lines.isTerminated
  }

  /// Whether the parser can decode a line.
  private static func isText(_ line: UnsafeRawBufferPointer) -> Bool {
    var isPlain = true
    for byte in line {
      if byte < UInt8(ascii: " "), !byte.isBlank { return false }
      if byte >= 0x7f { isPlain = false }
    }
    guard !isPlain else { return true }
    return !line.contains(0x7f) && String(validating: line, as: UTF8.self) != nil
  }

  private func pass(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = min(buffer.count, rest.count)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    if owesLineBreak, rest.isEmpty, count < buffer.count {
      buffer[count] = UInt8(ascii: "\n")
      count += 1
      owesLineBreak = false
    }
    return count
  }
}
