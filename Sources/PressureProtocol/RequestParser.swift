/// Parses the JSON object of a request in a single pass.
///
/// Requests are untrusted input, so the cost is bounded: the time is linear in the length of the line, the depth and
/// the number of values are limited, and the parser never backtracks. The grammar is strictly that of RFC 8259: no
/// trailing commas, no unescaped control characters, no unpaired surrogates, UTF-8 only.
struct RequestParser: ~Copyable {
  /// The maximum number of levels of objects and lists; the request itself is the first level.
  static let maximumDepth = 4

  /// The maximum number of values in a request, including lists and objects.
  static let maximumValues = 1024

  /// The maximum length of a number in bytes; far fewer identify each `Double` exactly.
  static let maximumNumberLength = 128

  private let bytes: UnsafeBufferPointer<UInt8>
  private let maximumDepth: Int
  private let maximumValues: Int
  private var index = 0
  private var valueCount = 0

  /// The first duplicate key of a nested object; `Request` checks the keys of the request itself.
  private(set) var repeatedKey: RequestKey?

  /// Makes a parser; other limits are for lines of the daemon, which are longer than requests.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = RequestParser.maximumDepth,
    maximumValues: Int = RequestParser.maximumValues
  ) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.maximumValues = maximumValues
  }

  /// Parses the whole line, which must be one object: the members in their order, including duplicate keys.
  ///
  /// It throws `bad_json` with the reason and the position in bytes.
  mutating func readObject() throws(RequestError) -> [(key: String, value: RequestValue)] {
    skipSpace()
    guard peek() == UInt8(ascii: "{") else { throw error("expected an object") }
    let members = try members(depth: 1)
    skipSpace()
    guard index == bytes.count else { throw error("unexpected data after the object") }
    return members
  }

  // MARK: - Values

  private mutating func value(depth: Int) throws(RequestError) -> RequestValue {
    valueCount += 1
    guard valueCount <= maximumValues else {
      throw error("a line has at most \(maximumValues) values")
    }
    skipSpace()
    switch peek() {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "["): return .list(try list(depth: depth + 1))
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || RequestParser.isDigit(byte):
      return try number()
    default: throw error("expected a value")
    }
  }

  private mutating func object(depth: Int) throws(RequestError) -> [RequestKey: RequestValue] {
    var object: [RequestKey: RequestValue] = [:]
    for (text, value) in try members(depth: depth) {
      let key = RequestKey(text)
      // The first value counts, as for the members of the line itself, and as in Foundation.
      if object[key] == nil { object[key] = value } else { repeatedKey = repeatedKey ?? key }
    }
    return object
  }

  private mutating func members(
    depth: Int
  ) throws(RequestError) -> [(key: String, value: RequestValue)] {
    try check(depth)
    index += 1
    var members: [(key: String, value: RequestValue)] = []
    skipSpace()
    if skip(UInt8(ascii: "}")) { return members }
    repeat {
      skipSpace()
      guard peek() == UInt8(ascii: "\"") else { throw error("expected a key in quotes") }
      let key = try string()
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw error("expected a colon") }
      members.append((key, try value(depth: depth)))
      skipSpace()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw error("expected a comma or }") }
    return members
  }

  private mutating func list(depth: Int) throws(RequestError) -> [RequestValue] {
    try check(depth)
    index += 1
    var elements: [RequestValue] = []
    skipSpace()
    if skip(UInt8(ascii: "]")) { return elements }
    repeat {
      elements.append(try value(depth: depth))
      skipSpace()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw error("expected a comma or ]") }
    return elements
  }

  private func check(_ depth: Int) throws(RequestError) {
    guard depth <= maximumDepth else {
      throw error("a line has at most \(maximumDepth) levels of objects and lists")
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: RequestValue
  ) throws(RequestError) -> RequestValue {
    let length = word.utf8CodeUnitCount
    let expected = UnsafeBufferPointer(start: word.utf8Start, count: length)
    guard bytes.count - index >= length, bytes[index..<index + length].elementsEqual(expected)
    else { throw error("expected a value") }
    index += length
    return value
  }

  // MARK: - Numbers

  /// Parses a number: integers exactly, all others as the nearest `Double`.
  private mutating func number() throws(RequestError) -> RequestValue {
    let start = index
    _ = skip(UInt8(ascii: "-"))
    let leading = peek()
    try digits()
    if leading == UInt8(ascii: "0"), index - start > (bytes[start] == leading ? 1 : 2) {
      throw error("a number must not have leading zeros")
    }
    var isInteger = true
    if skip(UInt8(ascii: ".")) {
      isInteger = false
      try digits()
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isInteger = false
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits()
    }
    guard index - start <= RequestParser.maximumNumberLength else {
      throw error("a number has at most \(RequestParser.maximumNumberLength) characters")
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isInteger { return Int64(text).map { .integer($0) } ?? .largeInteger(text) }
    guard let number = Double(text), number.isFinite else {
      throw error("a number is out of the range of 64 bits")
    }
    // From 2^53 on the nearest `Double` may be another whole number than the one that was sent.
    if number.magnitude < 0x1p53, let whole = Int64(exactly: number) {
      return .integer(whole)
    }
    return .number(number)
  }

  private mutating func digits() throws(RequestError) {
    let start = index
    while let byte = peek(), RequestParser.isDigit(byte) { index += 1 }
    if index == start { throw error("expected a digit") }
  }

  // MARK: - Strings

  private mutating func string() throws(RequestError) -> String {
    index += 1
    // The text before the last escape; most strings have none.
    var text: [UInt8] = []
    var begin = index
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        let rest = bytes[begin..<index]
        let whole =
          text.isEmpty
          ? String(validating: rest, as: UTF8.self) : String(validating: text + rest, as: UTF8.self)
        guard let whole else { throw error("a string is not UTF-8") }
        index += 1
        return whole
      case UInt8(ascii: "\\"):
        text += bytes[begin..<index]
        index += 1
        try escape(into: &text)
        begin = index
      case 0..<0x20: throw error("a control character in a string must be escaped")
      default: index += 1
      }
    }
    throw error("unterminated string")
  }

  private mutating func escape(into text: inout [UInt8]) throws(RequestError) {
    let letter = peek()
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter ?? 0)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
    default: throw error("invalid escape sequence")
    }
  }

  private mutating func scalar() throws(RequestError) -> Unicode.Scalar {
    let unit = try hexadecimal()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xdc00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
      throw error("unpaired surrogate")
    }
    let low = try hexadecimal()
    guard (0xdc00...0xdfff).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
    else { throw error("unpaired surrogate") }
    return scalar
  }

  private mutating func hexadecimal() throws(RequestError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      let digit: UInt32
      switch peek() {
      case let byte? where RequestParser.isDigit(byte):
        digit = UInt32(byte - UInt8(ascii: "0"))
      case let byte? where byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"):
        digit = UInt32(byte | 0x20 - UInt8(ascii: "a")) + 10
      default: throw error("expected four hexadecimal digits")
      }
      unit = unit << 4 | digit
      index += 1
    }
    return unit
  }

  // MARK: - Bytes

  @inline(__always)
  private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
      index += 1
    }
  }

  private func error(_ reason: String) -> RequestError {
    RequestError(.badJSON, "the line is not a JSON object: \(reason), at byte \(index + 1)")
  }
}
