/// The error of a `reply` line.
public struct ReceivedError: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case code, message, reason
    case retryAfterMilliseconds = "retry_after_ms"
  }

  /// The error code, one of `RequestError.Code` or a code that a later daemon has added.
  public var code: String

  /// With `too_fast`, the number of milliseconds after which the request may be retried.
  public var retryAfterMilliseconds: Int?

  /// A message for people.
  public var message: String

  /// With `busy`, what is busy: `clients`, `in_use` or `touched`.
  public var reason: String?
}

/// A decoded `reply` line without its result.
public struct ReceivedReply: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case verb = "do"
    case isSuccess = "ok"
    case error
  }

  /// The verb of the request; nil if the daemon could not parse it.
  public var verb: String?

  /// Whether the request succeeded.
  public var isSuccess: Bool

  /// The error, if the request failed.
  public var error: ReceivedError?

  package init(verb: String? = nil, isSuccess: Bool, error: ReceivedError? = nil) {
    self.verb = verb
    self.isSuccess = isSuccess
    self.error = error
  }
}

/// The result of a `reply` line, decoded as the type that belongs to the request.
public struct ReceivedResult<Value: Decodable>: Decodable {
  public var result: Value
}

/// The result of `perform`.
public struct ReceivedPerformResult: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case handled
    case isBuiltIn = "built_in"
    case clientCount = "clients"
  }

  /// Whether the action is built in or configured, and the scale did not reject it.
  public var handled: Bool

  /// Whether the daemon itself performed the effect of the action; nil from older daemons.
  public var isBuiltIn: Bool?

  /// The number of other clients that the event was sent to; nil from older daemons.
  public var clientCount: Int?
}

/// The result of a step of `calibrate`.
public struct ReceivedCalibration: Hashable, Sendable, Decodable {
  /// A known weight and its measurement.
  public struct Point: Hashable, Sendable, Decodable {
    /// The known weight in grams.
    public var grams: Double

    /// The mean of the raw values.
    public var raw: Double

    /// The spread of the raw values.
    public var spread: Double
  }

  /// The law that was fitted to the points, and its errors.
  public struct Fit: Hashable, Sendable, Decodable {
    private enum CodingKeys: String, CodingKey {
      case shape
      case errorGrams = "error_grams"
      case worstGrams = "worst_grams"
      case worstAtGrams = "worst_at_grams"
      case rootMeanSquare = "rmse_grams"
      case rSquared = "r2"
      case line
    }

    /// `line` or `pieces`.
    public var shape: String
    public var errorGrams: Double
    public var worstGrams: Double
    public var worstAtGrams: Double

    /// The root mean square of the residuals in grams.
    public var rootMeanSquare: Double

    /// The coefficient of determination, R².
    public var rSquared: Double

    /// The breakpoints of the law as pairs of grams and raw value; nil from older daemons.
    public var line: [[Double]]?
  }

  public var points: [Point]
  public var fit: Fit?

  /// The reason why there is no fit yet, as a message for people.
  public var refusal: String?
}

/// The contacts and the reading of a device, in the reply to `state`.
public struct ReceivedState: Hashable, Sendable, Decodable {
  public var device: String

  /// The contacts that are down.
  public var contacts: [ReceivedPressure]

  /// The tracking ID of the heaviest contact.
  public var heaviest: Int64?

  public var scale: ReceivedScale
}
