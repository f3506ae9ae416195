internal import Glibc
internal import PressureClient
internal import PressureDesktop
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

struct DaemonFinding: Encodable {
  private(set) var path: String?

  /// Whether clients find it without the option `--socket`.
  private(set) var isDefault = false

  private(set) var version: String?

  /// The devices that it reads; nil if it does not report them.
  private(set) var devices: [DeviceInUse]?
  private(set) var received: [ReceivedDevice] = []
  private(set) var fault: String?
  private(set) var isForbidden = false
  private(set) var permitsControl = false

  struct DeviceInUse: Encodable {
    let device: String
    let node: String
    let capability: String
    let weightSource: String

    var isBroken: Bool { capability == "broken" }
  }

  private enum CodingKeys: String, CodingKey {
    case path, version, devices, fault, isForbidden
  }

  /// Queries the daemon that clients would connect to, or only the devices that it reads.
  init(of socket: String?, onlyDevices: Bool = false) {
    do throws(ConnectionError) {
      if !onlyDevices {
        version = try Request("version").answer(as: Versions.self, at: socket).result?.version
        // The end of a grab that this connection does not have: refused without permission, and otherwise nothing changes.
        let grab = try Request.grab(isOn: false).answer(as: Versions.self, at: socket)
        permitsControl = grab.reply.error?.code != .known(.notPermitted)
      }
      let listed = try Request("devices").answer(as: [ReceivedDevice].self, at: socket)
      // Another error means a daemon of another version; this one, that it does not serve the user.
      let error = listed.reply.error
      if error?.code == .known(.notPermitted) { throw .refused(error) }
      received = listed.result ?? []
      devices = listed.result?.map {
        DeviceInUse(
          device: $0.device, node: $0.node, capability: $0.capability.rawValue,
          weightSource: $0.weightSource.rawValue)
      }
      (path, isDefault) = (listed.path, socket == nil)
    } catch {
      (fault, isForbidden) = (error.sentence, error.isPermissionDenied)
    }
  }

  private struct Versions: Decodable {
    var version: String
  }

  var sentence: String {
    guard let path else { return fault ?? "none" }
    let names = devices.map { list in
      list.isEmpty
        ? "no device"
        : list.map { $0.device + ($0.isBroken ? " (its pressure axis never changes)" : "") }
          .joined(separator: ", ")
    }
    return "version \(version ?? "unknown") answers at \(path), and reads "
      + (names ?? "unknown devices")
  }
}

struct PenFinding: Encodable {
  /// `possible`, `needs uinput`, `needs control` or `needs a pad`.
  let state: String
  let detail: String

  init(_ daemon: DaemonFinding) {
    let hasForce = daemon.received.contains { $0.capability == .force }
    guard hasForce || daemon.received.contains(where: { $0.capability == .size }) else {
      state = "needs a pad"
      detail =
        daemon.devices == nil
        ? "no daemon answers that reads one" : "no device of the daemon measures pressure"
      return
    }
    let obstacle = UinputAccess.obstacle()
    guard obstacle == 0, daemon.permitsControl else {
      state = obstacle != 0 ? "needs uinput" : "needs control"
      let error = SystemError(attempt: "open /dev/uinput", number: obstacle)
      let isOther = obstacle != 0 && !UinputAccess.isRight(obstacle)
      detail =
        (isOther ? error.sentence : PenSession.advice) + "; pressured pen --test works without it"
      return
    }
    state = "possible"
    detail =
      hasForce
      ? "pressured pen draws with the force of a finger"
      : "pressured pen draws with the area of a finger, as the pad does not measure its force"
  }

  var sentence: String { "\(state); \(detail)" }
}

/// Whether the system's service serves this user, and why or why not.
///
/// Whether a session is locked is not asked: the user who runs the program has unlocked it.
struct AccessFinding: Encodable {
  enum State: String, Encodable {
    case always, seat, suspended, refused
  }

  struct SeatFinding: Encodable {
    let seat: String
    let activeUser: UInt32?

    let hasSession: Bool
  }

  let state: State
  let reason: String

  /// Empty without a login manager.
  let seats: [SeatFinding]

  /// Whether the user is suspended only because the login manager does not run.
  let isManagerStopped: Bool

  private enum CodingKeys: String, CodingKey {
    case state, reason, seats
  }

  /// Applies `access` of the service's configuration to this user; without a login manager `seats` is nil.
  init(_ rules: AccessConfiguration, for machine: Machine, _ seats: Seats?) {
    let user = machine.userID
    self.seats = (seats?.all ?? []).map {
      SeatFinding(seat: $0.name, activeUser: $0.activeUser, hasSession: $0.users.contains(user))
    }
    (state, reason) = AccessFinding.decide(rules, machine, seats)
    isManagerStopped = state == .suspended && seats?.isCurrent == false
  }

  private static func decide(
    _ rules: AccessConfiguration, _ machine: Machine, _ seats: Seats?
  ) -> (State, String) {
    let user = machine.userID
    if user == 0 { return (.always, "root is always served") }
    if let group = rules.group, machine.groups.contains(group) {
      return (.always, "this user is in the group \(group)")
    }
    if rules.users.contains(where: { getpwnam($0)?.pointee.pw_uid == user }) {
      return (.always, "access.users in the configuration names this user")
    }
    guard rules.seat else { return (.refused, "access.seat is off in the configuration") }
    guard let seats else {
      return (.refused, "systemd-logind does not run, so no user is known to be at the machine")
    }
    let own = seats.all.first { $0.users.contains(user) }
    if seats.isCurrent == false, own != nil {
      return (.suspended, "systemd-logind does not run, so no user counts as being at the machine")
    }
    if let seat = seats.all.first(where: { $0.activeUser == user }) {
      return (.seat, "this user's session is the active one on \(seat.name)")
    }
    guard let own else { return (.refused, "this user has no session at a seat of this machine") }
    let other = own.activeUser.map { "that of user \($0) is active" } ?? "none is active"
    return (.suspended, "this user's session on \(own.name) is not active: \(other)")
  }

  var sentence: String {
    switch state {
    case .always: "the service serves you at any time: \(reason)"
    case .seat: "the service serves you while you are at the machine: \(reason)"
    case .suspended: "the service does not serve you now: \(reason)"
    case .refused: "the service refuses you: \(reason)"
    }
  }
}
