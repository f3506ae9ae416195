internal import PressureKit

/// Decodes a mapping key by key; keys that the caller does not ask for are errors.
///
/// Null in place of a mapping or a list counts as a missing key: that is what remains if all its contents are commented
/// out.
package struct MappingDecoder {
  private let mark: YAMLMark
  private let fields: [String: YAMLField]
  private let errors: DiagnosticList
  private var known: [String] = []

  /// Keys of earlier versions that the mapping has.
  private var removed: [String] = []

  private init(_ mark: YAMLMark, _ fields: [YAMLField], errors: DiagnosticList) {
    self.mark = mark
    self.fields = Dictionary(fields.map { ($0.key, $0) }) { first, _ in first }
    self.errors = errors
  }

  /// Calls `body` with a decoder, and then reports unknown keys.
  ///
  /// `name` identifies the node in messages if it is not a mapping.
  package static func read(
    _ node: YAMLNode, named name: String, errors: DiagnosticList,
    body: (inout MappingDecoder) -> Void
  ) {
    guard case .mapping(let fields) = node.content else {
      errors.add("\(name) must be a mapping, not \(node.brief)", at: node.mark)
      return
    }
    var reader = MappingDecoder(node.mark, fields, errors: errors)
    body(&reader)
    for field in fields
    where !reader.known.contains(field.key) && !reader.removed.contains(field.key) {
      let advice =
        field.key.nearest(among: reader.known).map { "did you mean \($0.quoted)?" }
        ?? "valid keys are \(reader.known.joined(separator: ", "))"
      errors.add("unknown key \(field.key.quoted); \(advice)", at: field.mark)
    }
  }

  /// A decoder for a name that is defined elsewhere in the file; after an error any, as it may be missing only because of that.
  func name(of what: String, among names: [String]) -> ValueDecoder<String> {
    errors.isEmpty ? .name(of: what, among: names) : .text
  }

  /// Adds an error at a key's value, or at the mapping if the key is missing.
  package func addError(_ reason: String, at key: String) {
    errors.add(reason, at: fields[key]?.value.mark ?? mark)
  }

  /// Adds a warning at a key's value, or at an element of its list.
  package func warn(_ reason: String, at key: String, element: Int? = nil) {
    guard var node = fields[key]?.value else { return }
    if let element, case .list(let nodes) = node.content { node = nodes[element] }
    errors.warn(reason, at: node.mark)
  }

  /// Adds an error for a value that cannot be created, and returns nil.
  package func refuse<Value>(_ reason: String, at key: String) -> Value? {
    addError(reason, at: key)
    return nil
  }

  /// Adds an error for each key of an earlier version in a mapping, or at the top if `group` is nil.
  mutating func refuseRemoved(in group: String?) {
    for field in fields.values {
      let key = group.map { "\($0).\(field.key)" } ?? field.key
      guard let advice = Configuration.removedSettings[key] else { continue }
      removed.append(field.key)
      errors.add("\(field.key) was removed: \(advice)", at: field.mark)
    }
  }

  /// Ignores and returns unknown keys that begin with one of these words, unless they resemble a known one.
  mutating func ignoreKeys(beginning words: [String]) -> [String] {
    let keys = fields.keys.filter { key in
      !known.contains(key) && words.contains { key.hasPrefix($0) }
        && !known.contains { $0.distance(to: key, atMost: 2) != nil }
    }
    known += keys
    return keys.sorted()
  }

  func line(of key: String) -> Int? { fields[key]?.mark.line }

  /// Whether a key has a value other than null; marks the key as known.
  package mutating func has(_ key: String) -> Bool { node(key).map { !$0.isNull } ?? false }

  private mutating func node(_ key: String) -> YAMLNode? {
    if !known.contains(key) { known.append(key) }
    return fields[key]?.value
  }

  private func value<Value>(
    of node: YAMLNode, _ name: String, _ kind: ValueDecoder<Value>
  ) -> Value? {
    if let value = kind.value(node) { return value }
    errors.add("\(name) must be \(kind.expected), not \(node.brief)", at: node.mark)
    return nil
  }

  /// Decodes a value; the target is unchanged if the key is missing.
  package mutating func value<Value>(
    _ key: String, _ kind: ValueDecoder<Value>, into target: inout Value
  ) {
    target = value(key, kind, or: target) ?? target
  }

  /// Decodes an optional value; nil if it is invalid.
  package mutating func value<Value>(
    _ key: String, _ kind: ValueDecoder<Value>, or standard: Value
  ) -> Value? {
    guard let node = node(key) else { return standard }
    return value(of: node, key, kind)
  }

  package mutating func required<Value>(_ key: String, _ kind: ValueDecoder<Value>) -> Value? {
    guard let node = node(key) else { return refuse("\(key.quoted) is missing", at: key) }
    return value(of: node, key, kind)
  }

  /// Decodes a list of values; nil if the key is missing or its value is not a list.
  package mutating func list<Value>(_ key: String, of kind: ValueDecoder<Value>) -> [Value]? {
    nodes(key)?.compactMap { value(of: $0, "each of \(key)", kind) }
  }

  /// Decodes a mapping with arbitrary keys.
  mutating func dictionary<Value>(
    _ key: String, of kind: ValueDecoder<Value>, into target: inout [String: Value]
  ) {
    guard let node = node(key), !node.isNull else { return }
    guard case .mapping(let fields) = node.content else {
      errors.add("\(key) must be a mapping, not \(node.brief)", at: node.mark)
      return
    }
    for field in fields { target[field.key] = value(of: field.value, field.key, kind) }
  }

  mutating func mapping(_ key: String, body: (inout MappingDecoder) -> Void) {
    guard let node = node(key), !node.isNull else { return }
    Self.read(node, named: key, errors: errors, body: body)
  }

  package mutating func required(_ key: String, body: (inout MappingDecoder) -> Void) {
    guard let node = node(key) else { return addError("\(key.quoted) is missing", at: key) }
    Self.read(node, named: key, errors: errors, body: body)
  }

  /// Decodes a list of mappings; nil if the key is missing.
  package mutating func entries<Element>(
    _ key: String, body: (inout MappingDecoder) -> Element?
  ) -> [Element]? {
    nodes(key)?.compactMap { node in
      var element: Element?
      Self.read(node, named: "each of \(key)", errors: errors) { element = body(&$0) }
      return element
    }
  }

  /// Creates a value; if two settings are inconsistent, adds an error at one of them and returns nil.
  func checked<Value>(_ make: () throws(InconsistentValuesError) -> Value) -> Value? {
    do {
      return try make()
    } catch {
      addError(error.reason, at: error.setting)
      return nil
    }
  }

  private mutating func nodes(_ key: String) -> [YAMLNode]? {
    guard let node = node(key), !node.isNull else { return nil }
    guard case .list(let nodes) = node.content else {
      errors.add("\(key) must be a list, not \(node.brief)", at: node.mark)
      return nil
    }
    return nodes
  }
}

extension String {
  /// The most similar word, or nil if none is similar enough.
  ///
  /// One letter in three may differ, and at least one.
  package func nearest(among words: [String]) -> String? {
    let tolerance = max(1, count / 3)
    var nearest: (word: String, distance: Int)?
    for word in words where abs(word.count - count) <= tolerance {
      let limit = nearest.map { $0.distance - 1 } ?? tolerance
      if let distance = distance(to: word, atMost: limit) { nearest = (word, distance) }
    }
    return nearest?.word
  }

  /// The number of insertions, deletions, substitutions and transpositions of adjacent letters between two words.
  ///
  /// This is the optimal string alignment distance; the time is at most the product of both lengths, and usually much
  /// less for words that are not similar.
  ///
  /// - Returns: nil if the distance is greater than the limit.
  package func distance(to other: String, atMost limit: Int = .max) -> Int? {
    let (mine, theirs) = (Array(lowercased()), Array(other.lowercased()))
    var (beforeLast, last) = ([Int](), Array(0...theirs.count))
    for line in mine.indices {
      var row = [line + 1]
      for column in theirs.indices {
        let changed = last[column] + (mine[line] == theirs[column] ? 0 : 1)
        var least = Swift.min(changed, last[column + 1] + 1, row[column] + 1)
        if line > 0, column > 0, mine[line] == theirs[column - 1], mine[line - 1] == theirs[column]
        {
          least = Swift.min(least, beforeLast[column - 1] + 1)
        }
        row.append(least)
      }
      // Each later row depends on the two rows before it, and its distances are not less than theirs.
      let isWithin = row.contains { $0 <= limit } || last.contains { $0 <= limit }
      guard isWithin else { return nil }
      (beforeLast, last) = (last, row)
    }
    return last[theirs.count] <= limit ? last[theirs.count] : nil
  }
}
