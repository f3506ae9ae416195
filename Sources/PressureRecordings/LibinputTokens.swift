internal import PressureSettings

/// The YAML tokens of a `libinput record` file, with functions to skip unknown values.
final class LibinputTokens {
  /// The maximum nesting; recorders nest less, and the parser needs memory for each level.
  static let maximumDepth = 64

  /// The line of the latest token.
  private(set) var line = 1

  let source: LineSource
  private let path: String
  private let parser: YAMLParser

  init(_ bytes: ByteReader, _ remarks: Remarks) {
    let source = LineSource(bytes, remarks)
    self.source = source
    path = bytes.path
    parser = YAMLParser { source.read(into: $0) }
  }

  func next() throws(RecordingError) -> YAMLToken {
    let next: (token: YAMLToken, mark: YAMLMark)
    do {
      next = try parser.next()
    } catch {
      line = error.mark.line
      throw sourceError ?? self.error(error.reason)
    }
    line = next.mark.line
    if let sourceError { throw sourceError }
    return next.token
  }

  /// The error that ended the input, once the parser has reached it.
  private var sourceError: RecordingError? { parser.isAtEnd ? source.error : nil }

  func error(_ reason: String) -> RecordingError { .data(path, location: ":\(line)", reason) }

  /// The next key of a mapping, or nil at its end.
  func key() throws(RecordingError) -> String? {
    switch try next() {
    case .scalar(let key, plain: _): return key
    case .mappingEnd: return nil
    case .sequenceStart, .sequenceEnd, .mappingStart, .alias, .end:
      throw error("expected a name")
    }
  }

  /// Enters the list or mapping that comes next; returns false if there is an empty value instead.
  func enter(_ start: YAMLToken) throws(RecordingError) -> Bool {
    let token = try next()
    if token == start { return true }
    guard case .scalar("", plain: true) = token else {
      throw error("expected a \(start == .sequenceStart ? "list" : "mapping")")
    }
    return false
  }

  /// Skips the next value, whatever it is.
  func skipValue() throws(RecordingError) {
    try skipRest(of: try next())
  }

  /// Skips the rest of the value that begins with a token.
  func skipRest(of first: YAMLToken) throws(RecordingError) {
    var depth = 0
    var token = first
    while true {
      switch token {
      case .sequenceStart, .mappingStart: depth += 1
      case .sequenceEnd, .mappingEnd: depth -= 1
      case .scalar, .alias: break
      case .end: throw error("the file ends within a value")
      }
      if depth <= 0 { return }
      if depth > LibinputTokens.maximumDepth { throw error("the values are nested too deeply") }
      token = try next()
    }
  }

  /// The next number of a list, or nil at its end.
  func number<Number: FixedWidthInteger>(
    _ what: StaticString, as type: Number.Type = Number.self
  ) throws(RecordingError) -> Number? {
    switch try next() {
    case .scalar(let text, plain: _): return try number(what, text)
    case .sequenceEnd: return nil
    case .sequenceStart, .mappingStart, .mappingEnd, .alias, .end:
      throw error("the \(what) is not a number")
    }
  }

  /// Parses a number.
  func number<Number: FixedWidthInteger>(
    _ what: StaticString, _ text: String
  ) throws(RecordingError) -> Number {
    if let number = Number(text) { return number }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    guard !digits.isEmpty, digits.allSatisfy({ ($0.digit ?? 10) < 10 }) else {
      throw error("the \(what) is not a number")
    }
    let shown = text.count > 32 ? text.prefix(32) + "…" : text[...]
    throw error("the \(what) \(shown) does not fit into \(Number.bitWidth) bits")
  }

  /// The numbers up to the end of a list, whose count is limited at both ends.
  func numbers<Number: FixedWidthInteger>(
    _ what: StaticString, atLeast least: Int = 0, atMost most: Int
  ) throws(RecordingError) -> [Number] {
    var numbers: [Number] = []
    guard try enter(.sequenceStart) else { return numbers }
    while let number = try number(what, as: Number.self) {
      numbers.append(number)
      if numbers.count > most { throw error("the list has more than \(most) numbers") }
    }
    guard numbers.count >= least else { throw error("a \(what) is missing") }
    return numbers
  }

  /// The bytes of the list that comes next, as 0x7f or 127.
  ///
  /// - Returns: one byte more than the limit if there are more, and none if a value is no byte: a device is read without
  ///   its report descriptor, too.
  func bytes(atMost limit: Int) throws(RecordingError) -> [UInt8] {
    let start = try next()
    guard case .sequenceStart = start else {
      try skipRest(of: start)
      return []
    }
    var bytes: [UInt8] = []
    var isComplete = true
    while true {
      let token = try next()
      switch token {
      case .sequenceEnd: return isComplete ? bytes : []
      case .scalar(let text, plain: _):
        let number = text.hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
        guard let number else {
          isComplete = false
          continue
        }
        if bytes.count <= limit { bytes.append(number) }
      default:
        isComplete = false
        try skipRest(of: token)
      }
    }
  }
}
