internal import Glibc
internal import PressureKit
package import PressureProtocol
package import PressureSystem

package enum ConnectionError: ExitReason, Hashable {
  package struct Attempt: Hashable {
    let path: String
    let number: Int32
  }

  case absent([Attempt])
  /// A daemon listens at this path, but its listen backlog is full.
  case busy(String)
  case ended
  case refused(ReceivedError?)
  /// A line is longer than any that the daemon sends.
  case tooLong
  case timedOut(Double)
  case system(SystemError)

  package var exitError: ExitError { ExitError(self) }

  package var sentence: String {
    if case .busy = self { "\(reason); try again later" } else { reason }
  }

  package var waitingSentence: String { "\(reason); waiting for it" }

  private var reason: String {
    switch self {
    case .absent(let attempts): sentence(of: attempts)
    case .busy(let path): "the daemon at \(path) is busy: too many connections wait to be accepted"
    case .ended: "the daemon closed the connection"
    case .refused(let error): ExitError(error).sentences.joined()
    case .tooLong:
      "a line of over \(Connection.lineLimit >> 20) MiB came, so this is not pressured's socket"
    case .timedOut(let seconds):
      "the daemon did not reply within \(seconds.shortDescription) seconds"
    case .system(let error): error.sentence
    }
  }

  package var isPermissionDenied: Bool {
    switch self {
    case .absent(let attempts): attempts.contains { $0.number == EACCES || $0.number == EPERM }
    case .refused(let error): error?.code == .known(.notPermitted)
    case .busy, .ended, .tooLong, .timedOut, .system: false
    }
  }

  private func sentence(of attempts: [Attempt]) -> String {
    let places = attempts.map { "\($0.path) (\(String(cString: strerror($0.number))))" }
    let advice =
      isPermissionDenied
      ? "pressured doctor shows what is missing"
      : "start one with pressured run, or pass its path with --socket PATH"
    return "no pressured answers at \(places.joined(separator: " or ")); \(advice)"
  }
}

extension ExitError {
  package init(_ error: ConnectionError) {
    let status: Status =
      switch error {
      case .absent: error.isPermissionDenied ? .permissionDenied : .noDaemon
      case .ended: .noDaemon
      case .refused(let error): .forRefusal(error)
      case .busy, .timedOut: .timedOut
      case .tooLong: .badData
      case .system: .internalError
      }
    self.init(error.sentence, status)
  }

  package init(_ error: ReceivedError?) {
    // A timeout is not a refusal.
    let prefix = error?.code == .known(.timeout) ? "" : "the daemon refuses: "
    self.init(
      error.map { prefix + ExitError.message($0) } ?? "the daemon refuses", .forRefusal(error))
  }

  /// The message of an error with the options of this program in place of the arguments of a request.
  private static func message(_ error: ReceivedError) -> String {
    guard error.code == .known(.noDevice) else { return error.message }
    return error.message.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let argument = "device="
      return word.hasPrefix(argument) ? "--device \(word.dropFirst(argument.count))" : String(word)
    }.joined(separator: " ")
  }
}

extension ExitError.Status {
  fileprivate static func forRefusal(_ error: ReceivedError?) -> ExitError.Status {
    guard case .known(let code)? = error?.code else { return .internalError }
    return switch code {
    case .noDevice: .noInput
    case .busy, .timeout: .timedOut
    case .notPermitted: .permissionDenied
    case .failed: .badData
    case .badJSON, .unknownCommand, .badArgument, .tooFast, .lineTooLong: .internalError
    }
  }
}
