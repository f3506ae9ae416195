/// Where the configuration is looked for, now and at each reload.
package struct ConfigurationLocation: Hashable {
  package var path: String

  /// Whether it is a fault when there is no file: somebody asked for this very one.
  package var isRequired: Bool

  package init(path: String, isRequired: Bool) {
    self.path = path
    self.isRequired = isRequired
  }
}

extension ConfigurationLocation {
  /// The service's file.
  package static let system = ConfigurationLocation(
    path: "/etc/pressured/config.yaml", isRequired: false)

  /// The file that the service reads: in the folder that systemd names to it, or the usual one.
  package static func service(_ environment: [String: String]) -> ConfigurationLocation {
    environment["CONFIGURATION_DIRECTORY"]?.split(separator: ":").first.map { optional(in: $0) }
      ?? system
  }

  /// The variables that say where to look.
  package static let variables = ["CONFIGURATION_DIRECTORY", "XDG_CONFIG_HOME", "HOME"]

  /// The one place that counts, or nil where there is none.
  ///
  /// It is the first of the file asked for, systemd's `ConfigurationDirectory=`, for root the
  /// service's file, and the user's own. A daemon run by hand never reads the service's file:
  /// socket and group in it are not the user's to make.
  ///
  /// The path is the argument of `--config`, the user the effective one, 0 being root.
  package static func first(
    path: String?, environment: [String: String], userID: UInt32
  ) -> ConfigurationLocation? {
    if let path { return ConfigurationLocation(path: path, isRequired: true) }
    if userID == 0 || environment["CONFIGURATION_DIRECTORY"] != nil { return service(environment) }
    return userDirectory(environment).map { optional(in: $0 + "/pressured") }
  }

  private static func optional(in folder: some StringProtocol) -> ConfigurationLocation {
    ConfigurationLocation(path: "\(folder)/config.yaml", isRequired: false)
  }

  /// The folder for configurations; one that is not absolute does not count, says its standard.
  package static func userDirectory(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder }
    return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
  }
}
