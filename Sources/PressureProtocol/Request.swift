internal import PressureKit

/// A request of a client: a verb and its arguments.
public struct Request: Hashable, Sendable {
  /// The maximum length of a line in bytes, without the line feed.
  package static let maximumLength = 16 * 1024

  /// The ID that the reply repeats; null if the client sent none.
  public var id: RequestValue

  /// The verb, such as `subscribe`.
  public var verb: String

  /// The arguments by their keys, without the ID and the verb.
  public var arguments: [RequestKey: RequestValue]

  /// Whether the request was written as `key=value` words, in which all values are text.
  package let isWords: Bool

  /// Creates a request from a verb and its arguments.
  public init(_ verb: String, _ arguments: [RequestKey: RequestValue] = [:]) {
    (id, self.verb, self.arguments, isWords) = (.null, verb, arguments, false)
  }

  /// Parses a line without its line feed: a JSON object, or a verb followed by `key=value` words.
  package init(line: [UInt8]) throws(RequestError) {
    self = try line.withUnsafeBufferPointer { line throws(RequestError) in
      guard line.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
        return try Request(members: Request.members(ofWords: line), isWords: true)
      }
      var parser = RequestParser(line)
      let request = try Request(members: try parser.readObject(), isWords: false)
      if let key = parser.repeatedKey {
        throw .repeated(key, id: request.id, verb: request.verb)
      }
      return request
    }
  }

  /// Makes a request from the members of a JSON object or of a line of words, in their order.
  ///
  /// An error has the verb and the ID as far as they are valid. Duplicate keys are an error, because JSON parsers disagree
  /// about which value counts.
  private init(
    members: [(key: String, value: RequestValue)], isWords: Bool
  ) throws(RequestError) {
    var arguments: [RequestKey: RequestValue] = [:]
    var repeated: [RequestKey] = []
    for (text, value) in members {
      let key = RequestKey(text)
      if arguments.updateValue(value, forKey: key) != nil { repeated.append(key) }
    }
    let id = arguments.removeValue(forKey: "id") ?? .null
    let verb = repeated.contains("do") ? nil : arguments.removeValue(forKey: "do")?.text
    if let reason = id.idError { throw .badArgument(reason, verb: verb) }
    if let key = repeated.first { throw .repeated(key, id: id, verb: verb) }
    guard let verb else {
      throw .badArgument("a request needs \"do\", as in {\"do\":\"state\"}", id: id)
    }
    (self.id, self.verb, self.arguments, self.isWords) = (id, verb, arguments, isWords)
  }

  /// The members of a line of words: a verb, then `key=value` words; commas separate the elements of a list.
  ///
  /// The words are split off one by one, so that an invalid line costs no more than the part before the error.
  private static func members(
    ofWords line: UnsafeBufferPointer<UInt8>
  ) throws(RequestError) -> [(key: String, value: RequestValue)] {
    // Replacing invalid bytes costs far more than validating them, and a name with replacements matches nothing.
    guard String(validating: line, as: UTF8.self) != nil else {
      throw .badArgument("the line is not UTF-8")
    }
    var rest = line[...]
    guard let first = nextWord(&rest) else { throw .badArgument("an empty line; try help") }
    let verb = text(first)
    var members = [(key: "do", value: RequestValue.text(verb))]
    func error(_ reason: String) -> RequestError {
      let id = members.last { RequestKey($0.key) == "id" }?.value ?? .null
      return .badArgument(reason, id: id, verb: verb)
    }
    var valueCount = 0
    while let word = nextWord(&rest) {
      guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else {
        throw error("\(text(word).truncated) is not a word of the form key=value")
      }
      guard let value = Request.value(word[(equals + 1)...], count: &valueCount) else {
        throw error("a request has at most \(RequestParser.maximumValues) values")
      }
      members.append((text(word[..<equals]), value))
    }
    return members
  }

  private typealias Word = Slice<UnsafeBufferPointer<UInt8>>

  private static func text(_ word: Word) -> String { String(decoding: word, as: UTF8.self) }

  /// Removes and returns the next word; nil if only blanks are left.
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

  /// The value of a word, or nil if the request would exceed the maximum number of values.
  private static func value(_ word: Word, count: inout Int) -> RequestValue? {
    count += 1
    guard count <= RequestParser.maximumValues else { return nil }
    guard word.contains(UInt8(ascii: ",")) else { return .text(text(word)) }
    let elements = word.split(
      separator: UInt8(ascii: ","), maxSplits: RequestParser.maximumValues)
    count += elements.count
    guard count <= RequestParser.maximumValues else { return nil }
    return .list(elements.map { .text(text($0)) })
  }
}

extension RequestValue {
  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  fileprivate var idError: String? {
    switch self {
    case .largeInteger(let id) where UInt64(id) == nil: RequestValue.tooLargeID
    case .number(let id) where !(-0x1p63..<0x1p64).contains(id): RequestValue.tooLargeID
    case .null, .integer, .largeInteger, .number, .text: nil
    case .bool, .list, .object: "id must be a number or a string"
    }
  }

  private static var tooLargeID: String { "id has more than 64 bits; send it as a string" }
}

extension RequestError {
  /// The error of a duplicate key; neither value is used.
  fileprivate static func repeated(
    _ key: RequestKey, id: RequestValue, verb: String?
  ) -> RequestError {
    .badArgument(
      "\(key.text.truncated) is given twice", id: key == "id" ? .null : id, verb: verb)
  }
}

/// A key of an object in a request, compared and hashed by its bytes instead of by canonical equivalence.
public struct RequestKey: Comparable, ExpressibleByStringLiteral, Hashable, Sendable {
  /// The key as it was sent.
  public let text: String

  /// Makes a key.
  public init(_ text: String) { self.text = text }

  public init(stringLiteral text: String) { self.init(text) }

  public static func == (left: RequestKey, right: RequestKey) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  public func hash(into hasher: inout Hasher) {
    let isWhole: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isWhole == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }

  public static func < (left: RequestKey, right: RequestKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// A value in a request.
public enum RequestValue: Hashable, Sendable {
  /// An explicit null.
  case null
  /// True or false.
  case bool(Bool)
  /// An integer from -2⁶³ to 2⁶³ - 1, kept exactly because IDs may be large.
  case integer(Int64)
  /// Any other integer, as its digits.
  case largeInteger(String)
  /// Any other number.
  case number(Double)
  /// A string; in the form of words, numbers and truth values are strings too.
  case text(String)
  /// An array.
  case list([RequestValue])
  /// An object.
  case object([RequestKey: RequestValue])

  /// The strings of a list, or nil if it contains other values; in the form of words, one string is a list too.
  package func texts(isWords: Bool) -> [String]? {
    switch self {
    case .text(let text): isWords ? text.isEmpty ? [] : [text] : nil
    case .list(let elements):
      elements.reduce(into: [] as [String]?) { list, element in
        if case .text(let text) = element { list?.append(text) } else { list = nil }
      }
    case .null, .bool, .integer, .largeInteger, .number, .object: nil
    }
  }

  /// The number, if it is finite; in the form of words, a string that contains a number is one too.
  func double(isWords: Bool) -> Double? {
    let number: Double? =
      switch self {
      case .integer(let number): Double(number)
      case .largeInteger(let digits): Double(digits)
      case .number(let number): number
      case .text(let text): isWords ? Double(text) : nil
      case .null, .bool, .list, .object: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}

extension JSONLinesWriter {
  /// Appends a request as a line, with its arguments in the order of their names.
  public mutating func append(_ request: Request) {
    append("{\"do\":", quoted: request.verb)
    if request.id != .null {
      append(",\"id\":")
      append(request.id)
    }
    for (key, value) in request.arguments.sorted(by: { $0.key < $1.key }) {
      append(",", quoted: key.text)
      append(":")
      append(value)
    }
    append("}\n")
  }

  mutating func append(_ value: RequestValue) {
    switch value {
    case .null: append("null")
    case .object(let members):
      append("{")
      append(list: members.sorted { $0.key < $1.key }) { writer, member in
        writer.append(quoted: member.key.text)
        writer.append(":")
        writer.append(member.value)
      }
      append("}")
    case .bool(let value): append(value)
    case .integer(let number): append(number)
    case .largeInteger(let digits): append(plain: digits)
    case .number(let number): append(plain: number.isFinite ? number.shortDescription : "null")
    case .text(let text): append(quoted: text)
    case .list(let values):
      append("[")
      append(list: values) { $0.append($1) }
      append("]")
    }
  }
}

/// Requests as clients send them; pressured-protocol(7) describes each.
extension Request {
  /// Selects the events that the daemon sends to this client.
  ///
  /// - Parameters:
  ///   - events: their names; nil selects all, an empty array none.
  ///   - devices: names of devices, at most 64; nil selects all.
  ///   - maximumRate: the maximum number of readings in a second for each device, 0 to 100,000; 0 selects every frame, nil the
  ///     daemon's default of 100.
  ///   - minimumChange: readings whose total changed by fewer grams are left out, 0 to 1,000,000.
  /// - Returns: the request, which the daemon answers with the resulting subscription.
  public static func subscribe(
    events: [EventName]? = nil, devices: [String]? = nil, maximumRate: Double? = nil,
    minimumChange: Double? = nil
  ) -> Request {
    var arguments: [RequestKey: RequestValue] = [:]
    arguments["events"] = events.map { .list($0.map { .text($0.rawValue) }) }
    arguments["devices"] = devices.map { .list($0.map { .text($0) }) }
    arguments["max_hz"] = maximumRate.map { .number($0) }
    arguments["min_change_grams"] = minimumChange.map { .number($0) }
    return Request("subscribe", arguments)
  }

  /// Requests the contacts and the scale of each device, or of one.
  public static func state(of device: String? = nil) -> Request { about(device, "state") }

  /// Sets the present load as the tare of a device; the device is optional if only one can weigh.
  public static func tare(_ device: String? = nil) -> Request { about(device, "tare") }

  /// Clears the tare of a device.
  public static func clearTare(_ device: String? = nil) -> Request { about(device, "untare") }

  /// Sets the present load as the zero of a device; the daemon refuses more than a small correction.
  public static func zero(_ device: String? = nil) -> Request { about(device, "zero") }

  /// Holds the present reading of a device, for a limited time.
  public static func hold(_ device: String? = nil) -> Request { about(device, "hold") }

  /// Releases a held reading of a device.
  public static func release(_ device: String? = nil) -> Request { about(device, "release") }

  /// Requests the next stable reading of a device.
  ///
  /// - Parameters:
  ///   - device: the device; optional if only one can weigh.
  ///   - timeoutMilliseconds: how long the daemon may wait for it; nil selects the daemon's default.
  /// - Returns: the request, whose result is a `ReceivedScale`.
  public static func weigh(
    _ device: String? = nil, timeoutMilliseconds: Int? = nil
  ) -> Request {
    about(device, "weigh", ["timeout_ms": timeoutMilliseconds.map { .integer(Int64($0)) }])
  }

  /// Grabs a device, so that no other program receives its touches, or releases it.
  ///
  /// - Parameters:
  ///   - device: the device; optional if there is only one.
  ///   - isOn: whether to grab it.
  /// - Returns: the request, which needs the right to control.
  public static func grab(_ device: String? = nil, isOn: Bool) -> Request {
    about(device, "grab", ["on": .bool(isOn)])
  }

  /// Requests the last stable readings of a device.
  ///
  /// - Parameters:
  ///   - device: the device; optional if only one can weigh.
  ///   - count: the maximum number of readings.
  /// - Returns: the request, whose result is a list of `ReceivedScale`.
  public static func history(_ device: String? = nil, last count: Int) -> Request {
    about(device, "history", ["last": .integer(Int64(count))])
  }

  /// Performs a step of a calibration.
  public static func calibrate(
    _ device: String? = nil, step: String, grams: Double? = nil
  ) -> Request {
    about(device, "calibrate", ["step": .text(step), "grams": grams.map { .number($0) }])
  }

  /// Performs a quick action.
  ///
  /// - Parameters:
  ///   - type: its type, such as `pressured.tare`.
  ///   - device: the device that it is for; optional if there is only one.
  /// - Returns: the request, whose result is a `PerformResult`.
  public static func perform(_ type: String, on device: String? = nil) -> Request {
    about(device, "perform", ["type": .text(type)])
  }

  /// A request about a device, without arguments that are nil.
  private static func about(
    _ device: String?, _ verb: String, _ arguments: [RequestKey: RequestValue?] = [:]
  ) -> Request {
    var arguments = arguments.compactMapValues(\.self)
    arguments["device"] = device.map { .text($0) }
    return Request(verb, arguments)
  }
}
