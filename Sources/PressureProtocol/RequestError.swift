package import PressureKit

/// The reason why a request failed.
package struct RequestError: Error, Hashable, Sendable {
  package var code: ErrorCode

  /// A message for people.
  package var message: String

  /// What is busy; only with `busy`.
  package var reason: BusyReason?

  /// The number of milliseconds after which the request may be retried; only with `tooFast`.
  package var retryAfterMilliseconds: Int?

  /// The ID for the reply, if the line could not be parsed completely.
  package var id: RequestValue = .null

  /// The verb for the reply, if the line could not be parsed completely.
  package var verb: String?

  package init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }

  package static func busy(_ reason: BusyReason, _ message: String) -> RequestError {
    var error = RequestError(.busy, message)
    error.reason = reason
    return error
  }

  package static func tooFast(retryAfterMilliseconds: Int) -> RequestError {
    var error = RequestError(
      .tooFast,
      "too many requests from one user; retry after \(retryAfterMilliseconds) ms, or see use: in the "
        + "configuration")
    error.retryAfterMilliseconds = retryAfterMilliseconds
    return error
  }

  static func badArgument(
    _ message: String, id: RequestValue = .null, verb: String? = nil
  ) -> RequestError {
    var error = RequestError(.badArgument, message)
    (error.id, error.verb) = (id, verb)
    return error
  }
}

extension RequestError {
  package init(_ error: ScaleError) {
    self.init(.failed, error.description)
  }
}

extension RequestError: CustomStringConvertible {
  package var description: String { message }
}

/// The error codes of the protocol.
public enum ErrorCode: String, CaseIterable, Sendable {
  /// The line is not a JSON object.
  case badJSON = "bad_json"
  /// The verb is unknown.
  case unknownCommand = "unknown_command"
  /// An argument is missing, unknown, or of the wrong type.
  case badArgument = "bad_argument"
  /// The device does not exist, or there are several and the request names none.
  case noDevice = "no_device"
  /// The time limit expired.
  case timeout
  /// The user does not have the permission that the command requires.
  case notPermitted = "not_permitted"
  /// The user exceeded the rate limit under `use` in the configuration; retry later.
  case tooFast = "too_fast"
  /// A resource is in use; see `BusyReason`.
  case busy
  /// The line is longer than `Request.maximumLength`.
  case lineTooLong = "line_too_long"
  /// The command failed; the message gives the reason.
  case failed
}

extension ErrorCode {
  /// The meaning, for the manual page.
  var summary: String {
    switch self {
    case .badJSON: "the line is not a JSON object"
    case .unknownCommand: "the verb does not exist"
    case .badArgument: "an argument is missing, unknown or has an invalid value"
    case .noDevice: "the device does not exist, or there are several and the request names none"
    case .timeout: "the request timed out"
    case .notPermitted:
      "the request needs permission under *use* or *control* in the configuration; or access is suspended; or, as the first "
        + "line, the user is not served and the connection is closed"
    case .tooFast:
      "the user reached the rate limit; retry after *retry_after_ms* milliseconds"
    case .busy:
      "*reason* is one of "
        + BusyReason.allCases.map { "_\($0.rawValue)_ (\($0.summary))" }.joined(separator: ", ")
    case .lineTooLong:
      "the line exceeds the maximum length of a request; the connection is closed"
    case .failed: "the request failed; the message states the reason"
    }
  }
}

extension BusyReason {
  /// The meaning, for the manual page.
  fileprivate var summary: String {
    switch self {
    case .clients:
      "the maximum number of clients is connected; the connection is closed, retry later"
    case .inUse: "another client or program uses the device in this way"
    case .touched: "something touches the device; remove it"
    }
  }
}

/// What is busy, with the code `busy`.
public enum BusyReason: String, CaseIterable, Sendable {
  /// As many clients are connected as are allowed; the connection is closed.
  case clients
  /// Another client or another program has grabbed the device or calibrates it.
  case inUse = "in_use"
  /// Something touches the device.
  case touched
}

extension String {
  /// The text truncated to 40 Unicode scalars, for quoting untrusted input in a message.
  package var truncated: String {
    // Scalars, because one character may consist of any number of combining marks.
    let rest = unicodeScalars.dropFirst(40)
    return rest.isEmpty ? self : String(self[..<rest.startIndex]) + "…"
  }
}
