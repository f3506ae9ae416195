internal import PressureKit

/// A line from a client: what to do, and with what.
public struct Request: Hashable, Sendable {
  /// The longest line that is read, in bytes without its end.
  public static let maximumLength = 16 * 1024

  /// What the answer is to carry, as given.
  public var id: RequestValue

  public var verb: String
  public var arguments: [RequestKey: RequestValue]

  /// Whether it was written as words, where a number or a list can only be text.
  public let isWords: Bool

  /// Makes a request from a JSON object's members.
  ///
  /// A member given twice is an error, as in `init(words:)`: JSON readers disagree about which one counts.
  /// An error carries the verb and the id as far as they are valid.
  public init(
    members: some Sequence<(key: String, value: RequestValue)>
  ) throws(RequestError) {
    var arguments: [RequestKey: RequestValue] = [:]
    var repeated: RequestKey?
    for (text, value) in members {
      let key = RequestKey(text)
      if arguments.updateValue(value, forKey: key) != nil { repeated = repeated ?? key }
    }
    let id = arguments.removeValue(forKey: "id") ?? .null
    let verb = arguments.removeValue(forKey: "do")?.verb
    if let objection = id.objectionAsID {
      throw .badArgument(objection, verb: repeated == "do" ? nil : verb)
    }
    if let repeated { throw .repeated(repeated, id: id, verb: verb) }
    guard let verb else {
      throw .badArgument("a request needs \"do\", as in {\"do\":\"state\"}", id: id)
    }
    (self.id, self.verb, self.arguments, isWords) = (id, verb, arguments, false)
  }

  /// Makes a request of a line: a JSON object, or words.
  ///
  /// - Parameter line: the bytes without the line's end.
  /// - Throws: what is wrong with it, with as much of the request as was understood.
  public init(line: UnsafeBufferPointer<UInt8>) throws(RequestError) {
    guard line.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      try self.init(words: line)
      return
    }
    var parser = RequestParser(line)
    try self.init(members: try parser.readObject())
    if let key = parser.repeatedKey { throw .repeated(key, id: id, verb: verb) }
  }

  /// Makes a request of a line written by hand: a verb, then `key=value` words, lists split at commas.
  public init(words line: Substring) throws(RequestError) {
    self = try Array(line.utf8).withUnsafeBufferPointer { line throws(RequestError) in
      try Request(words: line)
    }
  }

  /// The same of bytes.
  ///
  /// One word is cut off at a time, so that a line that is refused costs no more than what was read of it.
  private init(words line: UnsafeBufferPointer<UInt8>) throws(RequestError) {
    // Repairing each byte would cost far more than reading it, and a repaired name is no name that there is.
    guard String(validating: line, as: UTF8.self) != nil else {
      throw .badArgument("the line is not UTF-8")
    }
    var rest = line[...]
    guard let first = Request.nextWord(&rest) else { throw .badArgument("an empty line; try help") }
    verb = Request.text(first)
    id = .null
    arguments = [:]
    isWords = true
    var repeated: RequestKey?
    var valueCount = 0
    while let word = Request.nextWord(&rest) {
      guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else {
        let glance = Request.text(word).glance
        throw .badArgument("\(glance) is not a word of the form key=value", id: id, verb: verb)
      }
      let key = RequestKey(Request.text(word[..<equals]))
      guard let value = Request.value(word[(equals + 1)...], count: &valueCount) else {
        throw .badArgument(
          "a request has at most \(RequestParser.maximumValues) values", id: id, verb: verb)
      }
      if arguments.updateValue(value, forKey: key) != nil { repeated = repeated ?? key }
      if key == "id" { id = value }
    }
    arguments.removeValue(forKey: "id")
    if let objection = id.objectionAsID { throw .badArgument(objection, verb: verb) }
    if arguments["do"] != nil { repeated = repeated ?? "do" }
    if let repeated { throw .repeated(repeated, id: id, verb: verb) }
  }

  private typealias Word = Slice<UnsafeBufferPointer<UInt8>>

  private static func text(_ word: Word) -> String { String(decoding: word, as: UTF8.self) }

  /// Cuts the next word off, or gives nil if only space is left.
  private static func nextWord(_ rest: inout Word) -> Word? {
    rest = rest.drop(while: isSpace)
    guard !rest.isEmpty else { return nil }
    let word = rest.prefix { !isSpace($0) }
    rest = rest[word.endIndex...]
    return word
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// The value of a word, or nil if it has more elements than are left of those that a request may have.
  private static func value(_ word: Word, count: inout Int) -> RequestValue? {
    count += 1
    guard count <= RequestParser.maximumValues else { return nil }
    guard word.contains(UInt8(ascii: ",")) else { return .text(text(word)) }
    var elements: [RequestValue] = []
    var rest = word
    while !rest.isEmpty {
      let element = rest.prefix { $0 != UInt8(ascii: ",") }
      rest = rest[element.endIndex...].dropFirst()
      guard !element.isEmpty else { continue }
      count += 1
      guard count <= RequestParser.maximumValues else { return nil }
      elements.append(.text(text(element)))
    }
    return .list(elements)
  }
}

extension RequestValue {
  /// The text of a verb.
  fileprivate var verb: String? {
    if case .text(let verb) = self { verb } else { nil }
  }

  /// Why an answer cannot carry this as its id, or nil if it can.
  fileprivate var objectionAsID: String? {
    switch self {
    // One of more than 64 bits has been read as the nearest that there is.
    case .number(let id) where id.magnitude >= 0x1p63:
      "id has more than 64 bits; give it as a text"
    case .null, .whole, .number, .text: nil
    case .truth, .list, .object: "id must be a number or a text"
    }
  }
}

extension RequestError {
  /// A key was given twice; neither value counts.
  fileprivate static func repeated(
    _ key: RequestKey, id: RequestValue, verb: String?
  ) -> RequestError {
    .badArgument(
      "\(key.text.glance) is given twice", id: key == "id" ? .null : id,
      verb: key == "do" ? nil : verb)
  }
}

/// A key of an object in a request, compared and hashed by its bytes.
public struct RequestKey: Hashable, Sendable {
  public let text: String

  public init(_ text: String) {
    self.text = text
  }

  public static func == (left: RequestKey, right: RequestKey) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  public func hash(into hasher: inout Hasher) {
    let isWhole: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isWhole == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }
}

extension RequestKey: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension RequestKey: Comparable {
  public static func < (left: RequestKey, right: RequestKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// A value in a request, as strangers write it.
public enum RequestValue: Hashable, Sendable {
  /// Nothing, said explicitly.
  case null
  /// True or false.
  case truth(Bool)
  /// A number without a fraction, kept to the digit, as ids may be long.
  case whole(Int64)
  /// Any other number.
  case number(Double)
  /// A text; by hand, numbers come as text too.
  case text(String)
  /// Several values.
  case list([RequestValue])
  /// Named values.
  case object([RequestKey: RequestValue])

  /// The texts of a list, nil if something else is among them; in words, a single one is a list too.
  package func texts(isWords: Bool) -> [String]? {
    switch self {
    case .text(let text): isWords ? text.isEmpty ? [] : [text] : nil
    case .list(let elements):
      elements.reduce(into: [] as [String]?) { list, element in
        if case .text(let text) = element { list?.append(text) } else { list = nil }
      }
    case .null, .truth, .whole, .number, .object: nil
    }
  }

  /// A number; in words, one that is written as text.
  func double(isWords: Bool) -> Double? {
    let number: Double? =
      switch self {
      case .whole(let number): Double(number)
      case .number(let number): number
      case .text(let text): isWords ? Double(text) : nil
      case .null, .truth, .list, .object: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// What clients of ours send.
extension JSONLinesWriter {
  /// Adds a request, with its arguments in the order given.
  public mutating func appendRequest(
    _ verb: String, _ arguments: KeyValuePairs<String, RequestValue> = [:]
  ) {
    append("{\"do\":")
    append(quoted: verb)
    for (name, value) in arguments {
      append(",")
      append(quoted: name)
      append(":")
      append(argument: value)
    }
    append("}\n")
  }

  private mutating func append(argument: RequestValue) {
    switch argument {
    case .null: append("null")
    case .object(let members):
      append("{")
      for (index, key) in members.keys.sorted().enumerated() {
        if index > 0 { append(",") }
        append(quoted: key.text)
        append(":")
        append(argument: members[key] ?? .null)
      }
      append("}")
    case .truth(let truth): append(truth)
    case .whole(let number): append(number)
    case .number(let number): append(number, decimals: 4)
    case .text(let text): append(quoted: text)
    case .list(let values):
      append("[")
      for (index, value) in values.enumerated() {
        if index > 0 { append(",") }
        append(argument: value)
      }
      append("]")
    }
  }
}
