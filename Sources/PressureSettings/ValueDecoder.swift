internal import PressureKit

/// What the value of a key may be: how it is read, and what an error message says was expected.
package struct ValueDecoder<Value> {
  /// To stand after "must be".
  package let expected: String

  /// The value, or nil where the node holds something else.
  package let value: (YAMLNode) -> Value?

  package init(expected: String, value: @escaping (YAMLNode) -> Value?) {
    self.expected = expected
    self.value = value
  }
}

extension ValueDecoder {
  /// Null as well, where it means something.
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

  /// Digits of an octal number in quotes, without which one reader's 0660 is another's 432.
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
      expected: "a number from \(range.lowerBound.brief) to \(range.upperBound.brief)"
    ) { node in
      node.number.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueDecoder where Value: CaseIterable & RawRepresentable<String> {
  /// One of an enum's words.
  package static var word: Self { word(among: Array(Value.allCases)) }

  /// One of some words of an enum.
  package static func word(among values: [Value]) -> Self {
    let words = values.map(\.rawValue)
    let expected = (words.count > 1 ? "one of " : "") + words.joined(separator: ", ")
    return ValueDecoder(expected: expected) { node in
      values.first { $0.rawValue == node.text }
    }
  }
}
