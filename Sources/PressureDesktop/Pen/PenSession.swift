internal import Glibc
package import PressureClient
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// Turns the contacts of a pad into a pen, from the grab to one of the ways out.
///
///     connection ──▶ line ──▶ contacts ──▶ stroke ──▶ frame ──▶ sink
///
///     starting ──▶ waiting until nothing touches the pad ──▶ drawing ──▶ ended
///
/// The daemon ends the grab with the connection, so that the pad is the desktop's again however this program ends.
package final class PenSession {
  package struct Options {
    package var device: String

    /// The seat of the pad; nil for a recording.
    package var seat: String?

    /// The stroke before the first contact.
    package var stroke: PenStroke

    /// The pad, of its real or nominal size.
    package var pad: PenArea

    package var grab: Grab

    /// The session ends if nothing touches the pad for this time, in microseconds; nil if it does not.
    package var idleTime: Int64?

    package init(
      device: String, seat: String?, stroke: PenStroke, pad: PenArea, grab: Grab, idleTime: Int64?
    ) {
      (self.device, self.seat, self.stroke) = (device, seat, stroke)
      (self.pad, self.grab, self.idleTime) = (pad, grab, idleTime)
    }
  }

  /// Whether a session needs the pad for itself.
  package enum Grab {
    case required
    /// Without the grab the pad moves the pointer as well.
    case wanted
    /// The pad is not a kernel device.
    case none
  }

  /// The pause before another attempt to grab a pad that is touched, in microseconds.
  private static let retryInterval: Int64 = 500_000

  /// Why the session ended, for the log; nil if a signal ended it.
  package private(set) var reason: String?

  package private(set) var failure: ExitError?

  package private(set) var hasEnded = false

  package var ended: () -> Void = {}

  private let loop: EventLoop
  private let connection: Connection
  private let options: Options
  private let sink: (PenFrame) -> SystemError?
  private let notify: (String) -> Void
  private var touches: [PenTouch] = []
  private var stroke: PenStroke
  private var monitor: LoginMonitor?

  /// The user whose session was active on the pad's seat at the start: not the one that this program runs as, which may
  /// be root.
  private var user: UInt32?

  private var isActive = false
  private var isGrabRequested = false
  private var isWaitLogged = false
  private var lastTouch: Int64 = 0

  private var sources: [EventSource] = []
  private var source: EventSource?
  private var strokeTimer: EventSource?
  private var idleTimer: EventSource?
  private var retryTimer: EventSource?

  /// Starts a session on a connection on which nothing has been sent yet; `sink` returns why it refuses a frame.
  package init(
    loop: EventLoop, connection: Connection, options: Options,
    sink: @escaping (PenFrame) -> SystemError?, notify: @escaping (String) -> Void = Log.info
  ) throws(SystemError) {
    (self.loop, self.connection, self.options) = (loop, connection, options)
    (self.sink, self.notify) = (sink, notify)
    stroke = options.stroke
    lastTouch = loop.now
    strokeTimer = try loop.timer { [weak self] in self?.update() }
    idleTimer = try loop.timer { [weak self] in self?.checkIdle() }
    retryTimer = try loop.timer { [weak self] in self?.requestGrab() }
    source = try loop.watch(connection.descriptor, for: .reading) { [weak self] in
      self?.transfer($0)
    }
    if options.seat != nil, LoginMonitor.isPossible {
      monitor = try LoginMonitor(loop: loop) { [weak self] in self?.checkSession() }
      checkSession()
    }
    if let idleTime = options.idleTime { idleTimer?.set(to: loop.now + idleTime) }
    send(
      Request.subscribe(
        events: [.device, .weight, .access], devices: [options.device], maximumRate: 0))
    if options.grab == .none { begin() } else { requestGrab() }
  }

  /// Ends the session on a signal, for an owner without a terminal.
  ///
  /// A process that is stopped by Ctrl-Z would keep the pad, so that ends it, too.
  package func watchSignals() throws(SystemError) {
    sources += try loop.onSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]) { [weak self] _ in
      self?.end(nil)
    }
  }

  /// Ends the session; without a reason for the log, a person asked for it.
  package func end(_ reason: String?) {
    guard !hasEnded else { return }
    hasEnded = true
    self.reason = reason
    isActive = false
    stroke.leave { _ = sink($0) }
    (source, strokeTimer, idleTimer, retryTimer, monitor) = (nil, nil, nil, nil, nil)
    ended()
  }

  private func fail(_ error: ExitError) {
    guard !hasEnded else { return }
    failure = error
    end(nil)
  }

  // MARK: - Frames

  private func update() {
    guard isActive else { return }
    var failure: SystemError?
    stroke.update(with: touches, at: loop.now) { frame in
      if failure == nil { failure = sink(frame) }
    }
    if let failure { return fail(ExitError(failure.sentence, .internalError)) }
    if stroke.hasEnded { return end("fingers were held on the pad") }
    if stroke.deadline != strokeTimer?.moment { strokeTimer?.set(to: stroke.deadline) }
  }

  private func checkIdle() {
    guard let idleTime = options.idleTime else { return }
    if !touches.isEmpty { lastTouch = loop.now }
    guard loop.now >= lastTouch + idleTime else {
      idleTimer?.set(to: lastTouch + idleTime)
      return
    }
    let minutes = (Double(idleTime) / 60_000_000).shortDescription
    end("nothing touched the pad for \(minutes) \(idleTime == 60_000_000 ? "minute" : "minutes")")
  }

  // MARK: - The daemon

  private func transfer(_ readiness: Readiness) {
    do throws(ConnectionError) {
      if readiness.contains(.writing) {
        try connection.flush()
        source?.watch(for: connection.readiness)
      }
      for line in try connection.receive() where !hasEnded { handle(ReceivedEvent(line: line)) }
    } catch {
      fail(ExitError(error))
    }
  }

  private func send(_ request: Request) {
    var lines = JSONLinesWriter()
    lines.append(request)
    do throws(ConnectionError) {
      try connection.send(lines)
      source?.watch(for: connection.readiness)
    } catch {
      fail(ExitError(error))
    }
  }

  private func handle(_ event: ReceivedEvent) {
    switch event {
    case .reply(let reply): handle(reply)
    case .weight(let weight) where weight.device == options.device:
      touches = weight.contacts.compactMap { PenTouch($0, on: options.pad) }
      if !touches.isEmpty {
        lastTouch = loop.now
      } else if !isActive {
        return requestGrab()
      }
      update()
    case .device(let device)
    where device.change == .known(.removed) && device.device == options.device:
      // A recording that has ended is no failure.
      if options.grab == .none { return end(nil) }
      fail(
        device.stopping == true
          ? ExitError("the daemon has stopped", .noDaemon)
          : ExitError("\(device.device) was removed", .noInput))
    case .access(let access) where access.state == .suspended && access.seat == options.seat:
      endWithSession(access.sentence)
    case .hello, .device, .contact, .weight, .maximumForce, .heaviest, .press, .scale, .action,
      .access, .missed, .other:
      break
    }
  }

  private func handle(_ reply: ReceivedReply) {
    guard reply.verb == "grab" else {
      if !reply.isSuccess { fail(ExitError(reply.error)) }
      return
    }
    isGrabRequested = false
    if reply.isSuccess { return begin() }
    switch (reply.error?.code, reply.error?.reason) {
    case (.known(.busy), .known(.touched)):
      if !isWaitLogged { notify("take your fingers off the pad, so that the pen can begin") }
      isWaitLogged = true
      retryTimer?.set(to: loop.now + PenSession.retryInterval)
    case (.known(.tooFast), _): retryTimer?.set(to: loop.now + PenSession.retryInterval)
    case _ where options.grab == .required:
      var failure = ExitError(reply.error)
      if reply.error?.code == .known(.notPermitted) { failure.sentences.append(PenSession.advice) }
      fail(failure)
    case (let code, let reason):
      // In use, the pad does not move the pointer, either.
      let isInUse = code == .known(.busy) && reason == .known(.inUse)
      let sentence = ExitError(reply.error).sentences.joined()
      notify(isInUse ? sentence : "the pad also moves the pointer meanwhile: \(sentence)")
      begin()
    }
  }

  /// What a user does who may not create the pen or withhold the pad.
  package static let advice = "to let the user at the machine draw, run: sudo pressured pen --allow"

  private func requestGrab() {
    guard !isActive, !isGrabRequested, !hasEnded, options.grab != .none else { return }
    isGrabRequested = true
    retryTimer?.set(to: nil)
    send(Request.grab(options.device, isOn: true))
  }

  private func begin() {
    isActive = true
    // The daemon grabs only a pad that nothing touches.
    touches = []
    lastTouch = loop.now
    let state = options.grab == .required ? "is a pen now" : "is shown as a pen would draw with it"
    // Nobody touches a recording.
    let fingers = options.grab == .none ? nil : options.stroke.chord
    let chord = fingers.map { "hold \($0) fingers on it for a second, or " } ?? ""
    notify("the pad \(options.device) \(state); to end it, \(chord)press Ctrl-C")
  }

  // MARK: - The user's session

  /// Ends the pen when the session that was active on the pad's seat is locked or no longer active.
  ///
  /// The daemon reports this only to clients that depend on it, and not to root or to members of its group.
  private func checkSession() {
    guard let seats = monitor?.seats else { return }
    let seat = seats.all.first { $0.name == options.seat }
    if user == nil { user = seat?.activeUser }
    guard let user else { return }
    if seat?.activeUser != user {
      endWithSession("the session is no longer active")
    } else if seat?.isLocked == true {
      endWithSession("the session is locked")
    }
  }

  /// Ends the pen; without one it is a failure, so that a key binding can tell.
  private func endWithSession(_ reason: String) {
    if isActive { end(reason) } else { fail(ExitError("no pen now: \(reason)", .timedOut)) }
  }
}
