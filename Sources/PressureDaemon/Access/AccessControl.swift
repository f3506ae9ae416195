internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// Why a client may receive events.
enum AccessGrant: Hashable {
  /// Always: root, the daemon's own user, a named user, a member of the group, or the socket's permissions decide.
  case always
  /// While the user's session on a seat is active.
  case seat
}

/// Decides which users may connect, and of which seats they receive events.
final class AccessControl {
  /// How long a new client waits for the login manager, in microseconds; after that it is served as suspended.
  private static let patience: Int64 = 1_000_000

  /// Whether it decides; otherwise the permissions of the socket's file do.
  let isEnforced: Bool

  /// What the users and groups that the configuration names may do.
  var permissions: Permissions

  /// The seats that have devices or sessions.
  var seatNames = SeatNames()

  /// New clients that have not received anything yet, as it is not known whether their user's session is locked.
  private(set) var waiting: [Client] = []

  private let loop: EventLoop
  private let changed: () -> Void
  private var monitor: LoginMonitor?
  private var hasWarned = false
  private let timer: EventSource

  /// Who has access to the devices of each seat by being there, by the number of the seat.
  private var presences: [SeatSet.RawValue: Presence] = [:]

  /// The user who had access last at each seat, by the number of the seat.
  private var lastUsers: [SeatSet.RawValue: UInt32] = [:]

  /// Creates an access control that monitors logins from the first client on whose user may be at a seat.
  ///
  /// - Parameters:
  ///   - isEnforced: whether it decides.
  ///   - permissions: what configured users and groups may do.
  ///   - loop: the event loop.
  ///   - changed: called when the access of users may have changed, or clients have waited long enough.
  /// - Throws: why there is no timer.
  init(
    isEnforced: Bool, _ permissions: Permissions, loop: EventLoop, changed: @escaping () -> Void
  ) throws(SystemError) {
    self.isEnforced = isEnforced
    self.loop = loop
    self.changed = changed
    self.permissions = permissions
    timer = try loop.timer(priority: .normal, changed)
  }

  /// Decides whether a client may connect, and what limits it.
  ///
  /// - Throws: `not_permitted`, with the reason and what the user can do.
  func grant(_ client: Client, _ rules: AccessConfiguration) throws(RequestError) {
    client.grant = try grant(client.userID, in: client.groupIDs, rules)
    client.account = Account(userID: client.userID, kind(of: client.userID, rules))
  }

  private func kind(of user: UInt32, _ rules: AccessConfiguration) -> Account.Kind {
    if isPrivileged(user) { return .privileged }
    guard isEnforced else { return .member }
    return permissions.access.names(user) || isAtSeat(user, rules) ? .individual : .member
  }

  private func isPrivileged(_ user: UInt32) -> Bool { user == 0 || user == geteuid() }

  private func isAtSeat(_ user: UInt32, _ rules: AccessConfiguration) -> Bool {
    rules.seat && seats()?.all.contains { $0.users.contains(user) } == true
  }

  private func grant(
    _ user: UInt32, in groupIDs: @autoclosure () -> [UInt32], _ rules: AccessConfiguration
  ) throws(RequestError) -> AccessGrant {
    guard isEnforced, !isPrivileged(user) else { return .always }
    if permissions.access.include(user, in: groupIDs()) { return .always }
    guard rules.seat else {
      throw refusal("access.seat is off in the configuration", rules, canLogIn: false)
    }
    guard seats() != nil else {
      throw refusal(
        "systemd-logind does not run on this machine, so no user is known to be at it", rules,
        canLogIn: false)
    }
    guard isAtSeat(user, rules) else {
      throw refusal(
        "user \(user) has no session at a seat of this machine", rules, canLogIn: true)
    }
    return .seat
  }

  /// Applies a switch to another terminal of which the kernel has not notified yet, and returns whether there was one.
  @discardableResult func applyTerminalSwitch() -> Bool { monitor?.applyTerminalSwitch() ?? false }

  private func refusal(
    _ reason: String, _ rules: AccessConfiguration, canLogIn: Bool
  ) -> RequestError {
    let group = rules.group.map {
      "join the group \($0) and log in again: sudo usermod -aG \($0) $USER"
    }
    let advice = [
      canLogIn ? "log in at the machine itself, not over the network" : nil,
      group ?? "ask its administrator for an entry under access.users",
    ].compactMap(\.self).joined(separator: ", or ")
    return RequestError(.notPermitted, "\(reason); \(advice)")
  }

  /// Who is at the seats; nil if no login manager has run.
  private func seats() -> Seats? {
    if monitor == nil, LoginMonitor.isPossible {
      do throws(SystemError) {
        monitor = try LoginMonitor(loop: loop, changed: changed)
      } catch {
        if !hasWarned { Log.warning("\(error.sentence); no user is known to be at a seat") }
        hasWarned = true
      }
    }
    return monitor?.seats
  }
}

// MARK: - Seats

extension AccessControl {
  /// The seats whose events a user may receive now by being there.
  func seats(of user: UInt32, _ rules: AccessConfiguration) -> SeatSet {
    seats(of: user, rules) { $0 == .granted }
  }

  /// The seats that a user has a session on, active or not.
  func seatsWithSession(of user: UInt32, _ rules: AccessConfiguration) -> SeatSet {
    seats(of: user, rules) { $0 != .refused }
  }

  private func seats(
    of user: UInt32, _ rules: AccessConfiguration, where isIncluded: (Seats.Access) -> Bool
  ) -> SeatSet {
    guard rules.seat, let seats = seats() else { return [] }
    // Seats without a number share one: no user receives their events by being at one of them.
    return seats.all.reduce(into: SeatSet()) { set, seat in
      let access = seats.access(
        of: user, at: seat.name, suspendsWhenLocked: rules.suspendsWhenLocked)
      if isIncluded(access) { set.formUnion(seatNames.set(of: seat.name)) }
    }.subtracting(.unnumbered)
  }

  /// Why a user does not receive the events of a seat; nil if the user does, or has no session on it.
  func suspension(
    of user: UInt32, at seat: String, _ rules: AccessConfiguration
  ) -> SuspensionReason? {
    guard rules.seat, let seats = seats() else { return .unavailable }
    switch seats.access(of: user, at: seat, suspendsWhenLocked: rules.suspendsWhenLocked) {
    case .granted, .refused: return nil
    case .inactive: return .inactive
    case .locked: return .locked
    case .unavailable, .pending: return .unavailable
    }
  }

  /// Whether the access of a user to any seat depends on an answer of the login manager.
  func isPending(_ user: UInt32, _ rules: AccessConfiguration) -> Bool {
    guard rules.seat, let seats = monitor?.seats else { return false }
    return seats.all.contains {
      seats.access(of: user, at: $0.name, suspendsWhenLocked: rules.suspendsWhenLocked) == .pending
    }
  }

  /// Postpones a new client until the login manager has answered.
  func postpone(_ client: Client) {
    waiting.append(client)
    timer.set(noLaterThan: loop.now + AccessControl.patience)
  }

  /// Removes and returns the clients that need not wait any longer.
  func admitWaiting(_ rules: AccessConfiguration) -> [Client] {
    let now = loop.now
    let ready = waiting.filter {
      $0.since + AccessControl.patience <= now || !isPending($0.userID, rules)
    }
    waiting.removeAll { client in ready.contains { $0 === client } }
    timer.set(to: waiting.first.map { $0.since + AccessControl.patience })
    return ready
  }

  /// Closes the connections of all clients that wait.
  func stop() {
    timer.set(to: nil)
    waiting = []
  }
}

// MARK: - Presence

/// An uninterrupted access of a user to the devices of a seat.
private struct Presence {
  let user: UInt32

  /// When it began, in microseconds of CLOCK_MONOTONIC.
  var since: Int64
}

extension AccessControl {
  /// Updates who has access to the devices of each seat.
  ///
  /// - Parameter rules: the configured rules.
  /// - Returns: the seats where an access begins now, and those of them where another user had access before.
  func updatePresences(_ rules: AccessConfiguration) -> (begun: SeatSet, handedOver: SeatSet) {
    var begun = SeatSet()
    var handedOver = SeatSet()
    var current: [SeatSet.RawValue: Presence] = [:]
    if rules.seat, let seats = monitor?.seats {
      for seat in seats.all {
        // No user has this number.
        if seat.wasLeft { lastUsers[seatNames.set(of: seat.name).rawValue] = .max }
        guard let user = seat.activeUser,
          seats.access(
            of: user, at: seat.name, suspendsWhenLocked: rules.suspendsWhenLocked) == .granted
        else { continue }
        let number = seatNames.set(of: seat.name)
        let before = presences[number.rawValue].flatMap { $0.user == user ? $0 : nil }
        if before == nil { begun.formUnion(number) }
        if let last = lastUsers[number.rawValue], last != user { handedOver.formUnion(number) }
        lastUsers[number.rawValue] = user
        current[number.rawValue] = before ?? Presence(user: user, since: loop.now)
      }
    }
    presences = current
    return (begun, handedOver)
  }

  /// Lets accesses begin now, after the unread events from before were read.
  func beginPresences(at seats: SeatSet) {
    for number in presences.keys where seats.contains(SeatSet(rawValue: number)) {
      presences[number]?.since = loop.now
    }
  }

  /// When the access of the user at a seat began, in microseconds of CLOCK_MONOTONIC.
  func presenceBegan(at seat: SeatSet) -> Int64 {
    presences[seat.rawValue]?.since ?? .max
  }
}
