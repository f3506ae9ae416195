internal import CLinux
internal import Glibc
internal import PressureLoop
internal import PressureSystem

/// Accepts connections from the listen backlog, within a budget per turn of the loop.
final class Acceptor {
  /// The most that accepting connections may cost in one turn; further ones wake the loop again.
  private static let budget = 16 * servedCost

  /// Serving a connection costs a snapshot, and rejecting one costs a line: the rejected connections of one user delay
  /// those behind them in the listen backlog as little as possible.
  private static let servedCost = 8
  private static let rejectedCost = 1

  /// Microseconds until a failed accept is tried again.
  private static let retryInterval: Int64 = 1_000_000

  let listener: Listener
  private let loop: EventLoop
  private let serve: (consuming Descriptor) -> Bool
  private var source: EventSource?
  private var retryTimer: EventSource?

  /// Starts to accept connections.
  ///
  /// - Parameters:
  ///   - listener: the listening socket.
  ///   - loop: the event loop.
  ///   - serve: serves a connection or rejects it; returns false if it was rejected.
  /// - Throws: why the socket cannot be watched.
  init(
    _ listener: Listener, loop: EventLoop, serve: @escaping (consuming Descriptor) -> Bool
  ) throws(SystemError) {
    self.listener = listener
    self.loop = loop
    self.serve = serve
    source = try loop.watch(listener.descriptor, for: .reading) { [unowned self] _ in accept() }
    retryTimer = try loop.timer(priority: .normal) { [unowned self] in
      source?.watch(for: .reading)
    }
  }

  /// Accepts no more connections.
  func stop() {
    retryTimer?.set(to: nil)
    source?.watch(for: [])
  }

  private func accept() {
    var cost = 0
    while cost < Acceptor.budget {
      let descriptor = pressured_accept(listener.descriptor)
      guard descriptor >= 0 else {
        if errno != EAGAIN, errno != ECONNABORTED, errno != EINTR {
          Log.warning("cannot accept a connection: \(String(cString: strerror(errno)))")
          pause()
        }
        return
      }
      cost += serve(Descriptor(descriptor)) ? Acceptor.servedCost : Acceptor.rejectedCost
    }
  }

  /// Pauses: without a free descriptor, the backlog would wake the loop continuously.
  private func pause() {
    source?.watch(for: [])
    retryTimer?.set(to: loop.now + Acceptor.retryInterval)
  }
}
