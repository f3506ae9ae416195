@testable import PressureKit
@testable import PressureSettings

/// What the reader makes of a text.
func configuration(_ text: String) throws -> Configuration {
  try ConfigurationFile.read(text: Array(text.utf8), name: "config.yaml")
}

/// What the reader finds wrong with a text; nothing where it is right.
func faults(_ text: String) -> [String] {
  faults(Array(text.utf8))
}

/// What the reader finds wrong with some bytes; nothing where they are right.
func faults(_ text: [UInt8]) -> [String] {
  do {
    _ = try ConfigurationFile.read(text: text, name: "config.yaml")
    return []
  } catch {
    return error.sentences
  }
}
