public import PressureKit

/// The error of a `reply` line.
public struct ReceivedError: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case code, message, reason
    case retryAfterMilliseconds = "retry_after_ms"
  }

  /// The error code.
  public var code: ProtocolValue<ErrorCode>

  /// With `too_fast`, the number of milliseconds after which the request may be retried.
  public var retryAfterMilliseconds: Int?

  /// A message for people.
  public var message: String

  /// With `busy`, what is busy.
  public var reason: ProtocolValue<BusyReason>?
}

/// The ID that a client chose for a request and that the reply repeats.
public enum RequestID: Hashable, Sendable, Decodable {
  /// An integer of at most 64 bits.
  case integer(Int64)
  /// Another number.
  case number(Double)
  /// A string.
  case text(String)

  /// Decodes a number or a string.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try value.decode(String.self))
    }
  }
}

/// A decoded `reply` line without its result, which `ReceivedResult` decodes.
public struct ReceivedReply: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case id, error, next
    case verb = "do"
    case isSuccess = "ok"
  }

  /// The ID of the request; nil if it had none.
  public var id: RequestID?

  /// The verb of the request; nil if the daemon could not parse it.
  public var verb: String?

  /// Whether the request succeeded.
  public var isSuccess: Bool

  /// The error, if the request failed.
  public var error: ReceivedError?

  /// If a list was too long for one reply, the value of `from` with which another request gets the rest.
  public var next: Int?
}

/// The result of a `reply` line, decoded as the type that belongs to the request.
public struct ReceivedResult<Value: Decodable>: Decodable {
  /// The result.
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

    /// How it was measured; nil from older daemons.
    public var condition: ProtocolValue<CalibrationPoint.Condition>?

    /// Whether the zero was assumed, as the device sends nothing when empty; nil from older daemons.
    public var assumed: Bool?

    /// The tolerance of the known weight in percent; nil from older daemons.
    public var weightsPercent: Double?

    private enum CodingKeys: String, CodingKey {
      case grams, raw, spread, condition, assumed
      case weightsPercent = "weights_percent"
    }
  }

  /// A part of the error of a reading.
  public struct BudgetPart: Hashable, Sendable, Decodable {
    /// What causes it.
    public var cause: ProtocolValue<ErrorCause>

    /// The error in grams if it was the only one.
    public var grams: Double
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
      case line, budget
      case budgetAtGrams = "budget_at_grams"
    }

    /// One straight line, or straight segments.
    public var shape: ProtocolValue<CalibrationFit.Shape>

    /// The maximum error of a reading in grams, within which 95 % of readings lie.
    public var errorGrams: Double

    /// The maximum residual of a point in grams.
    public var worstGrams: Double

    /// The weight of that point in grams.
    public var worstAtGrams: Double

    /// The root mean square of the residuals in grams.
    public var rootMeanSquare: Double

    /// The coefficient of determination, R².
    public var rSquared: Double

    /// The breakpoints of the law as pairs of grams and raw value; nil from older daemons.
    public var line: [[Double]]?

    /// The weight for which `budget` is stated, in grams; nil from older daemons.
    public var budgetAtGrams: Double?

    /// The error by cause, whose squares add up; nil from older daemons.
    public var budget: [BudgetPart]?
  }

  /// The device; nil after `cancel`.
  public var device: String?

  /// The points, in the order in which they were measured.
  public var points: [Point]

  /// The law; nil if the points do not make one yet.
  public var fit: Fit?

  /// The reason why there is no fit yet, as a message for people.
  public var refusal: String?

  /// Whether the calibration is stored; if not, it is in effect until the daemon ends.
  ///
  /// Nil before `finish`, and from older daemons.
  public var stored: Bool?
}

/// The contacts and the reading of a device, in the reply to `state`.
public struct ReceivedState: Hashable, Sendable, Decodable {
  /// The ID of the device.
  public var device: String

  /// The contacts that are down.
  public var contacts: [ReceivedPressure]

  /// The tracking ID of the heaviest contact.
  public var heaviest: Int64?

  /// The reading of its scale.
  public var scale: ReceivedScale
}
