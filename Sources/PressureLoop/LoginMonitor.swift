internal import CSystemd
internal import Glibc
package import PressureSystem

/// Monitors which user has the active session on each seat.
///
/// systemd-logind publishes sessions as files, which `sd-login` reads without a request, and which the sandbox of the
/// service need not hide. They are outdated while logind is not running or does not answer, so two sources are
/// compared with them: the kernel's active virtual terminal, which no session of another terminal can be on, and
/// logind's name on the bus.
///
///     /run/systemd/seats, sessions ──┐
///     /sys/class/tty/tty0/active ────┼──▶ seats ──▶ changed
///     bus: LockedHint, name owner ───┘
package final class LoginMonitor {
  /// Whether a login manager has run since the machine was started: the first seat always exists.
  package static var isPossible: Bool { access("/run/systemd/seats/seat0", F_OK) == 0 }

  package private(set) var seats = Seats()

  private let loop: EventLoop
  private let changed: () -> Void
  private var folders: [(monitor: OpaquePointer?, source: EventSource)] = []
  private var terminal: VirtualTerminal?

  /// The number of the active terminal that `seats` is based on.
  private var terminalNumber: UInt32?

  /// Whether the kernel has not yet notified of the switch to that terminal.
  private var expectsNotice = false
  private var bus: LoginBus?
  private var isStarted = false

  /// Starts to monitor; `changed` is called after `seats` has changed.
  package init(loop: EventLoop, changed: @escaping () -> Void) throws(SystemError) {
    self.loop = loop
    self.changed = changed
    for category in ["seat", "session"] {
      var monitor: OpaquePointer?
      try SystemError.check(sd_login_monitor_new(category, &monitor), "monitor logins")
      let source = try loop.watch(
        sd_login_monitor_get_fd(monitor), for: .reading, priority: .access
      ) { [unowned self, monitor] _ in
        sd_login_monitor_flush(monitor)
        refresh()
      }
      folders.append((monitor, source))
    }
    terminal = VirtualTerminal(in: loop) { [unowned self] in
      if !applyTerminalSwitch() { refresh() }
    }
    bus = LoginBus(loop: loop) { [unowned self] in refresh() }
    bus?.connect()
    seats = current()
    isStarted = true
  }

  deinit {
    for folder in folders { sd_login_monitor_unref(folder.monitor) }
  }

  package func refresh() {
    guard isStarted else { return }
    let state = current()
    guard state != seats else { return }
    seats = state
    changed()
  }

  /// Reads the state again if the kernel has notified of a switch to another terminal, and returns whether it has.
  ///
  /// One system call, as it precedes the delivery of each frame; the login manager learns of a switch in the same way. Without another
  /// number a notification tells of a switch away and back, which a busy daemon would otherwise miss.
  package func applyTerminalSwitch() -> Bool {
    guard let terminal, terminal.takeNotice() else { return false }
    let number = terminal.number
    if number != terminalNumber {
      (terminalNumber, expectsNotice) = (number, false)
      refresh()
      return true
    }
    defer { expectsNotice = false }
    guard !expectsNotice, isStarted else { return false }
    let present = seats
    for index in seats.all.indices where seats.all[index].name == DeviceSeat.standard {
      seats.all[index].activeUser = nil
      seats.all[index].wasLeft = true
    }
    if seats != present { changed() }
    seats = present
    refresh()
    changed()
    return true
  }

  private func current() -> Seats {
    let number = terminal?.number
    if isStarted, number != terminalNumber { expectsNotice = terminal?.takeNotice() == false }
    terminalNumber = number
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    guard sd_get_seats(&names) >= 0 else { return Seats(isCurrent: false) }
    let seats = LoginMonitor.strings(names).map { LoginMonitor.seat($0, terminal: number) }
    bus?.track(Set(seats.flatMap(\.sessions)), active: Set(seats.compactMap(\.active)))
    let states = seats.map { seat in
      var state = seat.state
      if let session = seat.active, let bus { state.isLocked = bus.isLocked(session) }
      return state
    }
    return Seats(all: states, isCurrent: bus.map(\.isLoginManagerRunning) ?? true)
  }
}

// MARK: - The files of the login manager

private struct SeatRecord {
  var state: Seats.Seat

  /// The session that is active, and neither being closed nor of another terminal than the kernel's.
  var active: String?

  var sessions: [String] = []
}

extension LoginMonitor {
  /// How long `seatsNow` waits for the system bus, in microseconds.
  private static let timeout: Int64 = 2_000_000

  /// Who is at the seats now; nil if no login manager has run.
  package static func seatsNow() -> Seats? {
    guard isPossible, let loop = try? EventLoop(), let timer = try? loop.timer({ loop.stop() })
    else { return nil }
    var monitor: LoginMonitor?
    defer { monitor = nil }
    monitor = try? LoginMonitor(loop: loop) {
      if monitor?.seats.isCurrent != nil { loop.stop() }
    }
    timer.set(to: loop.now + timeout)
    if monitor?.seats.isCurrent == nil { _ = try? loop.run() }
    return withExtendedLifetime(timer) { monitor?.seats }
  }

  private static func seat(_ name: String, terminal current: UInt32?) -> SeatRecord {
    var record = SeatRecord(state: Seats.Seat(name: name))
    var sessions: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var users: UnsafeMutablePointer<uid_t>?
    var count: UInt32 = 0
    if sd_seat_get_sessions(name, &sessions, &users, &count) >= 0, let users {
      record.state.users = Set(UnsafeBufferPointer(start: users, count: Int(count)))
    }
    free(users)
    record.sessions = strings(sessions)
    var text: UnsafeMutablePointer<CChar>?
    var state: UnsafeMutablePointer<CChar>?
    var user = uid_t.max
    guard sd_seat_get_active(name, &text, &user) >= 0, let session = string(text),
      // A session that is being closed can still be the active one.
      sd_session_get_state(session, &state) >= 0, string(state) == "active"
    else { return record }
    // A session has a virtual terminal only on the first seat.
    var terminal: UInt32 = 0
    if let current, sd_session_get_vt(session, &terminal) >= 0, terminal > 0, terminal != current {
      return record
    }
    record.state.activeUser = user
    record.state.users.insert(user)
    record.active = session
    return record
  }

  /// Copies and frees a string of libsystemd.
  private static func string(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    defer { free(text) }
    return text.map { String(cString: $0) }
  }

  private static func strings(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> [String] {
    guard let list else { return [] }
    defer { free(list) }
    var texts: [String] = []
    var index = 0
    while let text = string(list[index]) {
      texts.append(text)
      index += 1
    }
    return texts
  }
}

/// The kernel's active virtual terminal, which changes before the login manager notices.
private final class VirtualTerminal {
  private let file: Descriptor

  /// Only for notifications: reading a descriptor takes those that it has.
  private let notices: Descriptor
  private var source: EventSource?

  /// Calls `changed` after each switch, until it has taken the notice; nil if this machine has no virtual terminals.
  init?(in loop: EventLoop, changed: @escaping () -> Void) {
    let descriptors = (0..<2).map { _ in
      open("/sys/class/tty/tty0/active", O_RDONLY | O_CLOEXEC)
    }
    file = Descriptor(descriptors[0])
    notices = Descriptor(descriptors[1])
    guard descriptors.allSatisfy({ $0 >= 0 }) else { return nil }
    _ = takeNotice()
    // Without a notification it is still read with each change that the login manager reports.
    source = try? loop.watch(notices.number, for: .exceptional, priority: .access) { _ in changed()
    }
  }

  /// Whether the kernel has notified of a switch since the last call.
  func takeNotice() -> Bool {
    var state = pollfd(fd: notices.number, events: Int16(POLLPRI), revents: 0)
    guard poll(&state, 1, 0) > 0, state.revents & Int16(POLLPRI) != 0 else { return false }
    _ = VirtualTerminal.read(notices.number)
    return true
  }

  var number: UInt32? { VirtualTerminal.read(file.number) }

  /// Reads a name such as `tty2`.
  private static func read(_ descriptor: Int32) -> UInt32? {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
      let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
      let name = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
      return name.hasPrefix("tty") ? UInt32(name.dropFirst(3).prefix { $0.isNumber }) : nil
    }
  }
}
