package import PressureClient
package import PressureProtocol
package import PressureSystem

package final class LoopConnection {
  private let loop: EventLoop
  private let connection: ReconnectingConnection
  private var timer: EventSource?

  /// Watches the connection; it is released as soon as that is lost, so a descriptor is never taken for that of the next one.
  private var source: EventSource?

  /// Creates a connection that does nothing before `start`; see `ReconnectingConnection`.
  package init(
    loop: EventLoop, paths: @escaping () -> [String],
    greeting: @escaping (inout JSONLinesWriter) -> Void,
    handler: @escaping (ReconnectingConnection.Update) -> Void
  ) {
    self.loop = loop
    connection = ReconnectingConnection(
      paths: paths, greeting: greeting, now: { loop.now }, handler: handler)
  }

  package func start() throws(SystemError) {
    timer = try loop.timer { [weak self] in self?.perform { $0.deadlineReached() } }
    perform { $0.start() }
  }

  /// The path of the daemon's socket, or nil while there is no connection.
  package var daemonPath: String? { connection.daemonPath }

  /// Whether there is nothing to wait for: the daemon does not permit this user to connect, and never did.
  package func isHopeless(_ error: ConnectionError) -> Bool { connection.isHopeless(error) }

  /// Sends requests, or drops them if there is no connection.
  package func send(_ requests: borrowing JSONLinesWriter) {
    connection.send(requests)
    update()
  }

  /// Closes the connection because the daemon refuses a request that its owner depends on, and tries again later.
  package func giveUp(_ reply: ReceivedReply) { perform { $0.giveUp(reply) } }

  private func perform(_ body: (ReconnectingConnection) -> Void) {
    body(connection)
    update()
  }

  /// Waits for what the connection waits for now.
  private func update() {
    timer?.set(to: connection.deadline)
    guard let descriptor = connection.descriptor else {
      source = nil
      return
    }
    if let source {
      source.watch(for: connection.readiness)
    } else {
      source = try? loop.watch(descriptor, for: connection.readiness) { [weak self] readiness in
        self?.perform { $0.descriptorReady(readiness) }
      }
    }
  }
}
