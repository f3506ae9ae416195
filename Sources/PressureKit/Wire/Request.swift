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
  ) throws(RequestFault) {
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
  public init(line: UnsafeBufferPointer<UInt8>) throws(RequestFault) {
    guard line.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      try self.init(words: String(decoding: line, as: UTF8.self)[...])
      return
    }
    var parser = RequestParser(line)
    try self.init(members: try parser.readObject())
    if let key = parser.repeatedKey { throw .repeated(key, id: id, verb: verb) }
  }

  /// Makes a request of a line written by hand: a verb, then `key=value` words, lists split at commas.
  ///
  /// It is cut at bytes, which is the same in UTF-8 and does not look for characters made of several.
  public init(words line: Substring) throws(RequestFault) {
    let words = line.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let first = words.first else { throw .badArgument("an empty line; try help") }
    verb = String(Substring(first))
    id = .null
    arguments = [:]
    isWords = true
    var repeated: RequestKey?
    var valueCount = 0
    for word in words.dropFirst() {
      guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else {
        let glance = String(Substring(word)).glance
        throw .badArgument("\(glance) is not a word of the form key=value", id: id, verb: verb)
      }
      let key = RequestKey(String(Substring(word[..<equals])))
      let value = Request.value(word[word.index(after: equals)...], count: &valueCount)
      guard valueCount <= RequestParser.maximumValues else {
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

  private static func value(_ word: Substring.UTF8View, count: inout Int) -> RequestValue {
    guard word.contains(UInt8(ascii: ",")) else {
      count += 1
      return .text(String(Substring(word)))
    }
    let elements = word.split(separator: UInt8(ascii: ","))
    count += elements.count + 1
    return .list(elements.map { .text(String(Substring($0))) })
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

extension RequestFault {
  /// A key was given twice; neither value counts.
  fileprivate static func repeated(
    _ key: RequestKey, id: RequestValue, verb: String?
  ) -> RequestFault {
    .badArgument(
      "\(key.text.glance) is given twice", id: key == "id" ? .null : id,
      verb: key == "do" ? nil : verb)
  }
}
