// Replaces Utilities/Foundation.swift and AsyncParsableCommand.swift in our copy of swift-argument-parser; see scripts/build-release.

extension Error {
  func describe() -> String { String(describing: self) }
}

enum JSONEncoder {
  static func encode(_ value: Any) -> String { "" }
}

public protocol AsyncParsableCommand: ParsableCommand {}
