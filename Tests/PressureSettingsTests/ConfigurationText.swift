@testable import PressureKit
@testable import PressureSettings

func configuration(_ text: String) throws -> Configuration {
  try ConfigurationFile.read(text: Array(text.utf8), name: "config.yaml")
}

func errors(_ text: String) -> [String] {
  errors(Array(text.utf8))
}

func errors(_ text: [UInt8]) -> [String] {
  do {
    _ = try ConfigurationFile.read(text: text, name: "config.yaml")
    return []
  } catch {
    return error.sentences
  }
}
