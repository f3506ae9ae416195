internal import Glibc
package import PressureSystem

/// Locates the socket: the daemon uses the first of these paths, and clients try them in turn.
///
/// 1. the argument of `--socket`
/// 2. `$PRESSURED_SOCKET`
/// 3. `socket.path` of the configuration: the given one, or the user's own, then the service's
/// 4. the session's: in `$XDG_RUNTIME_DIR`, or without it in the user's cache
/// 5. the service's, if root runs the daemon
///
/// A client with one of the first two tries no other path.
package enum SocketPath {
  package static let system = "/run/pressured/pressured.sock"

  /// The path that a daemon listens on, by `--socket`, the environment or its configuration.
  package static func forServing(named path: String?, configured: String?) -> String? {
    path ?? Environment.value("PRESSURED_SOCKET") ?? configured ?? ofSession
      ?? (geteuid() == 0 ? system : nil)
  }

  /// The paths that clients try, in order; only the one of `--socket` if it is named.
  package static func forClients(named path: String?) -> [String] {
    if let path = path ?? Environment.value("PRESSURED_SOCKET") { return [path] }
    let files = [ConfigurationLocation.usual(), .ofService].compactMap(\.self)
    let configured = files.map { ConfigurationFile.socketPath(at: $0.path) }
    var places: [String] = []
    for place in configured + [ofSession, system] {
      if let place, !places.contains(place) { places.append(place) }
    }
    return places
  }

  /// Creates the folder of a default path, if the daemon may create it.
  package static func prepare(_ path: String) throws(SystemError) {
    guard path == ofSession || path == system, let end = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<end])
    guard access(folder, F_OK) != 0 else { return }
    try AtomicFile.createFolders(folder)
    // In the home directory only the user may access it, as in `$XDG_RUNTIME_DIR`.
    guard path != system else { return }
    try SystemError.checkErrno(chmod(folder, 0o700), "set the permissions of \(folder)")
  }

  private static var ofSession: String? {
    if let folder = Environment.value("XDG_RUNTIME_DIR") { return "\(folder)/pressured.sock" }
    guard geteuid() != 0, let home = Environment.value("HOME") else { return nil }
    return "\(home)/.cache/pressured/pressured.sock"
  }
}
