internal import PressureKit

/// Decodes the value of a key, and describes valid values for messages.
package struct ValueDecoder<Value> {
  /// The description, to follow "must be".
  package let expected: String

  /// Decodes a node; nil if its value is invalid.
  package let value: (YAMLNode) -> Value?

  package init(expected: String, value: @escaping (YAMLNode) -> Value?) {
    self.expected = expected
    self.value = value
  }

  /// Also accepts null.
  static func optional<Wrapped>(_ kind: ValueDecoder<Wrapped>) -> Self where Value == Wrapped? {
    ValueDecoder(expected: kind.expected + " or null") { node in
      node.isNull ? .some(nil) : kind.value(node).map { .some($0) }
    }
  }
}

extension ValueDecoder where Value == Bool {
  package static var truth: Self { ValueDecoder(expected: "true or false", value: \.truth) }
}

extension ValueDecoder where Value: FixedWidthInteger {
  package static func whole(_ range: ClosedRange<Value>) -> Self {
    ValueDecoder(
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
    ) { node in
      node.wholeNumber.flatMap { Value(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// An octal number in quotes: without them, YAML versions disagree whether 0660 is octal.
  static func octal(_ range: ClosedRange<Value>) -> Self {
    ValueDecoder(
      expected: "an octal number in quotes, from \"0\" to \"\(String(range.upperBound, radix: 8))\""
    ) { node in
      guard let text = node.text, text.utf8.allSatisfy({ (0x30...0x37).contains($0) }) else {
        return nil
      }
      return Value(text, radix: 8).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueDecoder where Value == Double {
  package static func number(_ range: ClosedRange<Double>) -> Self {
    ValueDecoder(
      expected:
        "a number from \(range.lowerBound.shortDescription) to \(range.upperBound.shortDescription)"
    ) { node in
      node.number.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueDecoder where Value: CaseIterable & RawRepresentable<String> {
  package static var word: Self { word(among: Array(Value.allCases)) }

  package static func word(among values: [Value]) -> Self {
    let word = ValueDecoder<String>.word(among: values.map(\.rawValue))
    return ValueDecoder(expected: word.expected) { word.value($0).flatMap { Value(rawValue: $0) } }
  }
}

extension ValueDecoder where Value == String {
  static func word(among words: [String]) -> Self {
    let expected = (words.count > 1 ? "one of " : "") + words.joined(separator: ", ")
    return ValueDecoder(expected: expected) { node in
      node.text.flatMap { words.contains($0) ? $0 : nil }
    }
  }

  package static var text: Self {
    ValueDecoder(expected: "text") { node in
      node.text.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
    }
  }

  /// Text that may be empty.
  package static var note: Self { ValueDecoder(expected: "text", value: \.text) }

  /// A path short enough for a socket.
  package static var socketPath: Self {
    let limits = ConfigurationLimits.socketPathBytes
    return ValueDecoder(expected: "a path of at most \(limits.upperBound) bytes") { node in
      text.value(node).flatMap { limits.contains($0.utf8.count) ? $0 : nil }
    }
  }

  /// A name that is defined elsewhere in the file.
  package static func name(of what: String, among names: [String]) -> Self {
    let shown = names.prefix(8).map(\.quoted) + (names.count > 8 ? ["…"] : [])
    let list = names.isEmpty ? "none is defined" : shown.joined(separator: ", ")
    return ValueDecoder(expected: "the name of a \(what) (\(list))") { node in
      node.text.flatMap { names.contains($0) ? $0 : nil }
    }
  }
}

extension ValueDecoder where Value == Glob {
  static var glob: Self {
    let text = ValueDecoder<String>.text
    return ValueDecoder(expected: text.expected) { text.value($0).map { Glob($0) } }
  }
}

extension ValueDecoder where Value == Fingers {
  static var fingers: Self {
    let number = ValueDecoder<Int>.whole(ConfigurationLimits.fingers)
    return ValueDecoder(expected: "any or " + number.expected) { node in
      node.text == "any" ? .any : number.value(node).map { .exactly($0) }
    }
  }
}
