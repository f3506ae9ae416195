// Replaces Utilities/Foundation.swift in our copy of swift-argument-parser, together with JSONText.swift; see
// scripts/build-release.

extension Error {
  func describe() -> String { String(describing: self) }
}

enum JSONEncoder {
  static func encode(_ value: some Encodable) -> String {
    (try? JSONText.text(of: value, isIndented: true)) ?? ""
  }
}

