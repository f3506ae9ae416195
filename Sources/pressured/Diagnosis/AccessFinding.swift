internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol

/// Whether the system's service serves this user, and why or why not.
///
/// Whether a session is locked is not asked: the user who runs the program has unlocked it.
struct AccessFinding: Encodable {
  /// The state of a seat.
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

  /// `always`, `seat`, `suspended` or `refused`.
  let state: String

  let reason: String

  /// Empty without a login manager.
  let seats: [SeatFinding]

  /// Whether the user is suspended only because the login manager does not run.
  let isManagerStopped: Bool

  private enum CodingKeys: String, CodingKey {
    case state, reason, seats
  }

  private init(
    _ state: String, _ reason: String, _ seats: Seats?, _ user: UInt32,
    isManagerStopped: Bool = false
  ) {
    self.state = state
    self.reason = reason
    self.isManagerStopped = isManagerStopped
    self.seats =
      seats?.all.map {
        SeatFinding(
          seat: $0.name, activeUser: $0.activeUser, hasSession: $0.users.contains(user))
      } ?? []
  }

  /// Applies the rules of a configuration to this user, as the service does.
  ///
  /// - Parameters:
  ///   - rules: `access` of the service's configuration.
  ///   - machine: the user and the groups.
  ///   - seats: who is at the seats; nil without a login manager.
  /// - Returns: the finding.
  static func make(
    _ rules: AccessConfiguration, for machine: Machine, _ seats: Seats?
  ) -> AccessFinding {
    let user = machine.userID
    func finding(_ state: String, _ reason: String) -> AccessFinding {
      AccessFinding(state, reason, seats, user)
    }
    if user == 0 { return finding("always", "root is always served") }
    if let group = rules.group, machine.groups.contains(group) {
      return finding("always", "this user is in the group \(group)")
    }
    if rules.users.contains(where: { getpwnam($0)?.pointee.pw_uid == user }) {
      return finding("always", "access.users in the configuration names this user")
    }
    guard rules.seat else { return finding("refused", "access.seat is off in the configuration") }
    guard let seats else {
      return finding(
        "refused", "systemd-logind does not run, so no user is known to be at the machine")
    }
    if seats.isCurrent == false, seats.all.contains(where: { $0.users.contains(user) }) {
      return AccessFinding(
        "suspended", "systemd-logind does not run, so no user counts as being at the machine",
        seats, user, isManagerStopped: true)
    }
    if let seat = seats.all.first(where: { $0.activeUser == user }) {
      return finding("seat", "this user's session is the active one on \(seat.name)")
    }
    if let seat = seats.all.first(where: { $0.users.contains(user) }) {
      let other = seat.activeUser.map { "that of user \($0) is active" } ?? "none is active"
      return finding("suspended", "this user's session on \(seat.name) is not active: \(other)")
    }
    return finding("refused", "this user has no session at a seat of this machine")
  }

  /// The finding as a sentence.
  var sentence: String {
    switch state {
    case "always": "the service serves you at any time: \(reason)"
    case "seat": "the service serves you while you are at the machine: \(reason)"
    case "suspended": "the service does not serve you now: \(reason)"
    default: "the service refuses you: \(reason)"
    }
  }
}
