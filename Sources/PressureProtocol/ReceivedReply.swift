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

/// The answer to a step of `calibrate`, as a client reads it.
public struct ReceivedCalibration: Hashable, Sendable, Decodable {
  /// A known weight, and what the sensor said of it.
  public struct Point: Hashable, Sendable, Decodable {
    public var grams: Double
    public var raw: Double
    public var spread: Double
  }

  /// How well the points fit.
  public struct Fit: Hashable, Sendable, Decodable {
    private enum CodingKeys: String, CodingKey {
      case shape
      case errorGrams = "error_grams"
      case worstGrams = "worst_grams"
      case worstAtGrams = "worst_at_grams"
      case rootMeanSquare = "rmse_grams"
      case determination = "r2"
      case line
    }

    /// `line` or `pieces`.
    public var shape: String
    public var errorGrams: Double
    public var worstGrams: Double
    public var worstAtGrams: Double
    public var rootMeanSquare: Double

    /// R².
    public var determination: Double

    /// The corners of the law, as pairs of grams and raw; an older daemon does not say them.
    public var line: [[Double]]?
  }

  public var points: [Point]
  public var fit: Fit?

  /// Why the points make no fit yet.
  public var refusal: String?
}

/// What lies on a device, as the answer to `state` has it.
public struct ReceivedState: Hashable, Sendable, Decodable {
  public var device: String

  /// Those that are down.
  public var contacts: [ReceivedPressure]

  /// The heaviest contact's number.
  public var heaviest: Int64?

  public var scale: ReceivedScale
}
