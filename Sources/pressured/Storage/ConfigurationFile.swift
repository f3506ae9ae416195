internal import PressureKit

/// The file in which a person states what differs from the standard settings.
enum ConfigurationFile {
  /// Reads the file at a place; without one, or where an optional one is not there, all is standard.
  static func read(
    at location: ConfigurationLocation?
  ) throws(ConfigurationFaults) -> Configuration {
    guard let location else { return Configuration() }
    do {
      return try read(path: location.path)
    } catch .missing where !location.isRequired {
      return Configuration()
    }
  }

  /// Reads a file that must be there.
  static func read(path: String) throws(ConfigurationFaults) -> Configuration {
    var configuration = Configuration()
    try SettingsFile.read(path: path) { configuration.read(&$0) }
    return configuration
  }

  /// Reads a file's text; the name is what to call the file in error messages.
  static func read(text: [UInt8], name: String) throws(ConfigurationFaults) -> Configuration {
    var configuration = Configuration()
    try SettingsFile.read(text: text, name: name) { configuration.read(&$0) }
    return configuration
  }
}
