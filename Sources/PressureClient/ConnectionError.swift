internal import Glibc
internal import PressureKit
package import PressureProtocol
package import PressureSystem

/// Why there is no talking with the daemon.
package enum ConnectionError: Error, Hashable {
  /// A path at which nobody was reached.
  package struct Attempt: Hashable {
    var path: String

    /// The number of the error.
    var number: Int32
  }

  /// Nobody was reached at any of the paths that were tried.
  case absent([Attempt])
  /// A daemon listens at this path, and too many others wait to be accepted.
  case busy(String)
  /// The daemon has ended the connection.
  case ended
  /// The daemon serves others, but not us, or not what was asked.
  case refused(ReceivedReply.Fault?)
  /// A line is longer than any of the daemon's.
  case tooLong
  /// The daemon has not answered within so many seconds.
  case timedOut(Double)
  /// The kernel refuses.
  case system(SystemError)

  /// One sentence for people.
  package var sentence: String {
    switch self {
    case .absent(let attempts): sentence(of: attempts)
    case .busy: "\(busySentence); try again later"
    case .ended: "the daemon has hung up"
    case .refused(let fault): ExitError(fault).sentences.joined()
    case .tooLong:
      "a line of over \(Connection.lineLimit >> 20) MiB came, so this is no pressured's socket"
    case .timedOut(let seconds): "the daemon has not answered within \(seconds.shortDescription) seconds"
    case .system(let fault): fault.sentence
    }
  }

  /// The same where somebody tries again.
  package var waitingSentence: String {
    if case .busy = self { return "\(busySentence); waiting for it" }
    return "\(sentence); waiting for it"
  }

  private var busySentence: String {
    guard case .busy(let path) = self else { return "" }
    return "the daemon at \(path) is busy: too many connections wait to be accepted"
  }

  /// Whether a daemon may be there whom this user has no right to ask.
  package var isPermissionDenied: Bool {
    guard case .absent(let attempts) = self else { return false }
    return attempts.contains { $0.number == EACCES || $0.number == EPERM }
  }

  private func sentence(of attempts: [Attempt]) -> String {
    let places = attempts.map { "\($0.path) (\(String(cString: strerror($0.number))))" }
    let advice =
      isPermissionDenied
      ? "join the group of the socket, pressured for the system's service, and log in again"
      : "start one with pressured run, or say where it is with --socket PATH"
    return "no pressured answers at \(places.joined(separator: " or ")); \(advice)"
  }
}

extension ExitError {
  /// Why a daemon is not heard.
  package init(_ fault: ConnectionError) {
    let status: Status =
      switch fault {
      case .absent: fault.isPermissionDenied ? .permissionDenied : .noDaemon
      case .ended: .noDaemon
      case .refused(let fault): .forRefusal(fault)
      case .busy, .timedOut: .timedOut
      case .tooLong: .badData
      case .system: .internalError
      }
    self.init(fault.sentence, status)
  }

  /// A refusal of the daemon's.
  package init(_ fault: ReceivedReply.Fault?) {
    // Where only time has run out nobody has refused.
    let prefix = fault?.code == "timeout" ? "" : "the daemon refuses: "
    self.init(fault.map { prefix + $0.message } ?? "the daemon refuses", .forRefusal(fault))
  }
}

extension ExitError.Status {
  fileprivate static func forRefusal(_ fault: ReceivedReply.Fault?) -> ExitError.Status {
    switch fault?.code {
    case "no_device": .noInput
    case "busy", "timeout": .timedOut
    case "not_permitted": .permissionDenied
    case "failed": .badData
    default: .internalError
    }
  }
}
