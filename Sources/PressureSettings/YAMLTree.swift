internal import PressureKit
internal import PressureProtocol

/// Builds a tree from a YAML file with one document.
struct YAMLTree {
  /// The most levels of nesting; the configuration has six.
  static let depthLimit = 32

  private let parser: YAMLParser
  private let errors: DiagnosticList

  /// The root of the tree; duplicate keys are added to the errors.
  static func root(of text: [UInt8], errors: DiagnosticList) throws(YAMLError) -> YAMLNode? {
    try YAMLTree(parser: YAMLParser(text), errors: errors).root()
  }

  private func root() throws(YAMLError) -> YAMLNode? {
    let (first, mark) = try parser.next()
    guard first != .end else { return nil }
    let root = try node(first, mark, depth: 0)
    let (next, nextMark) = try parser.next()
    guard next == .end else {
      throw YAMLError(mark: nextMark, reason: "more than one document")
    }
    return root
  }

  private func node(
    _ token: YAMLToken, _ mark: YAMLMark, depth: Int
  ) throws(YAMLError) -> YAMLNode {
    guard depth < Self.depthLimit else {
      throw YAMLError(mark: mark, reason: "more than \(Self.depthLimit) levels deep")
    }
    switch token {
    case .scalar(let text, let plain):
      return YAMLNode(mark: mark, content: .scalar(text, plain: plain))
    case .sequenceStart:
      return YAMLNode(mark: mark, content: .list(try list(depth: depth + 1)))
    case .mappingStart:
      return YAMLNode(mark: mark, content: .mapping(try fields(depth: depth + 1)))
    case .alias:
      throw YAMLError(mark: mark, reason: "aliases are not supported")
    case .sequenceEnd, .mappingEnd, .end:
      throw YAMLError(mark: mark, reason: "a value is missing")
    }
  }

  private func list(depth: Int) throws(YAMLError) -> [YAMLNode] {
    var nodes: [YAMLNode] = []
    while true {
      let (token, mark) = try parser.next()
      guard token != .sequenceEnd else { return nodes }
      nodes.append(try node(token, mark, depth: depth))
    }
  }

  private func fields(depth: Int) throws(YAMLError) -> [YAMLField] {
    var fields: [YAMLField] = []
    var keys: Set<String> = []
    while true {
      let (token, mark) = try parser.next()
      guard token != .mappingEnd else { return fields }
      guard case .scalar(let key, _) = token else {
        throw YAMLError(mark: mark, reason: "a key must be text")
      }
      let (next, nextMark) = try parser.next()
      let value = try node(next, nextMark, depth: depth)
      if keys.insert(key).inserted {
        fields.append(YAMLField(key: key, mark: mark, value: value))
      } else {
        errors.add("duplicate key \(key.quoted)", at: mark)
      }
    }
  }
}

/// A YAML value with its position.
package struct YAMLNode {
  package enum Content {
    /// A scalar; if `plain`, it has no quotes and may be a number, a boolean or null.
    case scalar(String, plain: Bool)
    case list([YAMLNode])
    /// Pairs of unique keys and values.
    case mapping([YAMLField])
  }

  package var mark: YAMLMark
  package var content: Content
}

package struct YAMLField {
  var key: String
  var mark: YAMLMark
  var value: YAMLNode
}

/// YAML 1.2's core schema: `yes` and `on` are text, and so is everything in quotes.
extension YAMLNode {
  /// The text of a scalar without quotes.
  private var plain: String? {
    if case .scalar(let text, plain: true) = content { text } else { nil }
  }

  package var isNull: Bool {
    switch plain {
    case "", "~", "null", "Null", "NULL": true
    default: false
    }
  }

  package var truth: Bool? {
    switch plain {
    case "true", "True", "TRUE": true
    case "false", "False", "FALSE": false
    default: nil
    }
  }

  /// A finite decimal number, with or without fraction and exponent.
  package var number: Double? {
    plain.flatMap { text in
      // Swift's parser also accepts `nan`, `infinity` and hexadecimal fractions.
      let isDecimal = text.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) }
      return isDecimal ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
    }
  }

  /// A decimal number without fraction and exponent.
  var wholeNumber: Int? { plain.flatMap { Int($0) } }

  /// A scalar that is not null, a boolean or a number.
  package var text: String? {
    guard case .scalar(let text, _) = content else { return nil }
    return isNull || truth != nil || number != nil ? nil : text
  }

  /// A short description of the value for messages, on one line.
  package var brief: String {
    switch content {
    case .list: "a list"
    case .mapping: "a mapping"
    case .scalar(let text, _):
      isNull ? "null" : self.text == nil ? String(text.prefix(40)) : text.quoted
    }
  }
}

extension String {
  /// The text in quotes on one line, truncated.
  package var quoted: String { truncated.debugDescription }
}
