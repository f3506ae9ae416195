internal import CSystemd
internal import Glibc
internal import PressureSystem

/// What only the bus of the system can answer: whether systemd-logind runs, and whether sessions are locked.
///
/// No call blocks: a login manager that does not answer delays only those who depend on its answer. A signal only
/// causes another request, so that its sender need not be trusted.
final class LoginBus {
  /// A request that is not answered by then is sent again, in microseconds.
  private static let timeout: UInt64 = 5_000_000

  /// The interval of attempts to connect, in microseconds.
  private static let retryInterval: Int64 = 5_000_000

  private static let manager = "org.freedesktop.login1"
  private static let sessions = "/org/freedesktop/login1/session"

  private let loop: EventLoop
  private let changed: () -> Void
  private var bus: OpaquePointer?
  private var retryTimer: EventSource?

  /// Fires if the bus does not answer; sd-bus measures its timeouts only from when the bus has accepted the connection.
  private var answerTimer: EventSource?
  private var requests: [Request] = []
  private var warnings: Set<String> = []

  /// What is known about each session at a seat.
  ///
  /// Also about those that are not active: one that is locked in the background must stay so if the login manager is
  /// restarted before it becomes active.
  private var locks: [String: Lock] = [:]
  private var active: Set<String> = []

  /// Whether the login manager runs, as the bus last reported; true if the bus could never be asked, and nil while it
  /// has not answered.
  private(set) var isLoginManagerRunning: Bool?

  /// Creates the connection; `changed` is called after an answer that differs from the last one.
  init(loop: EventLoop, changed: @escaping () -> Void) {
    self.loop = loop
    self.changed = changed
    retryTimer = try? loop.timer { [unowned self] in connect() }
    answerTimer = try? loop.timer { [unowned self] in warnAboutSilence() }
  }

  deinit { disconnect() }

  /// Whether a session is locked; nil while the login manager has not answered.
  func isLocked(_ session: String) -> Bool? {
    // Without a bus, the active session alone decides.
    guard let known = locks[session] else { return false }
    return known.isLocked
  }

  /// Asks about sessions that are new, and forgets those that have ended; changes of the active ones are reported.
  func track(_ sessions: Set<String>, active: Set<String>) {
    self.active = active
    locks = locks.filter { sessions.contains($0.key) }
    guard bus != nil else { return }
    for session in sessions where locks[session] == nil {
      locks[session] = Lock()
      ask(about: session)
    }
  }
}

private struct Lock {
  /// The last answer of the login manager; nil while there is none.
  var answer: Bool?

  /// Whether the session was locked when the login manager ended.
  ///
  /// It does not store this. After a restart it reports the session as unlocked, and neither a signal nor another answer
  /// follows when the user unlocks it; so it counts as locked until it is reported as locked again.
  var wasLocked = false

  var isLocked: Bool? { wasLocked ? true : answer }
}

// MARK: - The connection

extension LoginBus {
  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func object(_ context: UnsafeMutableRawPointer?) -> LoginBus? {
    context.map { Unmanaged<LoginBus>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Connects to the bus of the system, again after a failure; the last known states apply.
  func connect() {
    disconnect()
    var result = sd_bus_open_system_with_description(&bus, "pressured")
    if result >= 0 {
      result = sd_bus_attach_event(bus, loop.event, Int32(EventLoop.Priority.access.rawValue))
    }
    guard result >= 0 else { return failed(-result) }
    match(
      "type='signal',sender='org.freedesktop.DBus.Local',path='/org/freedesktop/DBus/Local',"
        + "interface='org.freedesktop.DBus.Local',member='Disconnected'"
    ) { _, context, _ in
      LoginBus.object(context)?.failed(ECONNRESET)
      return 0
    }
    match(
      "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
        + "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(LoginBus.manager)'"
    ) { _, context, _ in
      LoginBus.object(context)?.keepLocked()
      LoginBus.object(context)?.askForOwner()
      return 0
    }
    match(
      "type='signal',sender='\(LoginBus.manager)',path_namespace='\(LoginBus.sessions)',"
        + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
    ) { message, context, _ in
      LoginBus.object(context)?.changed(message)
      return 0
    }
    answerTimer?.set(to: loop.now + Int64(LoginBus.timeout))
    askForOwner()
    askAboutSessions()
  }

  private func warnAboutSilence() {
    warn(
      "the system bus does not answer whether systemd-logind runs; "
        + "the last known users at the seats are still served, and no others")
  }

  private func match(_ rule: String, _ callback: @escaping sd_bus_message_handler_t) {
    // Without a signal for changes the answer at the next change of the active session applies. The bus owns the match.
    sd_bus_add_match_async(bus, nil, rule, callback, nil, context)
  }

  private func disconnect() {
    requests = []
    sd_bus_close_unref(bus)
    bus = nil
  }

  /// Keeps sessions locked that are locked now, as the login manager may have been restarted.
  private func keepLocked() {
    for session in locks.keys where locks[session]?.answer == true {
      locks[session]?.wasLocked = true
    }
  }

  private func warn(_ warning: String) {
    if warnings.insert(warning).inserted { Log.warning(warning) }
  }

  /// Lets the active sessions alone decide until the bus can be asked again.
  ///
  /// The last known states apply: a locked session stays locked, and a stopped login manager stopped.
  private func failed(_ number: Int32) {
    warn(
      "cannot ask systemd-logind over the system bus whether sessions are locked: "
        + "\(String(cString: strerror(number))); the active session alone decides who receives events"
    )
    answerTimer?.set(to: nil)
    if isLoginManagerRunning == nil { isLoginManagerRunning = true }
    // Without the bus a restart of the login manager is not noticed.
    keepLocked()
    for session in locks.keys where locks[session]?.answer == nil { locks[session]?.answer = false }
    // The bus may be the caller: it is released by the timer, before the next attempt.
    retryTimer?.set(to: loop.now + LoginBus.retryInterval)
    changed()
  }
}

// MARK: - Requests

private final class Request {
  unowned let bus: LoginBus
  let session: String?
  var slot: OpaquePointer?

  /// Whether the answer may be outdated, and the request has to be sent again.
  var isOutdated = false

  init(_ bus: LoginBus, session: String?) {
    self.bus = bus
    self.session = session
  }

  deinit { sd_bus_slot_unref(slot) }
}

extension LoginBus {
  fileprivate func askForOwner() {
    var message: OpaquePointer?
    sd_bus_message_new_method_call(
      bus, &message, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "NameHasOwner")
    send(message, arguments: [LoginBus.manager], session: nil)
  }

  /// Asks again about the session that a signal is about.
  ///
  /// Any user with a session can cause many signals, so only one request for each session is sent at a time.
  fileprivate func changed(_ signal: OpaquePointer?) {
    var session: UnsafeMutablePointer<CChar>?
    guard let path = sd_bus_message_get_path(signal),
      sd_bus_path_decode(path, LoginBus.sessions, &session) > 0, let session
    else { return }
    defer { free(session) }
    let name = String(cString: session)
    if locks[name] != nil { ask(about: name) }
  }

  fileprivate func askAboutSessions() {
    for session in locks.keys { ask(about: session) }
  }

  fileprivate func ask(about session: String) {
    var path: UnsafeMutablePointer<CChar>?
    guard sd_bus_path_encode(LoginBus.sessions, session, &path) >= 0 else { return }
    defer { free(path) }
    var message: OpaquePointer?
    sd_bus_message_new_method_call(
      bus, &message, LoginBus.manager, path, "org.freedesktop.DBus.Properties", "Get")
    // The request must not start a login manager that was stopped.
    sd_bus_message_set_auto_start(message, 0)
    send(message, arguments: ["org.freedesktop.login1.Session", "LockedHint"], session: session)
  }

  /// Sends a request; while one with the same subject is not answered, it is repeated after the answer instead.
  private func send(_ message: OpaquePointer?, arguments: [String], session: String?) {
    defer { sd_bus_message_unref(message) }
    if let pending = requests.first(where: { $0.session == session }) {
      pending.isOutdated = true
      return
    }
    for argument in arguments {
      _ = argument.withCString {
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0)
      }
    }
    let request = Request(self, session: session)
    let result = sd_bus_call_async(
      bus, &request.slot, message,
      { reply, context, _ in
        guard let context else { return 0 }
        let request = Unmanaged<Request>.fromOpaque(context).takeUnretainedValue()
        request.bus.answered(request, reply)
        return 0
      }, Unmanaged.passUnretained(request).toOpaque(), LoginBus.timeout)
    if result >= 0 { requests.append(request) }
  }

  private func answered(_ request: Request, _ reply: OpaquePointer?) {
    // Keeps the request, and with it the slot of this call, until the end.
    defer { withExtendedLifetime(request) {} }
    requests.removeAll { $0 === request }
    let error = sd_bus_message_get_errno(reply)
    if let session = request.session {
      if request.isOutdated { ask(about: session) }
      locked(session, reply, error)
    } else {
      if request.isOutdated { askForOwner() }
      owner(reply, error)
    }
  }

  private func owner(_ reply: OpaquePointer?, _ error: Int32) {
    guard error == 0 else {
      guard error == ETIMEDOUT else { return failed(error) }
      warnAboutSilence()
      return askForOwner()
    }
    answerTimer?.set(to: nil)
    var value: Int32 = 0
    guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "b")), &value) >= 0 else { return }
    isLoginManagerRunning = value != 0
    // A restarted login manager may have other answers.
    if value != 0 { askAboutSessions() }
    changed()
  }

  private func locked(_ session: String, _ reply: OpaquePointer?, _ error: Int32) {
    guard let before = locks[session] else { return }
    switch error {
    case 0:
      var value: Int32 = 0
      guard sd_bus_message_enter_container(reply, CChar(UInt8(ascii: "v")), "b") >= 0,
        sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "b")), &value) >= 0
      else { return }
      locks[session]?.answer = value != 0
      if value != 0 {
        locks[session]?.wasLocked = false
      } else if before.wasLocked {
        warn(
          "systemd-logind, which does not store whether sessions are locked, reports session \(session) as unlocked "
            + "after a restart; its user receives no events until it has been locked and unlocked again"
        )
      }
    // It does not answer: the last known states apply.
    case ETIMEDOUT:
      warn(
        "systemd-logind does not answer whether sessions are locked; the last known states are used"
      )
      ask(about: session)
    // It does not run, or the session has just begun or ended; asked again with the next change.
    case EHOSTUNREACH, ENXIO, ESRCH, EBADR: break
    default:
      // It refuses to answer about this session, whose being active decides then.
      warn(
        "systemd-logind refuses to report whether sessions are locked: "
          + "\(String(cString: strerror(error))); a session that is active is taken as not locked")
      if before.answer == nil { locks[session]?.answer = false }
    }
    if locks[session]?.isLocked != before.isLocked, active.contains(session) { changed() }
  }
}
