@testable import PressureKit
@testable import PressureSettings

/// Parses a configuration.
func configuration(_ text: String) throws -> Configuration {
  try ConfigurationFile.read(text: Array(text.utf8), name: "config.yaml")
}

/// The messages of the errors in a text.
func errors(_ text: String) -> [String] {
  errors(Array(text.utf8))
}

/// The messages of the errors in some bytes.
func errors(_ text: [UInt8]) -> [String] {
  do {
    _ = try ConfigurationFile.read(text: text, name: "config.yaml")
    return []
  } catch {
    return error.sentences
  }
}
