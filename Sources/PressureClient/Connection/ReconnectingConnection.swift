internal import Glibc
package import PressureProtocol
package import PressureSystem

/// A connection to the daemon that is established again whenever it is lost, driven by its owner's poll loop.
///
///                   a daemon accepts the socket
///      waiting ────────────────────────────────────▶ connected ◀───┐
///       ▲  ▲ │                                         │   │       │ lines
///       │  └─┘ no daemon: the pause doubles            │   └───────┘
///       │                                              │
///       └──────────────────────────────────────────────┘
///         the daemon closes, is silent, refuses, or the owner gives up
///
/// The owner polls `descriptor` for `readiness`, and calls `descriptorReady` and, at `deadline`, `deadlineReached`. All three
/// may change with every call, also with those that the handler makes.
///
/// The daemon accepts a client when it grants the first request of the greeting or, if the greeting has none, with its
/// hello. Only a connection that was accepted and lasted for a second resets the pause.
package final class ReconnectingConnection {
  package enum Update {
    case line([UInt8])
    /// The connection is lost, and with it all that depended on it.
    case lost
    /// There is no daemon, or it refuses. `isNew` is true once for each of the two, until an accepted connection has
    /// lasted.
    case unavailable(ConnectionError, isNew: Bool)
  }

  /// The first pause between two attempts, in microseconds; each pause is twice the one before.
  private static let shortestPause: Int64 = 50_000
  private static let longestPause: Int64 = 5_000_000

  /// How long a daemon may take to send its first line, in seconds.
  private static let greetingTimeout = 10.0

  /// How long an accepted connection has to last to reset the pause, in microseconds: a daemon that greets and exits is
  /// not tried twenty times a second.
  private static let shortestLife: Int64 = 1_000_000

  private let paths: () -> [String]
  private let greeting: (inout JSONLinesWriter) -> Void
  private let now: () -> Int64
  private let handler: (Update) -> Void

  private var connection: Connection?
  private var pause = shortestPause

  private enum Failure { case absence, refusal }

  private var reported: Set<Failure> = []

  /// Whether the greeting has requests, of which the first must be granted.
  private var hasRequests = false

  private var wasAccepted = false
  private var acceptedAt: Int64?

  /// The time of `now` at which `deadlineReached` is to be called, in microseconds; nil if there is nothing to wait for.
  package private(set) var deadline: Int64?

  /// Creates a connection that does nothing before `start`; each attempt tries the paths in order.
  ///
  /// Each new connection begins with `greeting`. `now` returns microseconds; `handler` may call any method.
  package init(
    paths: @escaping () -> [String], greeting: @escaping (inout JSONLinesWriter) -> Void,
    now: @escaping () -> Int64, handler: @escaping (Update) -> Void
  ) {
    self.paths = paths
    self.greeting = greeting
    self.now = now
    self.handler = handler
  }

  package var descriptor: Int32? { connection?.descriptor }

  package var readiness: Readiness { connection?.readiness ?? [] }

  package var daemonPath: String? { connection?.path }

  /// Whether there is nothing to wait for: the daemon does not permit this user to connect, and never did.
  package func isHopeless(_ error: ConnectionError) -> Bool {
    error.isPermissionDenied && !wasAccepted
  }

  package func send(_ requests: borrowing JSONLinesWriter) {
    guard let connection else { return }
    do throws(ConnectionError) {
      try connection.send(requests)
    } catch {
      lose(to: error)
    }
  }

  /// Closes the connection because the daemon refuses a request that the owner depends on; the next attempt follows
  /// after a pause.
  package func giveUp(_ reply: ReceivedReply) {
    if connection != nil { lose(to: .refused(reply.error)) }
  }

  /// The deadline has passed: attempts to connect, or gives up a silent daemon.
  package func deadlineReached() {
    guard let deadline, now() >= deadline else { return }
    if connection == nil {
      start()
    } else {
      lose(to: .timedOut(ReconnectingConnection.greetingTimeout))
    }
  }

  package func descriptorReady(_ readiness: Readiness) {
    guard let connection else { return }
    do throws(ConnectionError) {
      if readiness.contains(.writing) { try connection.flush() }
      for line in try connection.receive() {
        deadline = nil
        if acceptedAt == nil { try checkAcceptance(line) }
        handler(.line(line))
        // The handler may have given the connection up.
        guard self.connection === connection else { return }
      }
    } catch {
      lose(to: error)
    }
  }

  /// Connects, or fails and tries again later.
  package func start() {
    do throws(ConnectionError) {
      let connection = try Connection.open(at: paths(), before: nil)
      self.connection = connection
      deadline = now() + Int64(ReconnectingConnection.greetingTimeout * 1_000_000)
      acceptedAt = nil
      var requests = JSONLinesWriter()
      greeting(&requests)
      hasRequests = !requests.bytes.isEmpty
      try connection.send(requests)
    } catch {
      lose(to: error)
    }
  }

  private func checkAcceptance(_ line: [UInt8]) throws(ConnectionError) {
    switch ReceivedEvent(line: line) {
    case .reply(let reply):
      guard reply.isSuccess else { throw .refused(reply.error) }
    case .hello where !hasRequests: break
    default: return
    }
    (acceptedAt, wasAccepted) = (now(), true)
  }

  private func lose(to error: ConnectionError) {
    if let acceptedAt, now() - acceptedAt >= ReconnectingConnection.shortestLife {
      reported = []
      pause = ReconnectingConnection.shortestPause
    }
    acceptedAt = nil
    let wasConnected = connection != nil
    connection = nil
    deadline = now() + pause
    pause = min(2 * pause, ReconnectingConnection.longestPause)
    if wasConnected { handler(.lost) }
    let failure: Failure = if case .refused = error { .refusal } else { .absence }
    handler(.unavailable(error, isNew: reported.insert(failure).inserted))
  }
}
