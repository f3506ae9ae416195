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

  /// How many connections of a user get the reason, per second and at once, and how many those of all users.
  private static let reasonsPerSecond = 64.0
  private static let allFactor = 4.0

  private let loop: EventLoop
  private var reasons = TokenBuckets<UInt32?>()
  private var timer: EventSource?

  /// In the order of their ends.
  private var connections: [(client: Client, end: Int64)] = []

  /// - Throws: why there is no timer.
  init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    timer = try loop.timer { [unowned self] in closeOld() }
  }

  /// Whether a client gets the reason before it is disconnected: its user may connect at any rate, and wants to delay those
  /// behind it in the listen backlog.
  func admit(_ client: Client) -> Bool {
    let all: TokenBuckets<UInt32?>.Share = (nil, RefusedConnections.allFactor)
    let rate = RefusedConnections.reasonsPerSecond
    return client.account.kind == .privileged
      || reasons.acquire(
        [(client.userID, 1), all], at: loop.now, perSecond: rate, burst: rate) == nil
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
