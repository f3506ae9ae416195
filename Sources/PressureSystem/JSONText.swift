internal import PressureKit

/// Encodes values as JSON with sorted keys, without Foundation.
package enum JSONText {
  /// The text without a newline at its end, indented for people; a number that is not finite is null, as in the protocol.
  ///
  /// With `underscores` the name of a property is written as in the protocol: `isForGroup` as `for_group`.
  package static func text(
    of value: some Encodable, isIndented: Bool, underscores: Bool = false
  ) -> String {
    let tree = JSONTree(underscores: underscores)
    do {
      try value.encode(to: JSONTreeEncoder(tree: tree))
    } catch {
      preconditionFailure("a type of this program cannot be encoded: \(error)")
    }
    return tree.text(level: isIndented ? 0 : nil)
  }

  /// The text as a line, without underscores.
  package static func line(of value: some Encodable) -> [UInt8] {
    Array("\(text(of: value, isIndented: false))\n".utf8)
  }
}

/// A value that is being encoded; a class, as containers are filled after they were put into their parents.
private final class JSONTree {
  enum Content {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])
  }

  var content = Content.null

  private let underscores: Bool

  init(underscores: Bool) {
    self.underscores = underscores
  }

  /// Adds a member or an element with no content yet.
  func add(_ key: String = "") -> JSONTree {
    let value = JSONTree(underscores: underscores)
    // Without a second reference to it, a container is not copied.
    if case .object(var members) = content {
      content = .null
      members[underscores ? JSONTree.underscored(key) : key] = value
      content = .object(members)
    } else if case .list(var elements) = content {
      content = .null
      elements.append(value)
      content = .list(elements)
    }
    return value
  }

  private static func underscored(_ name: String) -> String {
    var text = ""
    for letter in name {
      let isBoundary = letter.isUppercase && text.last?.isLowercase == true
      text += isBoundary ? "_" + letter.lowercased() : String(letter)
    }
    return text.hasPrefix("is_") ? String(text.dropFirst(3)) : text
  }

  /// The text; with a level, indented by it.
  func text(level: Int?) -> String {
    let (inner, colon) = (level.map { $0 + 1 }, level == nil ? ":" : " : ")
    return switch content {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let digits): digits
    case .text(let text): JSONTree.quoted(text)
    case .list(let elements):
      JSONTree.joined(elements.map { $0.text(level: inner) }, between: ("[", "]"), level: level)
    case .object(let members):
      JSONTree.joined(
        members.sorted { $0.key < $1.key }
          .map { "\(JSONTree.quoted($0.key))\(colon)\($0.value.text(level: inner))" },
        between: ("{", "}"), level: level)
    }
  }

  private static func joined(
    _ elements: [String], between brackets: (String, String), level: Int?
  ) -> String {
    guard let level, !elements.isEmpty else {
      return brackets.0 + elements.joined(separator: ",") + brackets.1
    }
    let indentation = "\n" + String(repeating: "  ", count: level)
    return brackets.0 + indentation + "  " + elements.joined(separator: ",\(indentation)  ")
      + indentation + brackets.1
  }

  /// Escapes also the characters that a terminal interprets.
  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "\"") { quoted, scalar in
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.isControl:
        for unit in String(scalar).utf16 { quoted += "\\u" + unit.hexadecimal(4) }
      default: quoted.unicodeScalars.append(scalar)
      }
    } + "\""
  }
}

private struct JSONTreeEncoder: Encoder, SingleValueEncodingContainer {
  let tree: JSONTree

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = tree.content {} else { tree.content = .object([:]) }
    return KeyedEncodingContainer(JSONTreeObject(tree: tree))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = tree.content {} else { tree.content = .list([]) }
    return JSONTreeList(tree: tree)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { tree.content = .null }
  func encode(_ value: Bool) { tree.content = .bool(value) }
  func encode(_ value: String) { tree.content = .text(value) }

  func encode(_ value: Double) { encode(number: value) }
  func encode(_ value: Float) { encode(number: value) }
  func encode(_ value: some FixedWidthInteger & Encodable) {
    tree.content = .number(value.description)
  }

  func encode(_ value: some Encodable) throws { try value.encode(to: self) }

  /// Each type has its own shortest digits: 0.1 as a `Float` is not 0.1 as a `Double`.
  private func encode(number: some BinaryFloatingPoint & CustomStringConvertible) {
    guard number.isFinite else { return encodeNil() }
    tree.content = .number(Int64(exactly: number)?.description ?? number.description)
  }
}

private struct JSONTreeObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let tree: JSONTree

  var codingPath: [any CodingKey] { [] }

  /// The encoder of a member, which it adds.
  private func member(_ key: any CodingKey) -> JSONTreeEncoder {
    JSONTreeEncoder(tree: tree.add(key.stringValue))
  }

  func encodeNil(forKey key: Key) { member(key).encodeNil() }
  func encode(_ value: some Encodable, forKey key: Key) throws { try value.encode(to: member(key)) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { JSONTreeEncoder(tree: tree) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

private struct JSONTreeList: UnkeyedEncodingContainer {
  let tree: JSONTree

  var codingPath: [any CodingKey] { [] }

  var count: Int {
    if case .list(let elements) = tree.content { elements.count } else { 0 }
  }

  private func element() -> JSONTreeEncoder { JSONTreeEncoder(tree: tree.add()) }

  func encodeNil() { element().encodeNil() }
  func encode(_ value: some Encodable) throws { try value.encode(to: element()) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    element().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
  func superEncoder() -> any Encoder { element() }
}
