internal import CLinux
internal import Glibc
internal import PressureLoop
internal import PressureSystem

/// Refused connections, which stay open for a moment after the line that states the reason.
///
/// A program that sends a request at once, such as `echo devices | socat`, would otherwise fail to send it, and end before
/// it has read the reason.
final class RefusedConnections {
  /// How long a connection stays open, in microseconds.
  private static let lifetime: Int64 = 1_000_000

  /// The most connections; the oldest are closed first.
  private static let maximum = 64

  private let loop: EventLoop
  private var timer: EventSource?

  /// In the order of their ends.
  private var connections: [(client: Client, end: Int64)] = []

  /// - Throws: why there is no timer.
  init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    timer = try loop.timer { [unowned self] in closeOld() }
  }

  /// Ends the output to a client, and closes the connection later.
  ///
  /// What the client sends is not read.
  func add(_ client: Client) {
    _ = Glibc.shutdown(client.descriptor, Int32(SHUT_WR))
    if connections.count >= RefusedConnections.maximum { connections.removeFirst() }
    connections.append((client, loop.now + RefusedConnections.lifetime))
    timer?.set(to: connections.first?.end)
  }

  private func closeOld() {
    let now = loop.now
    connections.removeAll { $0.end <= now }
    timer?.set(to: connections.first?.end)
  }
}
