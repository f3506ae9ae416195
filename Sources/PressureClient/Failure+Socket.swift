internal import PressureKit
package import PressureProtocol
internal import PressureSystem

extension Failure {
  /// Why a daemon is not heard.
  package init(_ fault: ConnectionFault) {
    let status: Status =
      switch fault {
      case .absent: fault.isLackOfRights ? .noRights : .noDaemon
      case .ended: .noDaemon
      case .refused(let fault): .ofRefusal(fault)
      case .busy, .notInTime: .notInTime
      case .tooLong: .badData
      case .system: .ourMistake
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

extension Failure.Status {
  fileprivate static func ofRefusal(_ fault: ReceivedReply.Fault?) -> Failure.Status {
    switch fault?.code {
    case "no_device": .noInput
    case "busy", "timeout": .notInTime
    case "not_permitted": .noRights
    case "failed": .badData
    default: .ourMistake
    }
  }
}
