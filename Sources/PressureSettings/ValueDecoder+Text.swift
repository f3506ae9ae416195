internal import PressureKit

extension ValueDecoder where Value == String {
  /// Text that says something.
  package static var text: Self {
    ValueDecoder(expected: "text") { node in
      node.text.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
    }
  }

  /// Text that may be empty.
  package static var note: Self { ValueDecoder(expected: "text", value: \.text) }

  /// A path that the kernel takes for a socket.
  package static var socketPath: Self {
    let limits = ConfigurationLimits.socketPathBytes
    return ValueDecoder(expected: "a path of at most \(limits.upperBound) bytes") { node in
      text.value(node).flatMap { limits.contains($0.utf8.count) ? $0 : nil }
    }
  }

  /// A name that has been given to something elsewhere in the file.
  package static func name(of what: String, among names: [String]) -> Self {
    let glance = names.prefix(8).map(\.quoted) + (names.count > 8 ? ["…"] : [])
    let list = names.isEmpty ? "there is none" : glance.joined(separator: ", ")
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
