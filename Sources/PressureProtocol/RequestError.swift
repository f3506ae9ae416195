public import PressureKit

/// Why a request is not done.
public struct RequestError: Error, Hashable, Sendable {
  /// The protocol's words for what can go wrong.
  public enum Code: String, Sendable {
    /// The line is no JSON object.
    case badJSON = "bad_json"
    /// There is no such verb.
    case unknownCommand = "unknown_command"
    /// An argument is missing, unknown, or not of its kind.
    case badArgument = "bad_argument"
    /// There is no such device, or several and none was named.
    case noDevice = "no_device"
    /// What was waited for has not come.
    case timeout
    /// It changes what the daemon does, and who asks may only watch.
    case notPermitted = "not_permitted"
    /// The user has had as many requests that change what others read as `use` allows; again after a while.
    case tooFast = "too_fast"
    /// It is in use, or there are too many clients; `Reason` tells which.
    case busy
    /// The line is longer than any request.
    case lineTooLong = "line_too_long"
    /// It did not work, for a reason that the message gives.
    case failed
  }

  public var code: Code

  /// What is busy, for the code that is used for more than one thing.
  public enum Reason: String, Sendable {
    /// As many clients are connected as are allowed; the connection is closed.
    case clients
    /// Another client, or another program, uses the device in this way.
    case inUse = "in_use"
    /// Something touches the device.
    case touched
  }

  /// A sentence for people.
  public var message: String

  /// Only with `busy`.
  public var reason: Reason?

  /// Only with `tooFast`: after how many milliseconds the request may be repeated.
  public var retryAfterMilliseconds: Int?

  /// What the answer is to carry, of a line that is no whole request.
  public var id: RequestValue = .null

  /// The verb, of a line that is no whole request.
  public var verb: String?

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The error of a request for something that is busy.
  public static func busy(_ reason: Reason, _ message: String) -> RequestError {
    var fault = RequestError(.busy, message)
    fault.reason = reason
    return fault
  }

  /// The error of a request that comes too soon after others.
  public static func tooFast(retryAfterMilliseconds: Int) -> RequestError {
    var fault = RequestError(
      .tooFast,
      "too many requests of one user; ask again after \(retryAfterMilliseconds) ms, or see use: in the "
        + "configuration")
    fault.retryAfterMilliseconds = retryAfterMilliseconds
    return fault
  }

  static func badArgument(
    _ message: String, id: RequestValue = .null, verb: String? = nil
  ) -> RequestError {
    var fault = RequestError(.badArgument, message)
    (fault.id, fault.verb) = (id, verb)
    return fault
  }
}

extension RequestError {
  /// Why a scale does not do what it is asked for.
  public init(_ refusal: ScaleError) {
    self.init(.failed, RequestError.sentence(refusal))
  }

  private static func sentence(_ refusal: ScaleError) -> String {
    switch refusal {
    case .cannotWeigh: "the device gives nothing to weigh by"
    case .overWeight: "more lies there than the device can weigh"
    case .farFromZero(let grams, let limit):
      "the scale reads \(tenths(grams)) g, and zero may be off by \(tenths(limit)) g; try tare"
    case .inMotion: "the scale is in motion; ask again once it is stable"
    case .nothingToCount: "there is nothing on the scale to count"
    }
  }

  private static func tenths(_ grams: Double) -> String {
    var text = JSONLinesWriter(capacity: 64)
    text.append(grams, decimals: 1)
    return text.text
  }
}

extension String {
  /// The text as an answer quotes it: one that is longer than a glance is cut, as strangers have written it.
  package var glance: String {
    // Not characters: one may be made of as many marks as there is room for.
    let rest = unicodeScalars.dropFirst(40)
    return rest.isEmpty ? self : String(self[..<rest.startIndex]) + "…"
  }
}
