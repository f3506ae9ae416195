internal import CLinux
package import PressureClient
internal import PressureKit
package import PressureLoop
package import PressureProtocol
package import PressureSystem

/// A connection that is made anew whenever there is none.
///
///                 there is a daemon: asks
///      waiting ─────────────────────────▶ connected ◀───┐
///       ▲  ▲ │                              │   │       │ lines
///       │  └─┘ there is none: waits longer  │   └───────┘
///       │                                   │
///       └───────────────────────────────────┘
///         the daemon goes, says nothing for long, refuses, or is given up
///
/// The daemon accepts when it has granted the first request of the greeting, or, where the greeting has none,
/// when it has said hello. Only a connection that was accepted and has lasted makes the next pause short again.
package final class ReconnectingConnection {
  /// What the owner hears.
  package enum News {
    /// A line of the daemon's, without its end.
    case line([UInt8])
    /// The connection is gone, and with it all that was known through it.
    case lost
    /// There is no daemon, or it refuses. It is new once for each of the two, until an accepted connection has
    /// lasted.
    case absent(ConnectionError, isNew: Bool)
  }

  private enum State {
    /// There is no connection; the timer runs.
    case waiting
    /// There is one, watched by the loop.
    case connected(Connection, EventSource)
  }

  /// Microseconds between the first two attempts; each pause is twice the one before.
  private static let shortestPause: Int64 = 50_000

  /// Seconds in which a daemon greets; what listens there and says nothing is not alive.
  private static let longestSilence = 10.0

  /// The pause that none exceeds.
  private static let longestPause: Int64 = 5_000_000

  /// Microseconds that an accepted connection lasts at least before the next attempts are quick again: a daemon
  /// that greets and ends at once is not asked twenty times a second.
  private static let shortestLife: Int64 = 1_000_000

  private let loop: EventLoop
  private let paths: () -> [String]
  private let greeting: (inout JSONLinesWriter) -> Void
  private let body: (News) -> Void
  private var state = State.waiting
  private var timer: EventSource?
  private var pause = shortestPause
  private var isAbsenceTold = false
  private var isRefusalTold = false

  /// Whether the daemon has not yet said anything.
  private var isSilent = false

  /// Whether the greeting has requests, of which the first is to be granted.
  private var hasRequests = false

  /// When the daemon has accepted; nil where it has not.
  private var acceptedAt: Int64?

  /// Makes a link that does nothing before `start`.
  ///
  /// - Parameters:
  ///   - loop: who wakes it.
  ///   - paths: where to look for a daemon at each attempt, in this order.
  ///   - greeting: the requests that each new connection begins with.
  ///   - body: hears what comes.
  package init(
    loop: EventLoop, paths: @escaping () -> [String],
    greeting: @escaping (inout JSONLinesWriter) -> Void, body: @escaping (News) -> Void
  ) {
    self.loop = loop
    self.paths = paths
    self.greeting = greeting
    self.body = body
  }

  package func start() throws(SystemError) {
    timer = try loop.timer { [weak self] in self?.timeIsUp() }
    connect()
  }
}

extension ReconnectingConnection {
  /// Where the daemon is; nil while there is none.
  package var daemonPath: String? {
    guard case .connected(let connection, _) = state else { return nil }
    return connection.path
  }

  /// Asks the daemon; while there is none, nothing is asked.
  func send(_ requests: borrowing JSONLinesWriter) {
    guard case .connected(let connection, _) = state else { return }
    do throws(ConnectionError) {
      try connection.send(requests)
      updateReadiness()
    } catch {
      lose(to: error)
    }
  }

  /// The daemon refuses what the owner cannot do without: gives the connection up, and tries again later.
  func giveUp(_ reply: ReceivedReply) {
    if case .connected = state { lose(to: .refused(reply.error)) }
  }

  private func timeIsUp() {
    switch state {
    case .waiting: connect()
    case .connected: lose(to: .timedOut(ReconnectingConnection.longestSilence))
    }
  }

  private func connect() {
    do throws(ConnectionError) {
      let connection = try Connection.open(at: paths(), before: nil)
      state = .connected(connection, try watch(connection))
      isSilent = true
      timer?.set(to: loop.now + Int64(ReconnectingConnection.longestSilence * 1_000_000))
      acceptedAt = nil
      var requests = JSONLinesWriter()
      greeting(&requests)
      hasRequests = !requests.bytes.isEmpty
      try connection.send(requests)
      updateReadiness()
    } catch {
      lose(to: error)
    }
  }

  private func watch(_ connection: Connection) throws(ConnectionError) -> EventSource {
    do throws(SystemError) {
      return try loop.watch(connection.descriptor, for: .reading) { [weak self] readiness in
        self?.converse(readiness)
      }
    } catch {
      throw .system(error)
    }
  }

  private func converse(_ readiness: Readiness) {
    guard case .connected(let connection, _) = state else { return }
    do throws(ConnectionError) {
      if readiness.contains(.writing) { try connection.flush() }
      for line in try connection.receive() {
        if isSilent {
          isSilent = false
          timer?.set(to: nil)
        }
        if acceptedAt == nil { try judge(line) }
        body(.line(line))
        // Whoever has heard a line may have given the connection up.
        guard case .connected = state else { return }
      }
      updateReadiness()
    } catch {
      lose(to: error)
    }
  }

  /// Looks for the word that accepts us, or refuses.
  private func judge(_ line: [UInt8]) throws(ConnectionError) {
    switch ReceivedEvent(line: line) {
    case .reply(let reply):
      guard reply.isSuccess else { throw .refused(reply.error) }
      acceptedAt = loop.now
    case .hello where !hasRequests: acceptedAt = loop.now
    default: break
    }
  }

  private func updateReadiness() {
    guard case .connected(let connection, let source) = state else { return }
    source.watch(for: connection.readiness)
  }

  private func lose(to fault: ConnectionError) {
    if let acceptedAt, loop.now - acceptedAt >= ReconnectingConnection.shortestLife {
      (isAbsenceTold, isRefusalTold, pause) = (false, false, ReconnectingConnection.shortestPause)
    }
    acceptedAt = nil
    let wasConnected = if case .connected = state { true } else { false }
    state = .waiting
    timer?.set(to: loop.now + pause)
    pause = min(2 * pause, ReconnectingConnection.longestPause)
    if wasConnected { body(.lost) }
    body(.absent(fault, isNew: isNews(fault)))
  }

  private func isNews(_ fault: ConnectionError) -> Bool {
    if case .refused = fault {
      defer { isRefusalTold = true }
      return !isRefusalTold
    }
    defer { isAbsenceTold = true }
    return !isAbsenceTold
  }
}
