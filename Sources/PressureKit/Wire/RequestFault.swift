/// Why a request is not done.
public struct RequestFault: Error, Hashable, Sendable {
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
    /// Somebody else is at it, or there are too many.
    case busy
    /// The line is longer than any request.
    case lineTooLong = "line_too_long"
    /// It did not work, for a reason that the message gives.
    case failed
  }

  public var code: Code

  /// A sentence for people.
  public var message: String

  /// What the answer is to carry, of a line that is no whole request.
  public var id: RequestValue = .null

  /// The verb, of a line that is no whole request.
  public var verb: String?

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  static func badArgument(
    _ message: String, id: RequestValue = .null, verb: String? = nil
  ) -> RequestFault {
    var fault = RequestFault(.badArgument, message)
    (fault.id, fault.verb) = (id, verb)
    return fault
  }
}
