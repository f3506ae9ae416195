internal import PressureKit

extension ValueKind where Value == String {
  /// Text that says something.
  package static var text: Self {
    ValueKind(expected: "text") { node in
      node.text.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
    }
  }

  /// Text that may be empty.
  package static var note: Self { ValueKind(expected: "text", value: \.text) }

  /// A path that the kernel takes for a socket.
  package static var socketPath: Self {
    let limits = ConfigurationLimits.socketPathBytes
    return ValueKind(expected: "a path of at most \(limits.upperBound) bytes") { node in
      text.value(node).flatMap { limits.contains($0.utf8.count) ? $0 : nil }
    }
  }

  /// A name that has been given to something elsewhere in the file.
  package static func name(of what: String, among names: [String]) -> Self {
    let glance = names.prefix(8).map(\.quoted) + (names.count > 8 ? ["…"] : [])
    let list = names.isEmpty ? "there is none" : glance.joined(separator: ", ")
    return ValueKind(expected: "the name of a \(what) (\(list))") { node in
      node.text.flatMap { names.contains($0) ? $0 : nil }
    }
  }
}

extension ValueKind where Value == Glob {
  static var glob: Self {
    let text = ValueKind<String>.text
    return ValueKind(expected: text.expected) { text.value($0).map { Glob($0) } }
  }
}

extension ValueKind where Value == Fingers {
  static var fingers: Self {
    let number = ValueKind<Int>.whole(ConfigurationLimits.fingers)
    return ValueKind(expected: "any or " + number.expected) { node in
      node.text == "any" ? .any : number.value(node).map { .exactly($0) }
    }
  }
}
