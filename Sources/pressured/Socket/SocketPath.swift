internal import Glibc

/// Where the socket is.
enum SocketPath {
  /// The system service's.
  static let system = "/run/pressured/pressured.sock"

  /// Where a daemon listens that was not told: the first of these that there is.
  static func forServing(named path: String?) -> String? {
    path ?? Environment.value("PRESSURED_SOCKET") ?? ofSession ?? (geteuid() == 0 ? system : nil)
  }

  /// Where clients look, in order.
  static func forClients(named path: String?) -> [String] {
    if let path = path ?? Environment.value("PRESSURED_SOCKET") { return [path] }
    return [ofSession, system].compactMap(\.self)
  }

  private static var ofSession: String? {
    Environment.value("XDG_RUNTIME_DIR").map { "\($0)/pressured.sock" }
  }
}
