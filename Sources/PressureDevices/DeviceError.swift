internal import Glibc
package import PressureKit
package import PressureSystem

/// Why a node is not read.
package enum DeviceError: Error, Hashable {
  /// The kernel refuses to open it or to answer.
  case unreadable(SystemError)
  /// It is not what pressured reads.
  case refused(name: String, UnsupportedDeviceError)
  /// The configuration says to leave it alone.
  case ignored(name: String)

  /// One sentence for people, without the node.
  package var sentence: String {
    switch self {
    case .unreadable(let fault): fault.sentence
    case .refused(let name, let refusal): "\(name) is not read: \(refusal.sentence)"
    case .ignored(let name): "\(name) is not read: the configuration says to ignore it"
    }
  }

  /// Whether another user might read it.
  package var isLackOfRights: Bool {
    switch self {
    case .unreadable(let fault): fault.number == EACCES || fault.number == EPERM
    case .refused, .ignored: false
    }
  }
}
