internal import CLinux
internal import Glibc
package import PressureSystem

/// Accepts connections from the listen backlog, within a budget per turn of the loop.
package final class Acceptor {
  /// The longest pause, in microseconds.
  private static let longestPause: Int64 = 1_000_000

  private let loop: EventLoop
  private var source: EventSource?
  private var timer: EventSource?

  /// Starts to accept connections on a listening socket, which does not block, as long as `mayAccept` returns true in a turn.
  ///
  /// `serve` returns what a connection cost; when `budget` is used up in a turn, further ones wake the loop again.
  package init(
    _ listener: Int32, loop: EventLoop, budget: Int, mayAccept: @escaping () -> Bool = { true },
    serve: @escaping (consuming Descriptor) -> Int
  ) throws(SystemError) {
    self.loop = loop
    source = try loop.watch(listener, for: .reading) { [unowned self] _ in
      if mayAccept() { accept(from: listener, budget, serve) }
    }
    timer = try loop.timer { [unowned self] in resume() }
  }

  package func stop() {
    (source, timer) = (nil, nil)
  }

  private func accept(
    from listener: Int32, _ budget: Int, _ serve: (consuming Descriptor) -> Int
  ) {
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

  package func resume() {
    timer?.set(to: nil)
    source?.watch(for: .reading)
  }
}
