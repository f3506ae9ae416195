/// Where the daemon keeps what it has learned.
package enum StateFolder {
  /// The service's folder.
  package static let system = "/var/lib/pressured"

  /// The variables that say where it is.
  package static let variables = ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"]

  /// The first of the folder asked for, systemd's `StateDirectory=`, for root the service's, and the
  /// user's own; nil where there is none.
  ///
  /// The path is the argument of `--state`, the user the effective one, 0 being root.
  package static func first(
    path: String?, environment: [String: String], userID: UInt32
  ) -> String? {
    if let path { return path }
    if let service = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return String(service)
    }
    if userID == 0 { return system }
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return folder + "/pressured"
    }
    return environment["HOME"].flatMap { home in
      home.hasPrefix("/") ? home + "/.local/state/pressured" : nil
    }
  }
}
