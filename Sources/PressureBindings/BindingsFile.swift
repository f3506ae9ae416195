internal import PressureKit
package import PressureSettings
package import PressureSystem

/// The file in which a user says what presses and actions do.
package enum BindingsFile {
  /// The file asked for, or the user's own; nil where there is no place for one.
  package static func path(named path: String?, environment: [String: String]) -> String? {
    path ?? ConfigurationLocation.userDirectory(environment).map { $0 + "/pressured/bindings.yaml" }
  }

  /// Reads a file that must be there.
  package static func read(
    path: String, accepting kind: InputFile.Kind = .regular
  ) throws(ConfigurationErrors) -> Bindings {
    var bindings = Bindings()
    try SettingsFile.read(path: path, accepting: kind) { bindings.read(&$0) }
    return bindings
  }

  /// Reads a file's text; the name is what to call the file in error messages.
  package static func read(text: [UInt8], name: String) throws(ConfigurationErrors) -> Bindings {
    var bindings = Bindings()
    try SettingsFile.read(text: text, name: name) { bindings.read(&$0) }
    return bindings
  }
}
