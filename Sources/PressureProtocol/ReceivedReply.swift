internal import PressureKit

/// A `reply` line without its result, as a client reads it.
public struct ReceivedReply: Hashable, Sendable, Decodable {
  /// Why a request was not done, as the protocol names it.
  public struct Fault: Hashable, Sendable, Decodable {
    /// One of the protocol's words; a later daemon may have more of them.
    public var code: String

    /// With `too_fast`: after how many milliseconds it may be asked again.
    public var retryAfterMilliseconds: Int?

    /// A sentence for people.
    public var message: String

    /// With `busy`: `clients`, `in_use` or `touched`; nil with any other code.
    public var reason: String?

    private enum CodingKeys: String, CodingKey {
      case code, message, reason
      case retryAfterMilliseconds = "retry_after_ms"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case verb = "do"
    case isDone = "ok"
    case fault = "error"
  }

  /// What was asked for, or nil where the daemon could not read it.
  public var verb: String?

  public var isDone: Bool
  public var fault: Fault?

  package init(verb: String? = nil, isDone: Bool, fault: Fault? = nil) {
    self.verb = verb
    self.isDone = isDone
    self.fault = fault
  }
}

/// The result in a `reply` line, for a client that knows of what kind it is.
public struct ReceivedResult<Value: Decodable>: Decodable {
  public var result: Value
}

/// What `perform` answers.
public struct Performance: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case handled
    case isBuiltIn = "built_in"
    case clientCount = "clients"
  }

  /// Whether the action is built in or configured, and was not refused by the scale.
  public var handled: Bool

  /// Whether the daemon itself has done what it is for; nil where an older daemon does not say.
  public var isBuiltIn: Bool?

  /// How many other clients got the event; nil where an older daemon does not say.
  public var clientCount: Int?
}
