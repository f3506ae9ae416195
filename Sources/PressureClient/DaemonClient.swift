public import PressureProtocol

/// A connection to the pressured daemon, which is established again whenever it is lost.
///
/// Events and replies arrive independently of each other:
///
///     let client = DaemonClient(subscription: .subscribe(events: [.weight]))
///     try await client.send(.tare())
///     for try await event in client.events {
///       if case .weight(let weight) = event { print(weight.totalGrams ?? 0) }
///     }
///
/// A separate thread polls the socket, so that a blocked task never blocks the cooperative thread pool. The connection is closed
/// when the client is released or `close()` is called.
public final class DaemonClient: Sendable {
  fileprivate let poller: SocketPoller

  /// Where daemons listen: `$PRESSURED_SOCKET` if it is set; otherwise the session's socket in `$XDG_RUNTIME_DIR`, then the
  /// service's, `/run/pressured/pressured.sock`.
  ///
  /// The `pressured` program also reads `socket.path` of its configuration, which this library does not.
  /// Empty if one of these variables is not UTF-8, as a repaired one would name another file; a client then throws
  /// `DaemonError.unavailable`, which says so.
  public static var defaultPaths: [String] { (try? SocketPoller.defaultPaths()) ?? [] }

  /// Connects to the daemon; attempts continue in the background.
  ///
  /// - Parameters:
  ///   - paths: paths of Unix sockets, tried in this order; nil selects `defaultPaths`.
  ///   - subscription: the request that each connection begins with; without one the daemon sends all events, at most 100
  ///     readings a second for each device.
  ///   - reconnects: whether to connect again, with pauses of 50 ms to 5 s, if there is no daemon or the connection is lost. If not,
  ///     `events` and requests throw then. A refused subscription always ends the client.
  public init(paths: [String]? = nil, subscription: Request? = nil, reconnects: Bool = true) {
    poller = SocketPoller(paths: paths, subscription: subscription, reconnects: reconnects)
  }

  deinit { poller.close() }

  /// Closes the connection.
  ///
  /// Events end, and outstanding requests throw `DaemonError.closed`.
  public func close() { poller.close() }

  /// The events, beginning with `hello` for each connection.
  ///
  /// Each event is delivered to one iterator.
  ///
  /// At most some hundred events are kept for a slow consumer: the socket is not read meanwhile, and the daemon then leaves out
  /// readings, and closes the connection if discrete events do not fit its buffer. While a request waits for its reply the socket is
  /// read nevertheless, until 32,768 events are kept: the request then throws `DaemonError.eventsUnread`, and so does each
  /// further one until events are read. A client that only sends requests subscribes to no events.
  public var events: Events { Events(client: self) }

  /// Sends a request and waits for the reply.
  ///
  /// If its task is cancelled before the request was sent, it is not sent, even if a daemon appears later.
  ///
  /// - Throws: `DaemonError.refused` if the daemon refuses, `.disconnected` if the connection is lost before the reply, `.unavailable` if
  ///   the client does not reconnect and there is no daemon, `.eventsUnread` if too many events are not read, or
  ///   `CancellationError`.
  public func send(_ request: Request) async throws { _ = try await poller.reply(to: request) }

  /// Sends a request and returns the result of its reply.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - type: the type of the result, such as `[ReceivedState].self` for `state`.
  /// - Returns: the decoded result.
  /// - Throws: as `send`, or `DaemonError.unexpectedResult`.
  public func result<Value: Decodable & Sendable>(
    of request: Request, as type: Value.Type = Value.self
  ) async throws -> Value {
    let line = try await poller.reply(to: request)
    do {
      return try LineDecoder.decode(ReceivedResult<Value>.self, from: line).result
    } catch {
      throw DaemonError.unexpectedResult(description: "\(error)")
    }
  }

  /// The events of a client.
  public struct Events: AsyncSequence, Sendable {
    /// One line of the daemon.
    public typealias Element = ReceivedEvent

    /// Why the events ended without `DaemonClient.close()`.
    public typealias Failure = DaemonError

    /// Keeps the connection open while there is an iterator.
    fileprivate let client: DaemonClient

    /// Makes an iterator, which shares the events with all others of the client.
    public func makeAsyncIterator() -> Iterator { Iterator(client: client) }

    /// An iterator, which waits for the client's next event.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let client: DaemonClient

      /// The next event, or nil if the client is closed or the task is cancelled.
      public func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(DaemonError) -> ReceivedEvent? {
        try await client.poller.next(isolation: actor)
      }

      /// The next event, or nil if the client is closed or the task is cancelled.
      public func next() async throws(DaemonError) -> ReceivedEvent? {
        try await next(isolation: nil)
      }
    }
  }
}

/// Why a request failed or the events ended.
public enum DaemonError: CustomStringConvertible, Error, Hashable, Sendable {
  /// No daemon was reached; the description lists the paths that were tried and why each failed.
  case unavailable(description: String)
  /// The daemon closed the connection before it replied.
  case disconnected
  /// The daemon refused the request; its `code` and `message` are those of the protocol.
  case refused(ReceivedError?)
  /// The result of a reply has another form than the caller expects; the description names the field.
  case unexpectedResult(description: String)
  /// The reply cannot be read, as it is behind more events than are kept for a consumer; see `DaemonClient.events`.
  case eventsUnread
  /// The client was closed.
  case closed

  init(_ error: ConnectionError) {
    switch error {
    case .refused(let error): self = .refused(error)
    case .ended: self = .disconnected
    default: self = .unavailable(description: error.sentence)
    }
  }

  /// A sentence for people.
  public var description: String {
    switch self {
    case .unavailable(let description): description
    case .disconnected: "the daemon closed the connection"
    case .refused(let error):
      error.map { "the daemon refuses: \($0.message)" } ?? "the daemon refuses"
    case .unexpectedResult(let description): "unexpected result: \(description)"
    case .eventsUnread: "the reply is behind too many unread events"
    case .closed: "the client was closed"
    }
  }
}
