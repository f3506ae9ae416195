/// Decodes lines of the daemon.
///
/// Foundation's decoder would do, but linked statically it is a quarter of the program and of its resident memory. It yields
/// the same values. Of a key that an object contains twice the first value counts, at all levels. Stricter than Foundation
/// is what `RequestParser` refuses, in unknown fields, too: trailing commas, numbers beyond the range of `Double` or longer
/// than 128 characters, byte order marks and encodings other than UTF-8, more than 64 levels. Numbers too small for `Double` are 0.
package enum LineDecoder {
  /// The maximum number of levels of objects and lists; lines of the daemon have at most six.
  static let maximumDepth = 64

  /// Decodes a line, which must be one object that contains a `Value`.
  ///
  /// The number of values is limited by the length of the line, which the caller limits.
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from line: [UInt8]
  ) throws -> Value {
    let members = try line.withUnsafeBufferPointer { bytes in
      var parser = RequestParser(bytes, maximumDepth: maximumDepth, maximumValues: .max)
      return try parser.readObject()
    }
    let object = Dictionary(members.map { (RequestKey($0.key), $0.value) }) { first, _ in first }
    return try Value(from: LineValue(value: .object(object), codingPath: []))
  }
}

private struct LineValue: Decoder, SingleValueDecodingContainer {
  let value: RequestValue
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(LineObject(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let elements) = value else { throw mismatch([Any].self) }
    return LineList(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let bool) = value else { throw mismatch(type) }
    return bool
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .text(let text) = value else { throw mismatch(type) }
    return text
  }

  func decode(_ type: Double.Type) throws -> Double {
    // The parser refuses numbers that are not finite, and integers of over 128 characters.
    guard let number = value.double(isWords: false) else { throw mismatch(type) }
    return number
  }

  func decode(_ type: Float.Type) throws -> Float {
    let number = Float(try decode(Double.self))
    guard number.isFinite else { throw corrupted("the number does not fit Float") }
    return number
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

  /// Whole numbers with a fraction or an exponent beyond 2⁵³ may have been rounded, so they are not integers.
  func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer {
    let exact: Integer? =
      switch value {
      case .integer(let number): Integer(exactly: number)
      case .largeInteger(let digits): Integer(digits)
      case .number: throw corrupted("the number is not an integer")
      default: throw mismatch(type)
      }
    guard let exact else { throw corrupted("the number does not fit \(Integer.self)") }
    return exact
  }

  private func mismatch(_ type: any Any.Type) -> DecodingError {
    let found =
      switch value {
      case .null: "null"
      case .bool: "a truth value"
      case .integer, .largeInteger, .number: "a number"
      case .text: "a string"
      case .list: "a list"
      case .object: "an object"
      }
    let context = context("expected \(type), found \(found)")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  private func corrupted(_ description: String) -> DecodingError {
    .dataCorrupted(context(description))
  }

  private func context(_ description: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: description)
  }
}

private struct LineObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [RequestKey: RequestValue]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0.text) } }

  func contains(_ key: Key) -> Bool { members[RequestKey(key.stringValue)] != nil }

  private func value(_ key: Key) throws -> LineValue {
    guard let value = members[RequestKey(key.stringValue)] else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "there is no \(key.stringValue)"))
    }
    return LineValue(value: value, codingPath: codingPath + [key])
  }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }

  // The types of most fields, without the containers that `init(from:)` allocates for each value.
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).decode(type) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try Value(from: try value(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try value(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try value(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { LineValue(value: .object(members), codingPath: codingPath) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}

private struct LineList: UnkeyedDecodingContainer {
  private struct Index: CodingKey {
    let intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }
    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
  }

  let elements: [RequestValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// The next element, which stays the next one unless `body` succeeds.
  private mutating func next<Value>(_ body: (LineValue) throws -> Value) throws -> Value {
    let path = codingPath + [Index(intValue: currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self, DecodingError.Context(codingPath: path, debugDescription: "the list ends"))
    }
    let result = try body(LineValue(value: elements[currentIndex], codingPath: path))
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next { try Value(from: $0) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
