internal import CLinux
internal import Glibc
package import PressureSystem

/// Accepts connections from the listen backlog, within a budget per turn of the loop.
package final class Acceptor {
  /// The longest pause, in microseconds.
  private static let longestPause: Int64 = 1_000_000

  private let listener: Int32
  private let loop: EventLoop
  private let budget: Int
  private let mayAccept: () -> Bool
  private let serve: (consuming Descriptor) -> Int
  private var source: EventSource?
  private var timer: EventSource?
  private var isStopped = false

  /// Starts to accept connections.
  ///
  /// - Parameters:
  ///   - listener: the listening socket, which does not block.
  ///   - loop: the event loop.
  ///   - budget: the most that accepting connections may cost in one turn; further ones wake the loop again.
  ///   - mayAccept: whether to accept connections in this turn; called for each turn that has new ones.
  ///   - serve: serves a connection or rejects it; returns what that cost.
  /// - Throws: why the socket cannot be watched.
  package init(
    _ listener: Int32, loop: EventLoop, budget: Int,
    mayAccept: @escaping () -> Bool = { true },
    serve: @escaping (consuming Descriptor) -> Int
  ) throws(SystemError) {
    self.listener = listener
    self.loop = loop
    self.budget = budget
    self.mayAccept = mayAccept
    self.serve = serve
    source = try loop.watch(listener, for: .reading) { [unowned self] _ in accept() }
    timer = try loop.timer(priority: .normal) { [unowned self] in resume() }
  }

  /// Accepts no more connections.
  package func stop() {
    isStopped = true
    timer?.set(to: nil)
    source?.watch(for: [])
  }

  private func accept() {
    guard mayAccept() else { return }
    var cost = 0
    while cost < budget {
      let descriptor = pressured_accept(listener)
      guard descriptor >= 0 else {
        if errno != EAGAIN, errno != ECONNABORTED, errno != EINTR {
          Log.warning("cannot accept a connection: \(String(cString: strerror(errno)))")
          // Without a free descriptor, the backlog would wake the loop continuously.
          pause()
        }
        return
      }
      cost += serve(Descriptor(descriptor))
    }
  }

  /// Lets connections wait in the listen backlog until `resume`, but no longer than a second.
  package func pause() {
    source?.watch(for: [])
    timer?.set(to: loop.now + Acceptor.longestPause)
  }

  /// Ends a pause.
  package func resume() {
    guard !isStopped else { return }
    timer?.set(to: nil)
    source?.watch(for: .reading)
  }
}
