internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol

/// Whether the system's service serves this user, and why or why not.
///
/// Whether a session is locked is not asked: the user who runs the program has unlocked it.
struct AccessFinding: Encodable {
  enum State: String, Encodable {
    case always, seat, suspended, refused
  }

  struct SeatFinding: Encodable {
    let seat: String

    /// The user whose session is the active one; nil if there is none.
    let activeUser: UInt32?

    /// Whether this user has a session on it.
    let hasSession: Bool

    private enum CodingKeys: String, CodingKey {
      case seat
      case activeUser = "active_user"
      case hasSession = "has_session"
    }
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
      SeatFinding(
        seat: $0.name, activeUser: $0.activeUser, hasSession: $0.users.contains(user))
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
      return (
        .suspended, "systemd-logind does not run, so no user counts as being at the machine"
      )
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
