package import CLinux

/// The address of a Unix socket.
package struct SocketAddress {
  private var address = sockaddr_un()

  /// Makes an address of a path, or nil where it is empty or longer than the kernel allows.
  package init?(path: String) {
    let bytes = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  /// Calls `body` with what `bind` and `connect` take.
  package func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
