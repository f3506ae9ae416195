internal import PressureKit
package import PressureProtocol
internal import PressureSystem

extension ExitError {
  /// Why a daemon is not heard.
  package init(_ fault: ConnectionError) {
    let status: Status =
      switch fault {
      case .absent: fault.isLackOfRights ? .permissionDenied : .noDaemon
      case .ended: .noDaemon
      case .refused(let fault): .ofRefusal(fault)
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
    self.init(fault.map { prefix + $0.message } ?? "the daemon refuses", .ofRefusal(fault))
  }
}

extension ExitError.Status {
  fileprivate static func ofRefusal(_ fault: ReceivedReply.Fault?) -> ExitError.Status {
    switch fault?.code {
    case "no_device": .noInput
    case "busy", "timeout": .timedOut
    case "not_permitted": .permissionDenied
    case "failed": .badData
    default: .internalError
    }
  }
}
