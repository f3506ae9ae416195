internal import ArgumentParser
internal import Glibc
internal import PressureClient
internal import PressureDesktop
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

struct PenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pen",
    abstract: "Draw with a touchpad as with a pressure-sensitive pen.",
    // The parser would omit the options, as there are many.
    usage: """
      pressured pen [--device <id>] [--area <area>] [--aspect <shape>] [--rotate <degrees>] \
      [--relative] [--speed <factor>] [--curve <curve>] [--tip <force>] \
      [--full <force>] [--button] [--idle <minutes>] [--toggle] [--test] [--replay <file>] \
      [--socket <path>]
      """,
    discussion: """
      Grabs the touchpad and creates a virtual tablet, whose pen follows one finger: it hovers while \
      the finger is light, and draws while it presses, with the finger's force as its pressure. To end \
      it, hold five fingers on the pad for a second, or press Ctrl-C; it also ends if nothing touches the \
      pad for a while, if the session is locked, and if the daemon ends. The pad is then a touchpad again.

      Example: pressured pen --curve soft --area 80x50
      """)

  @Option(
    help: ArgumentHelp("Use this pad; necessary if there are several.", valueName: "id"))
  var device: String?

  @Option(
    help: ArgumentHelp(
      "The part of the pad that is the screen, in millimeters: WIDTHxHEIGHT, in the middle, or WIDTHxHEIGHT+X+Y; all, also on a small pad.",
      valueName: "area"))
  var area: String?

  @Option(
    help: ArgumentHelp(
      "The shape of the screen, such as 16:9 or 1920x1080; none uses the whole area. By default that of the connected screen.",
      valueName: "shape"))
  var aspect: String?

  @Option(
    help: ArgumentHelp("Turn the drawing clockwise: 0, 90, 180 or 270.", valueName: "degrees"))
  var rotate = 0

  @Flag(help: "Move the pen from where it was, as a touchpad does; the default on a small pad.")
  var relative = false

  @Option(
    help: ArgumentHelp(
      "With relative positions, the movement of the pen for each millimeter of the finger, 0.1 to 10; 1 by default.",
      valueName: "factor"))
  var speed: Double?

  @Option(
    help: ArgumentHelp(
      "From force to pressure: soft, linear, firm, or x1,y1,x2,y2, the control points in 0 to 100.",
      valueName: "curve"), completion: .list(PenCurve.names))
  var curve = "linear"

  @Option(
    help: ArgumentHelp(
      "The force at which the pen touches; 1 is an average touch.", valueName: "force"))
  var tip: Double?

  @Option(
    help: ArgumentHelp(
      "The force of the maximum pressure; 1 is an average touch.", valueName: "force"))
  var full: Double?

  @Flag(help: "Press the button of the pen with a hard press of a second finger.")
  var button = false

  @Option(
    help: ArgumentHelp(
      "End if nothing touches the pad for this number of minutes, 0.01 to 1440; 5 by default.",
      valueName: "minutes"))
  var idle: Double?

  @Flag(help: "End the pen that is in use, or begin if there is none; for a key binding.")
  var toggle = false

  @Flag(help: "Show what a program would get, without creating a device.")
  var test = false

  @Option(
    help: ArgumentHelp("With --test, play this recording.", valueName: "file"),
    completion: .recording)
  var replay: String?

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    guard PenRotation(rawValue: rotate) != nil else {
      throw ValidationError("--rotate is 0, 90, 180 or 270, not \(rotate)")
    }
    guard PenCurve(curve) != nil else {
      throw ValidationError(
        "--curve is soft, linear, firm or four numbers from 0 to 100 such as 0,40,60,100, not \(curve.quoted)"
      )
    }
    if let area, area != "all", PenAreaArgument(area) == nil {
      throw ValidationError(
        "--area is a size in millimeters such as 80x50, or with a position 80x50+10+5, not \(area.quoted)"
      )
    }
    if let aspect, aspect != "none", ScreenShape.aspect(aspect) == nil {
      throw ValidationError("--aspect is a shape such as 16:9, or none, not \(aspect.quoted)")
    }
    guard (0.1...10).contains(speed ?? 1) else {
      throw ValidationError("--speed must be from 0.1 to 10")
    }
    guard (0.01...1440).contains(idle ?? PenCommand.defaultIdle) else {
      throw ValidationError("--idle must be from 0.01 to 1440 minutes")
    }
    for (name, force) in [("--tip", tip), ("--full", full)] {
      if let force, !(0.05...20).contains(force) {
        throw ValidationError("\(name) must be from 0.05 to 20, where 1 is an average touch")
      }
    }
    if let tip, let full, tip >= full {
      throw ValidationError("--full must be above --tip")
    }
    guard !relative || area == nil else {
      throw ValidationError("--relative and --area exclude each other")
    }
    guard !(test && toggle) else { throw ValidationError("--toggle and --test exclude each other") }
    guard replay == nil || test && socketOptions.path == nil && idle == nil else {
      throw ValidationError("--replay belongs to --test, and excludes --socket and --idle")
    }
  }

  func run() throws {
    try reportingErrors { () throws(ExitError) in
      if test { return try draw() }
      guard let path = PenLock.path else {
        guard toggle else { return try draw() }
        throw ExitError("--toggle needs $XDG_RUNTIME_DIR, which a login session sets", .usage)
      }
      let lock = try SystemError.orExit(.cannotCreate, try PenLock(opening: path))
      // Of two that are started at the same time, one gets the lock, and the other one ends it.
      guard let process = lock.acquire() else {
        try draw()
        return withExtendedLifetime(lock) {}
      }
      guard toggle else {
        let whose = process > 0 ? ", process \(process)" : ""
        throw ExitError(
          "a pen is in use already\(whose); pressured pen --toggle ends it", .timedOut)
      }
      // One that has just ended by itself has ended all the same.
      _ = try SystemError.orExit(.internalError, try lock.endHolder())
    }
  }

  private func draw() throws(ExitError) {
    let number = test ? 0 : UinputAccess.obstacle()
    if number != 0 {
      var refusal = PenCommand.refusal(number)
      let daemon = DaemonFinding(of: socketOptions.path)
      if daemon.path != nil, !daemon.permitsControl {
        refusal.sentences.append("it also needs control: " + PenSession.controlAdvice)
      }
      throw refusal
    }
    let daemon = try privateDaemon()
    let device = try pad(try socketOptions.connect(to: daemon))
    let options = try options(device, isRecording: replay != nil)
    let connection = try socketOptions.connect(to: daemon)
    let failure = try SystemError.orExit(
      .internalError,
      test ? try show(connection, options, device, daemon) : try draw(connection, options))
    if let failure { throw failure }
    withExtendedLifetime(daemon) {}
  }

  private func privateDaemon() throws(ExitError) -> PrivateDaemon? {
    guard let replay else { return try PrivateDaemon.startIfNoneRuns(socketOptions) }
    return try PrivateDaemon.playing(replay, endsWithRecording: !Terminal.isInteractive)
  }
}

// MARK: - The pen

extension PenCommand {
  private func draw(
    _ connection: Connection, _ options: PenSession.Options
  ) throws(SystemError) -> ExitError? {
    let loop = try EventLoop()
    let pen: VirtualPen
    do throws(SystemError) {
      pen = try VirtualPen(options.mapping)
    } catch {
      return PenCommand.refusal(error.number)
    }
    let session = try PenSession(loop: loop, connection: connection, options: options) {
      (frame) -> SystemError? in
      do throws(SystemError) {
        try pen.write(frame)
        return nil
      } catch {
        return error
      }
    }
    try session.watchSignals()
    try PenCommand.run(session, in: loop)
    if let reason = session.reason { Log.info("the pen has ended: \(reason)") }
    return session.failure
  }

  private func show(
    _ connection: Connection, _ options: PenSession.Options, _ device: ReceivedDevice,
    _ daemon: PrivateDaemon?
  ) throws(SystemError) -> ExitError? {
    let loop = try EventLoop()
    var session: PenSession?
    let draws = Terminal.isInteractive
    let display = try PenTest(
      loop: loop, mapping: options.mapping, title: device.name, draws: draws,
      ended: { session?.end(nil) })
    let current = try PenSession(
      loop: loop, connection: connection, options: options,
      sink: { frame in
        display.show(frame)
        return nil
      }, notify: { display.show($0) })
    session = current
    if !draws { try current.watchSignals() }
    try PenCommand.run(current, in: loop)
    // The messages are visible only after the terminal was restored.
    display.close()
    session = nil
    if let reason = current.reason { Log.info("the pen has ended: \(reason)") }
    guard let failure = current.failure, let daemon else { return current.failure }
    let error = daemon.end()
    return daemon.endsWithRecording && failure.status == ExitError.Status.noDaemon.rawValue
      ? error : error ?? failure
  }

  private static func run(_ session: PenSession, in loop: EventLoop) throws(SystemError) {
    guard !session.hasEnded else { return }
    session.ended = { loop.stop() }
    _ = try withExtendedLifetime(session) { () throws(SystemError) in try loop.run() }
  }

  /// The exit error if the device cannot be created.
  private static func refusal(_ number: Int32) -> ExitError {
    let error = SystemError(attempt: "create a virtual pen through /dev/uinput", number: number)
    guard let advice = UinputAccess.advice(for: number) else {
      return ExitError(error.sentence, .internalError)
    }
    return ExitError(
      "\(error.sentence); \(advice); pressured pen --test works without it", .permissionDenied)
  }
}
