internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureSystem

/// Decides who may set a pad: root, users under `control` in the configuration, and the user whose session is active on
/// the pad's seat and not locked.
final class PadAccess {
  enum Decision: Hashable {
    case granted
    case refused(PadError)
    /// The login manager has not answered yet.
    case pending
  }

  /// Called when a decision may have changed.
  var changed: () -> Void = {}

  private let pad: PadDevice
  private let loop: EventLoop
  private let rules: AccessConfiguration
  private let permissions: Permissions
  private var monitor: LoginMonitor?

  init(_ pad: PadDevice, loop: EventLoop, _ configuration: Configuration) {
    (self.pad, self.loop, rules) = (pad, loop, configuration.access)
    permissions = Permissions(configuration)
  }

  /// Whether a user may set the pad wherever the machine's user is.
  func mayControl(_ peer: PeerCredentials) -> Bool {
    permissions.mayControl(peer.userID, in: peer.groupIDs)
  }

  func decide(_ peer: PeerCredentials) -> Decision {
    if mayControl(peer) { return .granted }
    guard rules.seat else {
      return refuse("access.seat is off in the configuration; it needs an entry under control")
    }
    if monitor == nil, LoginMonitor.isPossible {
      monitor = try? LoginMonitor(loop: loop) { [unowned self] in changed() }
    }
    guard let seats = monitor?.seats else {
      return refuse("it is not known who is at the machine, as systemd-logind does not run")
    }
    // udev assigns input devices to seats, not their hidraw nodes.
    guard let seat = PadFolder.eventNode(of: pad.node).map(DeviceSeat.name) else {
      return refuse("it is not known to which seat the pad belongs, as it has no input device")
    }
    switch seats.access(
      of: peer.userID, at: seat,
      suspendsWhenLocked: rules.suspendsWhenLocked)
    {
    case .granted: return .granted
    case .pending: return .pending
    case .locked: return refuse("the session is locked")
    case .inactive: return refuse("another session is active on \(seat)")
    case .unavailable: return refuse("systemd-logind does not run")
    case .refused: return refuse("user \(peer.userID) has no session on \(seat)")
    }
  }

  private func refuse(_ reason: String) -> Decision {
    .refused(
      PadError(
        .notPermitted,
        "\(reason); root, users under control in the configuration and the user at the machine may set the pad"
      ))
  }
}
