internal import PressureKit
internal import PressureYAML

/// Reads one mapping, a line for each key; every key that no line has asked for is a fault.
///
/// Null in place of a mapping or a list is as good as leaving the key out: that is what remains
/// when someone comments out all that it holds.
package struct MappingDecoder {
  private let mark: YAMLMark
  private let fields: [String: YAMLField]
  private let faults: DiagnosticList
  private var known: [String] = []

  private init(_ mark: YAMLMark, _ fields: [YAMLField], faults: DiagnosticList) {
    self.mark = mark
    self.fields = Dictionary(fields.map { ($0.key, $0) }) { first, _ in first }
    self.faults = faults
  }

  /// Hands a reader to `body`, and looks afterwards which keys it did not ask for.
  ///
  /// The name is what to call the node where it is no mapping.
  package static func read(
    _ node: YAMLNode, named name: String, faults: DiagnosticList,
    body: (inout MappingDecoder) -> Void
  ) {
    guard case .mapping(let fields) = node.content else {
      faults.add("\(name) must be a mapping, not \(node.brief)", at: node.mark)
      return
    }
    var reader = MappingDecoder(node.mark, fields, faults: faults)
    body(&reader)
    for field in fields where !reader.known.contains(field.key) {
      let advice =
        field.key.nearest(among: reader.known).map { "did you mean \($0.quoted)?" }
        ?? "there are \(reader.known.joined(separator: ", "))"
      faults.add("unknown key \(field.key.quoted); \(advice)", at: field.mark)
    }
  }

  /// Whether the file has been right as far as it has been read.
  var hasNoErrors: Bool { faults.isEmpty }

  /// Puts a fault at a key's value, or where that is left out at the mapping.
  package func fault(_ reason: String, at key: String) {
    faults.add(reason, at: fields[key]?.value.mark ?? mark)
  }

  /// Notes that a key's value, or an element of its list, does not fit this machine.
  package func warn(
    _ reason: String, at key: String, element: Int? = nil, preventsServing: Bool = false
  ) {
    guard var node = fields[key]?.value else { return }
    if let element, case .list(let nodes) = node.content { node = nodes[element] }
    faults.warn(reason, at: node.mark, preventsServing: preventsServing)
  }

  /// The same for a value that cannot be made.
  package func refuse<Value>(_ reason: String, at key: String) -> Value? {
    fault(reason, at: key)
    return nil
  }

  /// Lets keys be that nobody has asked for, but for such as are nearly known.
  ///
  /// - Parameter isAllowed: whether a key may be there.
  /// - Returns: those keys.
  mutating func ignoreKeys(_ isAllowed: (String) -> Bool) -> [String] {
    let keys = fields.keys.filter { key in
      !known.contains(key) && isAllowed(key) && !known.contains { $0.distance(to: key) <= 2 }
    }
    known += keys
    return keys.sorted()
  }

  /// Whether a key, which is known from now on, stands for something.
  package mutating func has(_ key: String) -> Bool { node(key).map { !$0.isNull } ?? false }

  /// The node of a key, which is known from now on.
  private mutating func node(_ key: String) -> YAMLNode? {
    if !known.contains(key) { known.append(key) }
    return fields[key]?.value
  }

  private func value<Value>(of node: YAMLNode, _ name: String, _ kind: ValueDecoder<Value>)
    -> Value?
  {
    let value = kind.value(node)
    if value == nil {
      faults.add("\(name) must be \(kind.expected), not \(node.brief)", at: node.mark)
    }
    return value
  }
}

extension MappingDecoder {
  /// Reads a value; the target stays as it is where the key is left out.
  package mutating func value<Value>(
    _ key: String, _ kind: ValueDecoder<Value>, into target: inout Value
  ) {
    target = value(key, kind, or: target) ?? target
  }

  /// Reads a value that may be left out; nil where it is wrong.
  package mutating func value<Value>(
    _ key: String, _ kind: ValueDecoder<Value>, or standard: Value
  ) -> Value? {
    guard let node = node(key) else { return standard }
    return value(of: node, key, kind)
  }

  /// Reads a value that must be there.
  package mutating func required<Value>(_ key: String, _ kind: ValueDecoder<Value>) -> Value? {
    guard let node = node(key) else {
      faults.add("\(key.quoted) is missing", at: mark)
      return nil
    }
    return value(of: node, key, kind)
  }

  /// Reads a list of values of one kind.
  package mutating func list<Value>(
    _ key: String, of kind: ValueDecoder<Value>, into target: inout [Value]
  ) {
    target = list(key, of: kind) ?? target
  }

  /// The same; nil where the key is left out or is no list.
  package mutating func list<Value>(_ key: String, of kind: ValueDecoder<Value>) -> [Value]? {
    nodes(key)?.compactMap { value(of: $0, "each of \(key)", kind) }
  }

  /// Reads a mapping whose keys are the file's own.
  mutating func dictionary<Value>(
    _ key: String, of kind: ValueDecoder<Value>, into target: inout [String: Value]
  ) {
    guard let node = node(key), !node.isNull else { return }
    guard case .mapping(let fields) = node.content else {
      faults.add("\(key) must be a mapping, not \(node.brief)", at: node.mark)
      return
    }
    for field in fields { target[field.key] = value(of: field.value, field.key, kind) }
  }

  /// Reads a mapping with a reader of its own.
  mutating func mapping(_ key: String, body: (inout MappingDecoder) -> Void) {
    guard let node = node(key), !node.isNull else { return }
    Self.read(node, named: key, faults: faults, body: body)
  }

  /// Reads a mapping that must be there.
  package mutating func required(_ key: String, body: (inout MappingDecoder) -> Void) {
    guard let node = node(key) else { return fault("\(key.quoted) is missing", at: key) }
    Self.read(node, named: key, faults: faults, body: body)
  }

  /// Reads a list of mappings, each with a reader of its own; nil where the key is left out.
  package mutating func entries<Element>(
    _ key: String, body: (inout MappingDecoder) -> Element?
  ) -> [Element]? {
    guard let nodes = nodes(key) else { return nil }
    var elements: [Element] = []
    for node in nodes {
      Self.read(node, named: "each of \(key)", faults: faults) { reader in
        if let element = body(&reader) { elements.append(element) }
      }
    }
    return elements
  }

  /// Makes what is refused where two values cannot stand together, with the fault at one of them.
  func checked<Value>(_ make: () throws(InconsistentValuesError) -> Value) -> Value? {
    do {
      return try make()
    } catch {
      fault(error.reason, at: error.setting)
      return nil
    }
  }

  private mutating func nodes(_ key: String) -> [YAMLNode]? {
    guard let node = node(key), !node.isNull else { return nil }
    guard case .list(let nodes) = node.content else {
      faults.add("\(key) must be a list, not \(node.brief)", at: node.mark)
      return nil
    }
    return nodes
  }
}

extension String {
  /// The word that was probably meant, or nil where none is near.
  ///
  /// One letter in three may be wrong, and at least one.
  package func nearest(among words: [String]) -> String? {
    let tolerance = max(1, count / 3)
    let near = words.filter { abs($0.count - count) <= tolerance }
    let distances = near.map { (word: $0, distance: distance(to: $0)) }
    return distances.min { $0.distance < $1.distance }
      .flatMap { $0.distance <= tolerance ? $0.word : nil }
  }

  /// How many letters must be put in, left out, changed or swapped with the next one to come from one word to
  /// the other.
  ///
  /// This is the optimal string alignment distance; the time is the product of both lengths.
  package func distance(to other: String) -> Int {
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
      (beforeLast, last) = (last, row)
    }
    return last[theirs.count]
  }
}
