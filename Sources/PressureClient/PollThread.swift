internal import CLinux
internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The body of a client's thread: a reconnecting connection and poll(2).
///
/// It ends when the poller is finished, which a client that is released sees to.
final class PollThread {
  private let poller: SocketPoller
  private let reconnects: Bool
  private let paths: [String]
  private let subscription: Request?

  init(poller: SocketPoller, paths: [String], subscription: Request?, reconnects: Bool) {
    self.poller = poller
    self.paths = paths
    self.subscription = subscription
    self.reconnects = reconnects
  }

  /// Starts a detached thread that owns this object.
  func start() -> Bool { DetachedThread.start { self.run() } }

  private func run() {
    let connection = ReconnectingConnection(
      paths: { [paths] in paths },
      greeting: { [subscription] in if let subscription { $0.append(subscription) } },
      now: { Timestamp.now.microseconds }, handler: { [unowned self] in handle($0) })
    connection.start()
    while poll(connection) {}
  }

  /// Waits once for the socket, the deadline or the poller; false if the client is closed or released.
  private func poll(_ connection: ReconnectingConnection) -> Bool {
    guard !poller.isFinished else { return false }
    let requests = poller.outgoingRequests()
    if !requests.isEmpty {
      var lines = JSONLinesWriter()
      for request in requests { lines.append(request) }
      connection.send(lines)
    }
    var wanted = connection.readiness
    if !poller.reads { wanted.remove(.reading) }
    return wait(connection, for: wanted)
  }

  private func wait(_ connection: ReconnectingConnection, for wanted: Readiness) -> Bool {
    var mask: Int16 = 0
    if wanted.contains(.reading) { mask |= Int16(POLLIN) }
    if wanted.contains(.writing) { mask |= Int16(POLLOUT) }
    // A negative descriptor is ignored: without anything to wait for, a hang-up would be reported again and again.
    let socket = mask == 0 ? -1 : connection.descriptor ?? -1
    var polled = [
      pollfd(fd: poller.wakeup, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: mask, revents: 0),
    ]
    let count = Glibc.poll(&polled, nfds_t(polled.count), timeout(until: connection.deadline))
    if count > 0, polled[0].revents != 0 {
      var counter: UInt64 = 0
      _ = read(poller.wakeup, &counter, MemoryLayout<UInt64>.size)
    }
    if count > 0, polled[1].revents != 0 {
      var ready: Readiness = []
      if polled[1].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { ready.insert(.reading) }
      if polled[1].revents & Int16(POLLOUT) != 0 { ready.insert(.writing) }
      connection.descriptorReady(ready)
    }
    connection.deadlineReached()
    return true
  }

  private func handle(_ update: ReconnectingConnection.Update) {
    switch update {
    case .line(let line): poller.receive(line)
    case .lost: poller.connectionLost()
    case .unavailable(let error, _):
      let error = DaemonError(error)
      if PollThread.isFinal(error, reconnects: reconnects) { poller.finish(error) }
    }
  }

  /// A refusal is final, unless the daemon has too many clients for the moment.
  private static func isFinal(_ error: DaemonError, reconnects: Bool) -> Bool {
    if case .refused(let error) = error { return !(reconnects && error?.code == .known(.busy)) }
    return !reconnects
  }

  /// Milliseconds until a deadline, rounded up; -1 without one.
  private func timeout(until deadline: Int64?) -> Int32 {
    guard let deadline else { return -1 }
    return Int32(clamping: max(deadline - Timestamp.now.microseconds + 999, 0) / 1000)
  }
}
