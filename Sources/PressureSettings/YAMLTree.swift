internal import PressureKit
internal import PressureProtocol
package import PressureYAML

/// Builds a tree out of a YAML file of one document.
struct YAMLTree {
  /// Levels of lists and mappings within each other; the configuration has six.
  static let depthLimit = 32

  private let parser: YAMLParser
  private let faults: DiagnosticList

  /// The root of the tree, with keys that are there twice put among the faults.
  static func root(of text: [UInt8], faults: DiagnosticList) throws(YAMLError) -> YAMLNode? {
    var rest = text[...]
    let parser = YAMLParser { buffer in
      let count = min(buffer.count, rest.count)
      buffer.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    return try YAMLTree(parser: parser, faults: faults).root()
  }

  private func root() throws(YAMLError) -> YAMLNode? {
    let (first, mark) = try parser.next()
    guard first != .end else { return nil }
    let root = try node(first, mark, depth: 0)
    let (next, nextMark) = try parser.next()
    guard next == .end else {
      throw YAMLError(mark: nextMark, reason: "a second document, where one is expected")
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
      throw YAMLError(mark: mark, reason: "an alias, where the value itself is expected")
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
        faults.add("key \(key.quoted) is there twice", at: mark)
      }
    }
  }
}

/// A value in a YAML file, with the place where it begins.
package struct YAMLNode {
  /// What the value consists of.
  package enum Content {
    /// A text; `plain` where it stands without quotes and may be a number, a truth value or null.
    case scalar(String, plain: Bool)
    /// A list of values.
    case list([YAMLNode])
    /// Pairs of a key and a value, no key twice.
    case mapping([YAMLField])
  }

  package var mark: YAMLMark
  package var content: Content
}

/// A key in a YAML file, with the place where it begins, and what it stands for.
package struct YAMLField {
  var key: String
  var mark: YAMLMark
  var value: YAMLNode
}

/// The words of YAML 1.2's core schema: `yes` and `on` are texts, and so is everything in quotes.
extension YAMLNode {
  /// What stands without quotes.
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

  /// A decimal number, with a point and an exponent or without; never infinite.
  package var number: Double? {
    plain.flatMap { text in
      // Swift alone would read `nan`, `infinity` and C's hexadecimal fractions too.
      let isDecimal = text.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) }
      return isDecimal ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
    }
  }

  /// A decimal number that was written without point and exponent.
  var wholeNumber: Int? { plain.flatMap { Int($0) } }

  /// What is neither null, truth value nor number.
  package var text: String? {
    guard case .scalar(let text, _) = content else { return nil }
    return isNull || truth != nil || number != nil ? nil : text
  }

  /// The value as an error message names it, on one line and not longer than a glance.
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
  /// The text in quotes on one line, cut where it is longer than a glance.
  package var quoted: String { glance.debugDescription }
}
