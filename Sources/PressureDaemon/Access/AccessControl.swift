internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// Decides which users may connect, and of which seats they receive events.
final class AccessControl {
  /// Whether it decides; otherwise the permissions of the socket's file do.
  var isEnforced: Bool

  var permissions: Permissions
  var seatNames = SeatNames()

  /// Whether connections have waited for the answer that the access depends on now.
  var awaitsAnswer = false

  private let loop: EventLoop
  private let changed: () -> Void
  private var monitor: LoginMonitor?
  private var hasWarned = false

  /// Who has, or had last, uninterrupted access to the devices of each seat by being there, by the number of the seat.
  ///
  /// No user has the number `.max`. `since` is when it began, in microseconds of CLOCK_MONOTONIC; nil if it has ended.
  private var presences: [SeatSet.RawValue: (user: UInt32, since: Int64?)] = [:]

  /// Monitors logins unless seats make no difference; `changed` is called when access may have.
  init(
    isEnforced: Bool, _ configuration: Configuration, loop: EventLoop,
    changed: @escaping () -> Void
  ) {
    self.isEnforced = isEnforced
    self.loop = loop
    self.changed = changed
    permissions = Permissions(configuration)
    if isEnforced, configuration.access.seat { _ = seats() }
  }

  /// Sets the limits of a client, or throws `not_permitted` with what the user can do.
  func grant(_ client: Client, _ rules: AccessConfiguration) throws(RequestError) {
    let user = client.userID
    var (isServedBySeat, kind) = (false, Account.Kind.member)
    if user == 0 || user == geteuid() {
      kind = .privileged
    } else if isEnforced {
      let isNamed = permissions.access.names(user)
      let isAtSeat =
        !isNamed && rules.seat && seats()?.all.contains { $0.users.contains(user) } == true
      if isNamed || isAtSeat { kind = .individual }
      if !permissions.access.include(user, in: client.groupIDs) {
        guard isAtSeat else { throw refusal(of: user, rules) }
        isServedBySeat = true
      }
    }
    client.isServedBySeat = isServedBySeat
    client.account = Account(userID: user, kind: kind)
  }

  private func refusal(of user: UInt32, _ rules: AccessConfiguration) -> RequestError {
    let canLogIn = rules.seat && monitor != nil
    let reason =
      if canLogIn {
        "user \(user) has no session at a seat of this machine"
      } else if rules.seat {
        "systemd-logind does not run on this machine, so no user is known to be at it"
      } else {
        "access.seat is off in the configuration"
      }
    let group = rules.group.map {
      "join the group \($0) and log in again: sudo usermod -aG \($0) $USER"
    }
    let advice = [
      canLogIn ? "log in at the machine itself, not over the network" : nil,
      group ?? "ask its administrator for an entry under access.users",
    ].compactMap(\.self).joined(separator: ", or ")
    return RequestError(.notPermitted, "\(reason); \(advice)")
  }

  /// Applies a switch to another terminal of which the kernel has not notified yet, and returns whether there was one.
  @discardableResult func applyTerminalSwitch() -> Bool { monitor?.applyTerminalSwitch() ?? false }

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
  /// The seats to which a user has one of the accepted kinds of access; by default those whose events the user may receive now.
  func seats(
    of user: UInt32, _ rules: AccessConfiguration,
    where isIncluded: (Seats.Access) -> Bool = { $0 == .granted }
  ) -> SeatSet {
    guard rules.seat, let seats = seats() else { return [] }
    // Seats without a number share one: no user receives their events by being at one of them.
    return seats.all.reduce(into: SeatSet()) { set, seat in
      let access = seats.access(
        of: user, at: seat.name, suspendsWhenLocked: rules.suspendsWhenLocked)
      if isIncluded(access) { set.formUnion(seatNames.set(of: seat.name)) }
    }.subtracting(.unnumbered)
  }

  /// Why a user does not receive the events of a seat; a session that has ended is not active, either.
  func suspension(
    of user: UInt32, at seat: String, _ rules: AccessConfiguration
  ) -> SuspensionReason {
    guard rules.seat, let seats = seats() else { return .unavailable }
    switch seats.access(of: user, at: seat, suspendsWhenLocked: rules.suspendsWhenLocked) {
    case .granted, .refused, .inactive: return .inactive
    case .locked: return .locked
    case .unavailable, .pending: return .unavailable
    }
  }

  /// Whether the access of an active user depends on an answer of the login manager.
  func isPending(_ rules: AccessConfiguration) -> Bool {
    guard isEnforced, rules.seat, let seats = seats() else { return false }
    return seats.isCurrent == nil
      || seats.isCurrent == true
        && seats.all.contains { $0.activeUser != nil && $0.isLocked == nil }
  }
}

// MARK: - Presence

extension AccessControl {
  /// Updates who has access to each seat: returns where an access begins now, and where another user had access before.
  func updatePresences(_ rules: AccessConfiguration) -> (begun: SeatSet, handedOver: SeatSet) {
    var begun = SeatSet()
    var handedOver = SeatSet()
    let before = presences
    for number in presences.keys { presences[number]?.since = nil }
    guard rules.seat, let seats = monitor?.seats else { return (begun, handedOver) }
    for seat in seats.all {
      let number = seatNames.set(of: seat.name)
      if seat.wasLeft { presences[number.rawValue]?.user = .max }
      guard let user = seat.activeUser,
        seats.access(
          of: user, at: seat.name, suspendsWhenLocked: rules.suspendsWhenLocked) == .granted
      else { continue }
      let last = before[number.rawValue]
      let isSame = last?.user == user
      if !isSame || last?.since == nil { begun.formUnion(number) }
      if last != nil, !isSame { handedOver.formUnion(number) }
      presences[number.rawValue] = (user, (isSame ? last?.since : nil) ?? loop.now)
    }
    return (begun, handedOver)
  }

  /// Moves the beginning of an access behind the unread events from before, in microseconds of CLOCK_MONOTONIC.
  func delayPresence(at seat: SeatSet, until time: Timestamp) {
    guard let since = presences[seat.rawValue]?.since else { return }
    presences[seat.rawValue]?.since = max(since, time.microseconds)
  }

  /// When the access of the user at a seat began, in microseconds of CLOCK_MONOTONIC.
  func presenceBegan(at seat: SeatSet) -> Int64 { presences[seat.rawValue]?.since ?? .max }
}

// MARK: - Users and seats

/// The user of a client, and what limits it.
///
/// A user with subordinate user IDs has tens of thousands of them in a user namespace, and keeps its groups there. So a limit for
/// each user ID does not limit those who are served because of a group.
package struct Account: Hashable {
  package enum Kind: Hashable {
    /// Root and the daemon's own user: limits that users share do not apply.
    case privileged
    /// A user that the configuration names, or that has a session at a seat.
    case individual
    /// Any other user: all of them together are limited, too.
    case member
  }

  package let userID: UInt32
  package let kind: Kind
}

/// A set of seats; the names are those of `SeatNames`.
struct SeatSet: OptionSet {
  let rawValue: UInt64

  /// All seats, including those without a number.
  static let all = SeatSet(rawValue: .max)

  /// Seats beyond the limit of `SeatNames`: only clients of all seats receive events of their devices.
  static let unnumbered = SeatSet(rawValue: 1 << 63)
}

/// Assigns a member of `SeatSet` to each seat, so that a frame needs no comparison of names.
struct SeatNames {
  /// The most seats that have a number.
  static let maximum = 63

  /// In the order of their numbers.
  private(set) var names = [DeviceSeat.standard]

  mutating func set(of name: String) -> SeatSet {
    if let number = names.firstIndex(of: name) { return SeatSet(rawValue: 1 << number) }
    guard names.count < SeatNames.maximum else { return .unnumbered }
    names.append(name)
    return SeatSet(rawValue: 1 << (names.count - 1))
  }

  func names(in set: SeatSet) -> [String] {
    names.indices.filter { set.contains(SeatSet(rawValue: 1 << $0)) }.map { names[$0] }
  }
}
