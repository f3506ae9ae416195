internal import Glibc
package import PressureKit
package import PressureSystem

package enum ConfigurationFile {
  /// Reads the file at a location; returns the defaults without one, or if an optional file does not exist.
  ///
  /// `warn` is called for each valid setting that does not work on this machine.
  package static func read(
    at location: ConfigurationLocation?, accepting kind: InputFile.Kind = .regular,
    warn: (ConfigurationError) -> Void = { _ in }
  ) throws(ConfigurationErrors) -> Configuration {
    guard let location else { return Configuration() }
    do {
      return try read(path: location.path, accepting: kind, warn: warn)
    } catch .missing where !location.isRequired {
      return Configuration()
    }
  }

  /// Reads a file that must exist, and the quirks file that it refers to.
  package static func read(
    path: String, accepting kind: InputFile.Kind = .regular,
    warn: (ConfigurationError) -> Void = { _ in }
  ) throws(ConfigurationErrors) -> Configuration {
    var configuration = Configuration()
    let warnings = try SettingsFile.read(path: path, accepting: kind) { configuration.read(&$0) }
    for found in warnings { warn(found) }
    configuration.socket.path = configuration.socket.path?.resolved(relativeTo: path)
    if let file = configuration.quirksFile?.resolved(relativeTo: path) {
      do throws(ConfigurationErrors) {
        configuration.quirks = try QuirksFile.read(path: file, warn: warn)
      } catch .missing {
        // It must exist even if the configuration file is optional.
        throw .unreadable(path: file, reason: "there is no such file")
      }
    }
    return configuration
  }

  /// The socket path in a configuration file, for clients, which ignore errors and missing files.
  static func socketPath(at path: String) -> String? {
    var configuration = Configuration()
    _ = try? SettingsFile.read(path: path, accepting: .regular) { configuration.read(&$0) }
    return configuration.socket.path?.resolved(relativeTo: path)
  }

  /// The lines of the keys that a file contains; empty if it cannot be read.
  package static func lines(at path: String) -> [String: Int] {
    var lines: [String: Int] = [:]
    _ = try? SettingsFile.read(path: path, accepting: .any) { reader in
      for group in Configuration.settingGroups {
        group.read(&reader) { reader in
          for setting in group.settings {
            lines[group.key(of: setting)] = reader.line(of: setting.name)
          }
        }
      }
    }
    return lines
  }

  /// Decodes a configuration; `name` identifies it in messages.
  package static func read(text: [UInt8], name: String) throws(ConfigurationErrors) -> Configuration
  {
    var configuration = Configuration()
    try SettingsFile.read(text: text, name: name) { configuration.read(&$0) }
    return configuration
  }
}

extension String {
  fileprivate func resolved(relativeTo file: String) -> String {
    guard !hasPrefix("/"), let end = file.lastIndex(of: "/") else { return self }
    return file[...end] + self
  }
}

/// The path of the configuration, used at the start and for each reload.
package struct ConfigurationLocation: Hashable {
  package var path: String

  /// Whether a missing file is an error, because the path was given explicitly.
  package var isRequired: Bool

  package init(path: String, isRequired: Bool) {
    (self.path, self.isRequired) = (path, isRequired)
  }

  package static let system = ConfigurationLocation(
    path: "/etc/pressured/config.yaml", isRequired: false)

  /// The file that the service reads, by the variables of this process.
  package static var ofService: ConfigurationLocation { service(Environment.values(variables)) }

  /// The file that the service reads: in systemd's `ConfigurationDirectory=`, or the default.
  private static func service(_ environment: [String: String]) -> ConfigurationLocation {
    environment["CONFIGURATION_DIRECTORY"]?.split(separator: ":").first.map { optional(in: $0) }
      ?? system
  }

  /// What a user can do without permission to control the daemon.
  package static var controlAdvice: String {
    "to allow it to the user at the seat, put `control: { seat: true }` into \(ofService.path), or "
      + "`control: { users: [NAME] }` for a user elsewhere; then: "
      + "sudo systemctl try-reload-or-restart pressured"
  }

  /// The environment variables that determine the path.
  package static let variables = ["CONFIGURATION_DIRECTORY", "XDG_CONFIG_HOME", "HOME"]

  /// The configuration to use, or nil if there is no such path.
  ///
  /// In this order: the given path, systemd's `ConfigurationDirectory=`, for root the service's file, and the user's own.
  /// A daemon that a user starts never reads the service's file: it may not create the socket or set the group there.
  ///
  /// `path` is the argument of `--config`, `userID` the effective user ID.
  package static func first(
    path: String?, environment: [String: String], userID: UInt32
  ) -> ConfigurationLocation? {
    if let path { return ConfigurationLocation(path: path, isRequired: true) }
    if userID == 0 || environment["CONFIGURATION_DIRECTORY"] != nil { return service(environment) }
    return userDirectory(environment).map { optional(in: $0 + "/pressured") }
  }

  /// The configuration to use, by the variables and the user of this process.
  package static func usual(named path: String? = nil) -> ConfigurationLocation? {
    first(path: path, environment: Environment.values(variables), userID: geteuid())
  }

  /// The user's own, also if that is root.
  package static var ofUser: ConfigurationLocation? {
    userDirectory(Environment.values(variables)).map { optional(in: $0 + "/pressured") }
  }

  private static func optional(in folder: some StringProtocol) -> ConfigurationLocation {
    ConfigurationLocation(path: "\(folder)/config.yaml", isRequired: false)
  }

  /// The user's configuration folder; the XDG specification requires ignoring relative paths.
  package static func userDirectory(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder }
    return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
  }
}

package struct ConfigurationError: Error, Hashable {
  package var file: String
  package var mark: YAMLMark
  package var reason: String

  /// The error in the format of compilers, so that editors can jump to it.
  package var sentence: String { "\(file):\(mark.line):\(mark.column): \(reason)" }
}

package enum ConfigurationErrors: ExitReason, Hashable {
  case missing(path: String)
  case unreadable(path: String, reason: String)
  /// This user may not read the file.
  case forbidden(path: String)
  /// The file has errors: at least one, in the order of the file.
  case wrong([ConfigurationError])

  /// One line per error.
  package var sentences: [String] {
    switch self {
    case .missing(let path): ["\(path): there is no such file"]
    case .unreadable(let path, let reason): ["cannot read \(path): \(reason)"]
    case .forbidden(let path): ["cannot read \(path): permission denied; try again with sudo"]
    case .wrong(let errors): errors.map(\.sentence)
    }
  }

  package var exitError: ExitError {
    let status: ExitError.Status =
      switch self {
      case .missing: .noInput
      case .forbidden: .permissionDenied
      case .unreadable, .wrong: .badConfiguration
      }
    return ExitError(sentences: sentences, status: status.rawValue)
  }
}

/// Collects the errors of one file, so that a user can correct them all at once.
package final class DiagnosticList {
  package static let limit = 100

  private let file: String
  private var errors: [ConfigurationError] = []

  /// Valid settings that do not work on this machine, in the order of decoding.
  package private(set) var warnings: [ConfigurationError] = []

  init(file: String) {
    self.file = file
  }

  package var isEmpty: Bool { errors.isEmpty }

  package var sorted: [ConfigurationError] {
    errors.sorted { ($0.mark.line, $0.mark.column) < ($1.mark.line, $1.mark.column) }
  }

  package func add(_ reason: String, at mark: YAMLMark) {
    guard errors.count < Self.limit else { return }
    errors.append(ConfigurationError(file: file, mark: mark, reason: reason))
  }

  /// Adds a warning; the file remains valid.
  package func warn(_ reason: String, at mark: YAMLMark) {
    guard warnings.count < Self.limit else { return }
    warnings.append(ConfigurationError(file: file, mark: mark, reason: reason))
  }
}
