package import PressureKit
package import PressureSystem

/// The file in which a person states what differs from the standard settings.
package enum ConfigurationFile {
  /// Reads the file at a place; without one, or where an optional one is not there, all is standard.
  ///
  /// `remark` is called with everything that is right in the file and does not fit this machine.
  package static func read(
    at location: ConfigurationLocation?, accepting kind: InputFile.Kind = .regular,
    warn: (ConfigurationWarning) -> Void = { _ in }
  ) throws(ConfigurationErrors) -> Configuration {
    guard let location else { return Configuration() }
    do {
      return try read(path: location.path, accepting: kind, warn: warn)
    } catch .missing where !location.isRequired {
      return Configuration()
    }
  }

  /// Reads a file that must be there, and the one with quirks that it names.
  package static func read(
    path: String, accepting kind: InputFile.Kind = .regular,
    warn: (ConfigurationWarning) -> Void = { _ in }
  ) throws(ConfigurationErrors) -> Configuration {
    var configuration = Configuration()
    let warnings = try SettingsFile.read(path: path, accepting: kind) { configuration.read(&$0) }
    for found in warnings { warn(found) }
    configuration.socket.path = configuration.socket.path?.resolved(relativeTo: path)
    if let quirks = configuration.quirksFile {
      configuration.quirks = try self.quirks(at: quirks.resolved(relativeTo: path), warn: warn)
    }
    return configuration
  }

  /// Where a file says that the socket is, for clients, which heed nothing else in it: neither faults nor
  /// that it is not there.
  package static func socketPath(at path: String) -> String? {
    var configuration = Configuration()
    _ = try? SettingsFile.read(path: path, accepting: .regular) { configuration.read(&$0) }
    return configuration.socket.path?.resolved(relativeTo: path)
  }

  /// A file that is asked for by name is missed, also where the configuration itself need not be there.
  private static func quirks(
    at path: String, warn: (ConfigurationWarning) -> Void
  ) throws(ConfigurationErrors) -> [Quirk] {
    do throws(ConfigurationErrors) {
      return try QuirksFile.read(path: path, warn: warn)
    } catch .missing {
      throw .unreadable(path: path, reason: "there is no such file")
    }
  }

  /// Reads a file's text; the name is what to call the file in error messages.
  package static func read(text: [UInt8], name: String) throws(ConfigurationErrors) -> Configuration
  {
    var configuration = Configuration()
    try SettingsFile.read(text: text, name: name) { configuration.read(&$0) }
    return configuration
  }
}

extension String {
  /// A path as a file means it that names it: from the folder that the file is in.
  fileprivate func resolved(relativeTo file: String) -> String {
    guard !hasPrefix("/"), let end = file.lastIndex(of: "/") else { return self }
    return file[...end] + self
  }
}

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
