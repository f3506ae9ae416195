public import PressureProtocol

/// Why a request failed or the events ended.
public enum DaemonError: Error, Hashable, Sendable {
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
}

extension DaemonError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .unavailable(let description): description
    case .disconnected: "the daemon closed the connection"
    case .refused(let error):
      error.map { "the daemon refuses: \($0.message)" } ?? "the daemon refuses"
    case .unexpectedResult(let description): "unexpected result: \(description)"
    case .eventsUnread: "the reply is behind too many events that nobody reads"
    case .closed: "the client was closed"
    }
  }
}
