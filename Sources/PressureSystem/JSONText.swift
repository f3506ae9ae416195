internal import PressureKit

/// Encodes values as JSON with sorted keys, without Foundation.
package enum JSONText {
  /// The text without a newline at its end, indented for people; a number that is not finite is null, as in the protocol.
  ///
  /// With `underscores` the name of a property is written as in the protocol: `isForGroup` as `for_group`.
  package static func text(
    of value: some Encodable, isIndented: Bool, underscores: Bool = false
  ) -> String {
    let tree = JSONTree()
    do {
      try value.encode(to: tree)
    } catch {
      preconditionFailure("a type of this program cannot be encoded: \(error)")
    }
    return tree.text(level: isIndented ? 0 : nil, underscores: underscores)
  }

  /// The text as a line, without underscores.
  package static func line(of value: some Encodable) -> [UInt8] {
    Array("\(text(of: value, isIndented: false))\n".utf8)
  }
}

/// A value that is being encoded, and its encoder; a class, as containers are filled after they were put into their parents.
private final class JSONTree: Encoder, SingleValueEncodingContainer {
  /// What the value is if it is no container, as JSON.
  var scalar = "null"
  var members: [String: JSONTree]?
  var elements: [JSONTree]?

  private static func underscored(_ name: String) -> String {
    var text = ""
    for letter in name {
      let isBoundary = letter.isUppercase && text.last?.isLowercase == true
      text += isBoundary ? "_" + letter.lowercased() : String(letter)
    }
    return text.hasPrefix("is_") ? String(text.dropFirst(3)) : text
  }

  /// The text; with a level, indented by it.
  func text(level: Int?, underscores: Bool) -> String {
    let (inner, colon) = (level.map { $0 + 1 }, level == nil ? ":" : " : ")
    if let elements {
      let texts = elements.map { $0.text(level: inner, underscores: underscores) }
      return JSONTree.joined(texts, between: ("[", "]"), level: level)
    }
    guard let members else { return scalar }
    let named = members.map { (underscores ? JSONTree.underscored($0) : $0, $1) }
    let texts = named.sorted { $0.0 < $1.0 }.map { name, value in
      JSONTree.quoted(name) + colon + value.text(level: inner, underscores: underscores)
    }
    return JSONTree.joined(texts, between: ("{", "}"), level: level)
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
  static func quoted(_ text: String) -> String {
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

  // MARK: - Encoding

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    members = members ?? [:]
    return KeyedEncodingContainer(JSONTreeObject(tree: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    elements = elements ?? []
    return JSONTreeList(tree: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { scalar = "null" }
  func encode(_ value: Bool) { scalar = value.description }
  func encode(_ value: String) { scalar = JSONTree.quoted(value) }
  func encode(_ value: Float) { encode(number: value) }
  func encode(_ value: Double) { encode(number: value) }
  func encode(_ value: some FixedWidthInteger & Encodable) { scalar = value.description }
  func encode(_ value: some Encodable) throws { try value.encode(to: self) }

  /// Each type has its own shortest digits: 0.1 as a `Float` is not 0.1 as a `Double`.
  private func encode(number: some BinaryFloatingPoint & CustomStringConvertible) {
    guard number.isFinite else { return encodeNil() }
    scalar = Int64(exactly: number)?.description ?? number.description
  }
}

private struct JSONTreeObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let tree: JSONTree

  var codingPath: [any CodingKey] { [] }

  /// A member, which it adds.
  private func member(_ key: any CodingKey) -> JSONTree {
    let value = JSONTree()
    tree.members?[key.stringValue] = value
    return value
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

  func superEncoder() -> any Encoder { tree }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

private struct JSONTreeList: UnkeyedEncodingContainer {
  let tree: JSONTree

  var codingPath: [any CodingKey] { [] }

  var count: Int { tree.elements?.count ?? 0 }

  private func element() -> JSONTree {
    let value = JSONTree()
    tree.elements?.append(value)
    return value
  }

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
