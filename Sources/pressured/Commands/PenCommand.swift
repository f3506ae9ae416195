internal import ArgumentParser
internal import PressureClient
internal import PressureDesktop
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

struct PenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pen", abstract: "Draw with a touchpad as with a pressure-sensitive pen.",
    discussion: """
      Grabs the touchpad and creates a virtual tablet, whose pen follows one finger. It hovers while \
      the finger is light, and draws while it presses, with the finger's force as its pressure. To end \
      it, hold five fingers on the pad for a second, or press Ctrl-C. It also ends if nothing touches the \
      pad for a while, if the session is locked, and if the daemon ends. The pad is then a touchpad again.

      Example: pressured pen --curve soft --area 80x50
      """)

  @Option("Use this pad; necessary if there are several.", value: "id")
  var device: String?

  @Option(
    "The part of the pad that is the screen, in millimeters: WIDTHxHEIGHT, in the middle, or WIDTHxHEIGHT+X+Y; or all.",
    value: "area") var area: String?

  @Option(
    "The shape of the screen, such as 16:9 or 1920x1080; none uses the whole area. By default that of the connected screen.",
    value: "shape") var aspect: String?

  @Option(help: .init("Turn the drawing clockwise: 0, 90, 180 or 270.", valueName: "degrees"))
  var rotate = 0

  @Flag(help: "Move the pen from where it was, as a touchpad does; the default on a small pad.")
  var relative = false

  @Option(
    "With relative positions, the movement of the pen for each millimeter of the finger, 0.1 to 10; 1 by default.",
    value: "factor") var speed: Double?

  @Option(
    help: .init(
      "From force to pressure: soft, linear, firm, or x1,y1,x2,y2, the control points in 0 to 100.",
      valueName: "curve"), completion: .list(PenCurve.names)) var curve = "linear"

  @Option("The force at which the pen touches; 1 is an average touch.", value: "force")
  var tip: Double?

  @Option("The force of the maximum pressure; 1 is an average touch.", value: "force")
  var full: Double?

  @Flag(help: "Press the button of the pen with a hard press of a second finger.")
  var button = false

  @Option(
    "End if nothing touches the pad for this number of minutes, 0.01 to 1440; 5 by default.",
    value: "minutes") var idle: Double?

  @Flag(help: "End the running pen, or start one; for a key binding.")
  var toggle = false

  @Flag(help: "Show what a program would get, without creating a device.")
  var test = false

  @Option("With --test, play this recording.", value: "file", completion: .recording)
  var replay: String?

  @Flag(help: "Let the user at the machine draw; requires root.")
  var allow = false

  @Flag(help: "Revoke --allow; requires root.")
  var forbid = false

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    try require(
      PenRotation(rawValue: rotate) != nil, "--rotate is 0, 90, 180 or 270, not \(rotate)")
    try require(
      PenCurve(curve) != nil,
      "--curve is soft, linear, firm or four numbers from 0 to 100 such as 0,40,60,100, not \(curve.quoted)"
    )
    if let area, area != "all", PenAreaArgument(area) == nil {
      throw ValidationError(
        "--area is a size in millimeters such as 80x50, or with a position 80x50+10+5, not \(area.quoted)"
      )
    }
    if let aspect, aspect != "none", ScreenShape.aspect(aspect) == nil {
      throw ValidationError("--aspect is a shape such as 16:9, or none, not \(aspect.quoted)")
    }
    try require("--speed", speed, in: 0.1...10)
    try require("--idle", idle, in: 0.01...1440)
    try require("--tip", tip, in: 0.05...20)
    try require("--full", full, in: 0.05...20)
    try require((tip ?? 0) < (full ?? .infinity), "--full must be above --tip")
    try require(!relative || area == nil, "--relative and --area exclude each other")
    guard !(test && toggle) else { throw ValidationError("--toggle and --test exclude each other") }
    guard replay == nil || test && socketOptions.path == nil && idle == nil else {
      throw ValidationError("--replay belongs to --test, and excludes --socket and --idle")
    }
  }

  func run() throws(ExitError) {
    if allow || forbid {
      return try Grant.pen.set(allow, by: "pen " + (allow ? "--allow" : "--forbid"))
    }
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
      throw ExitError("a pen is in use already\(whose); pressured pen --toggle ends it", .timedOut)
    }
    // It may have ended meanwhile.
    _ = try SystemError.orExit(.internalError, try lock.endHolder())
  }

  private func draw() throws(ExitError) {
    let number = test ? 0 : UinputAccess.obstacle()
    if number != 0 { throw PenCommand.refusal(number) }
    let daemon: PrivateDaemon?
    let device: ReceivedDevice
    if let replay {
      // A recording begins with the first connection, so the device is that of the file.
      let description = try Recording(path: replay).description
      let surface = try ConfigurationOptions.read().surface(of: description, named: replay)
      let recorded = ReceivedDevice(surface, DeviceID(description), at: replay)
      device = try pad([recorded].compactMap(\.self))
      daemon = try PrivateDaemon(playing: replay, endsWithRecording: !Terminal.isInteractive)
    } else {
      daemon = try PrivateDaemon.startIfNoneRuns(socketOptions)
      let path = daemon?.path ?? socketOptions.path
      let answer = try ConnectionError.orExit(
        try Request("devices").answer(as: [ReceivedDevice].self, at: path))
      guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
      device = try pad(answer.result ?? [])
    }
    let options = try options(device)
    let connection = try socketOptions.connect(to: daemon)
    let failure = try SystemError.orExit(
      .internalError,
      test ? try show(connection, options, device, daemon) : try draw(connection, options))
    if let failure { throw failure }
    withExtendedLifetime(daemon) {}
  }

  // MARK: - The pen

  private func draw(
    _ connection: Connection, _ options: PenSession.Options
  ) throws(SystemError) -> ExitError? {
    let loop = try EventLoop()
    let pen: VirtualPen
    do throws(SystemError) {
      pen = try VirtualPen(options.stroke.mapping)
    } catch {
      return PenCommand.refusal(error.number)
    }
    let session = try PenSession(
      loop: loop, connection: connection, options: options, sink: pen.write)
    try session.watchSignals()
    return try PenCommand.run(session, in: loop)
  }

  private func show(
    _ connection: Connection, _ options: PenSession.Options, _ device: ReceivedDevice,
    _ daemon: PrivateDaemon?
  ) throws(SystemError) -> ExitError? {
    let loop = try EventLoop()
    var session: PenSession?
    let draws = Terminal.isInteractive
    let display = try PenTest(
      loop: loop, mapping: options.stroke.mapping, title: device.name, draws: draws,
      ended: { session?.end(nil) })
    let current = try PenSession(
      loop: loop, connection: connection, options: options,
      sink: { frame in
        display.show(frame)
        return nil
      }, notify: { display.show($0) })
    session = current
    if !draws { try current.watchSignals() }
    let failure = try PenCommand.run(current, in: loop, atEnd: display.close)
    session = nil
    guard let failure, let daemon else { return failure }
    return daemon.end(after: failure)
  }

  /// Runs a session; `atEnd` restores the terminal, as messages are visible only then.
  private static func run(
    _ session: PenSession, in loop: EventLoop, atEnd: () -> Void = {}
  ) throws(SystemError) -> ExitError? {
    if !session.hasEnded {
      session.ended = { loop.stop() }
      _ = try withExtendedLifetime(session) { () throws(SystemError) in try loop.run() }
    }
    atEnd()
    if let reason = session.reason { Log.info("the pen has ended: \(reason)") }
    return session.failure
  }

  private static func refusal(_ number: Int32) -> ExitError {
    let error = SystemError(attempt: "create a virtual pen through /dev/uinput", number: number)
    guard UinputAccess.isRight(number) else { return ExitError(error.sentence, .internalError) }
    return ExitError(
      "\(error.sentence); \(PenSession.advice); pressured pen --test works without it",
      .permissionDenied)
  }

  // MARK: - What the options mean for the pad

  /// The width and the height of a pad that does not report its size, in millimeters.
  private static let nominalSize = [100.0, 60.0]

  /// The default of `--idle`, in minutes.
  private static let defaultIdle = 5.0

  /// The sizes that a pad may have, in millimeters: from a track point's to a table's.
  private static let plausibleSize = 5.0...2000.0

  private func options(_ device: ReceivedDevice) throws(ExitError) -> PenSession.Options {
    let isRecording = replay != nil
    let measuresArea = device.capability == .size
    if measuresArea {
      Log.info(
        "\(device.device) measures the area of the finger, not its force: press with more of the finger for more pressure"
      )
    }
    guard !button || device.isPerContact else {
      throw ExitError(
        "\(device.device) has one force for all fingers, so a second finger cannot press the button of --button",
        .badData)
    }
    let force = PenForce(
      measuresArea: measuresArea, tip: tip, full: full, curve: PenCurve(curve) ?? .linear)
    let chord = device.slots >= 3 ? min(device.slots, 5) : nil
    // What a device states may be anything.
    let stated = device.sizeMillimeters ?? []
    let statesSize = stated.count == 2 && stated.allSatisfy(PenCommand.plausibleSize.contains)
    let sides = statesSize ? stated : PenCommand.nominalSize
    let size = PenArea(x: 0, y: 0, width: sides[0], height: sides[1])
    guard force.tip < force.full else {
      throw ExitError(
        "the pressure begins at --tip \(force.tip.shortDescription), which must be below --full \(force.full.shortDescription)",
        .usage)
    }
    return PenSession.Options(
      device: device.device, seat: isRecording ? nil : DeviceSeat.name(of: device.node),
      stroke: PenStroke(
        force, try mapping(size, device, statesSize: statesSize), hasButton: button, chord: chord),
      pad: size, grab: isRecording ? .none : test ? .wanted : .required,
      idleTime: isRecording ? nil : Int64((idle ?? PenCommand.defaultIdle) * 60_000_000))
  }

  private func mapping(
    _ pad: PenArea, _ device: ReceivedDevice, statesSize: Bool
  ) throws(ExitError) -> PenMapping {
    let isSmall = !statesSize || !PenMapping.isLargeEnough(pad)
    let isRelative = relative || isSmall && area == nil
    guard isRelative || speed == nil else {
      throw ExitError(
        "\(device.device) is used with absolute positions, but --speed needs --relative", .usage)
    }
    let measures = "measures \(pad.width.shortDescription) x \(pad.height.shortDescription) mm"
    if isRelative, !relative {
      let size = statesSize ? measures : "does not report its size"
      Log.info("\(device.device) \(size), so the pen moves from where it was; see --relative")
    }
    var used = pad
    if let area, let argument = PenAreaArgument(area) {
      guard statesSize else {
        throw ExitError(
          "\(device.device) does not report its size, so --area has no unit", .badData)
      }
      guard let chosen = argument.area(on: pad) else {
        throw ExitError(
          "the area \(area) does not fit on \(device.device), which \(measures)", .usage)
      }
      used = chosen
    }
    return PenMapping(
      area: used, aspect: screenAspect(), rotation: PenRotation(rawValue: rotate) ?? .none,
      mode: isRelative ? .relative(speed: speed ?? 1) : .absolute)
  }

  /// The aspect ratio of `--aspect`, or else that of the screen in use; nil if the whole area is used.
  private func screenAspect() -> Double? {
    if let aspect { return aspect == "none" ? nil : ScreenShape.aspect(aspect) }
    guard let screen = ScreenShape.inUse() else {
      Log.info("the kernel lists no screen, so the whole area is used; see --aspect")
      return nil
    }
    Log.info(
      "the drawing has the shape of the screen \(screen.connector), \(screen.mode); see --aspect")
    return screen.aspect
  }

  // MARK: - The pad

  private func pad(_ devices: [ReceivedDevice]) throws(ExitError) -> ReceivedDevice {
    if let device {
      guard let named = devices.first(where: { $0.device == device }) else {
        throw ExitError(
          "there is no device \(device.quoted); \(PenCommand.list(devices))", .noInput)
      }
      guard named.measuresPressure else {
        throw ExitError("\(named.text) does not measure pressure", .badData)
      }
      return named
    }
    let pads = devices.filter(\.measuresPressure)
    guard let pad = pads.first else {
      throw ExitError("no device measures pressure; \(PenCommand.list(devices))", .noInput)
    }
    guard pads.count == 1 else {
      throw ExitError(
        "there are several pads; choose one with --device: \(PenCommand.list(pads))", .usage)
    }
    return pad
  }

  private static func list(_ devices: [ReceivedDevice]) -> String {
    devices.isEmpty ? "the daemon reads no device" : devices.map(\.text).joined(separator: ", ")
  }
}

extension ReceivedDevice {
  fileprivate var text: String { "\(device) (\(name))" }
}
