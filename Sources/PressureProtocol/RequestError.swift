package import PressureKit

package struct RequestError: CustomStringConvertible, Error, Hashable, Sendable {
  package var code: ErrorCode
  package var message: String

  /// What is busy; only with `busy`.
  package var reason: BusyReason?

  /// The number of milliseconds after which the request may be retried; only with `tooFast`.
  package var retryAfterMilliseconds: Int?

  /// The ID for the reply, if the line could not be parsed completely.
  package var id: RequestValue = .null

  /// The verb for the reply, if the line could not be parsed completely.
  package var verb: String?

  package var description: String { message }
}

extension RequestError {
  package init(_ code: ErrorCode, _ message: String) {
    self.init(code: code, message: message)
  }

  package init(_ error: ScaleError) {
    self.init(.failed, error.description)
  }

  package static func busy(_ reason: BusyReason, _ message: String) -> RequestError {
    RequestError(code: .busy, message: message, reason: reason)
  }

  package static func tooFast(retryAfterMilliseconds: Int) -> RequestError {
    RequestError(
      code: .tooFast,
      message:
        "too many requests from one user; retry after \(retryAfterMilliseconds) ms, or see use: in the "
        + "configuration", retryAfterMilliseconds: retryAfterMilliseconds)
  }

  static func badArgument(
    _ message: String, id: RequestValue = .null, verb: String? = nil
  ) -> RequestError {
    RequestError(code: .badArgument, message: message, id: id, verb: verb)
  }
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
