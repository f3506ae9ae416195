internal import PressureYAML

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
