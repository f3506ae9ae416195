internal import Glibc
package import PressureSystem

/// Where the socket is: one rule for the daemon, which takes the first of these, and for its clients,
/// which try them in turn.
///
/// 1. the path that was named with `--socket`
/// 2. `$PRESSURED_SOCKET`
/// 3. `socket.path` of the configuration: the one that was named, or the user's own, then the service's
/// 4. the session's: in `$XDG_RUNTIME_DIR`, or without one in the user's cache
/// 5. the service's, for a daemon that root runs
///
/// A client that was told by the first or the second looks nowhere else.
package enum SocketPath {
  /// The system service's.
  package static let system = "/run/pressured/pressured.sock"

  private static let variables =
    ConfigurationLocation.variables + ["PRESSURED_SOCKET", "XDG_RUNTIME_DIR"]

  /// Where a daemon listens.
  ///
  /// - Parameters:
  ///   - path: the argument of `--socket`.
  ///   - configured: `socket.path` of the configuration that it has read.
  /// - Returns: the path, or nil where there is no place for a socket.
  package static func forServing(named path: String?, configured: String?) -> String? {
    path ?? Environment.value("PRESSURED_SOCKET") ?? configured ?? ofSession
      ?? (geteuid() == 0 ? system : nil)
  }

  /// Where clients look.
  ///
  /// - Parameter path: the argument of `--socket`, or what the argument of `--config` says.
  /// - Returns: the paths, in order.
  package static func forClients(named path: String?) -> [String] {
    if let path = path ?? Environment.value("PRESSURED_SOCKET") { return [path] }
    let variables = Environment.values(variables)
    let own = ConfigurationLocation.first(path: nil, environment: variables, userID: geteuid())
    let files = [own, .service(variables)].compactMap(\.self)
    let configured = files.map { ConfigurationFile.socketPath(at: $0.path) }
    var places: [String] = []
    for place in configured + [ofSession, system] {
      if let place, !places.contains(place) { places.append(place) }
    }
    return places
  }

  /// Makes the folder of a place that nobody has named, as far as it is the daemon's to make.
  package static func prepare(_ path: String) throws(SystemError) {
    guard path == ofSession || path == system, let end = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<end])
    guard access(folder, F_OK) != 0 else { return }
    try AtomicFile.createFolders(folder)
    // At home nobody else is to look into it, as in $XDG_RUNTIME_DIR.
    guard path != system else { return }
    try SystemError.checkErrno(chmod(folder, 0o700), "set the permissions of \(folder)")
  }

  /// The socket of a daemon whose configuration names none: the session's if there is one, else the service's.
  package static var unconfigured: String {
    guard let path = ofSession else { return system }
    return access(path, F_OK) == 0 || access(system, F_OK) != 0 ? path : system
  }

  private static var ofSession: String? {
    if let folder = Environment.value("XDG_RUNTIME_DIR") { return "\(folder)/pressured.sock" }
    guard geteuid() != 0, let home = Environment.value("HOME") else { return nil }
    return "\(home)/.cache/pressured/pressured.sock"
  }
}
