internal import ArgumentParser
internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

struct PracticeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "practice",
    abstract: "Practice presses, and find the sensitivity that recognizes them.",
    discussion: """
      Asks for ten clicks, force clicks, drags, scrolls and resting fingers, and shows what each is \
      recognized as. In the end it compares your settings with each feel, and proposes one if it \
      recognizes more; in a terminal it asks whether to write that into the configuration, which the \
      daemon then reads. A gesture ends when nothing has touched the surface for 0.7 s.

      With --output it keeps a recording, which contains touches only, as that of record. The \
      recording gives the same results with --replay and the same --times; attach it to a bug report.

      Example: pressured practice --times 5 --output practice.evemu
      """)

  @OptionGroup var nodeOptions: NodeOptions

  @Option(help: .init("Ask for each gesture this many times, 1 to 50.", valueName: "number"))
  var times = 10

  @Option(
    "Write the gestures to this file.", value: "file", name: .shortAndLong,
    completion: .newRecording) var output: String?

  @Flag(help: "Grab the device, so that its touches do not move the pointer or click.")
  var grab = false

  @Option("Evaluate this recording of an earlier practice.", value: "file", completion: .recording)
  var replay: String?

  func validate() throws {
    try require("--times", Double(times), in: 1...50)
    if let output, RecordingFormat.writer(for: output) == nil {
      throw ValidationError("the file name \(output) must end in .evemu, .events, .yml or .yaml")
    }
    try require(
      replay == nil || nodeOptions.node == nil && output == nil && !grab,
      "--replay excludes a node, --output and --grab")
  }

  func run() throws(ExitError) {
    let configuration = try ConfigurationErrors.orExit(
      try ConfigurationFile.read(at: location, accepting: .any))
    if let replay {
      try evaluate(replay, configuration)
    } else {
      try practice(configuration)
    }
  }

  private func practice(_ configuration: Configuration) throws(ExitError) {
    let device = try nodeOptions.open(configuration)
    let session = try session(device.description, configuration, named: device.node)
    if grab, !(try SystemError.orExit(.noInput, try device.grab())) {
      throw ExitError(
        "something touches \(device.node); take everything off it, and try again", .timedOut)
    }
    if let output {
      try SystemError.orExit(making: output, try RecordedFile.check(output))
    }
    let performed = try SystemError.orExit(.cannotCreate, try practice(session, on: device))
    // First, as the file may not be writable.
    for line in PracticeText.results(performed, for: file) { StandardOutput.print(line) }
    try write(performed, of: device)
    if let feel = performed.proposal, Terminal.isInteractive { try offer(feel) }
  }

  /// Asks whether to use a feel, writes it into the configuration, and has the service read it.
  private func offer(_ feel: PressFeel) throws(ExitError) {
    print("Write feel: \(feel.rawValue) into \(file)? [y/N] ", terminator: "")
    fflush(nil)
    guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else { return }
    try Grant.edit(file, [.feel(feel)])
    let reload = ["systemctl", "try-reload-or-restart", "pressured.service"]
    let isInForce = file == ConfigurationLocation.system.path && UnitFinding.run(reload) != nil
    print(
      isInForce
        ? "Done: it is in force."
        : "Done: a daemon that reads this file uses it from its next start.")
  }

  /// The configuration to which the results refer: the user's own if there is one, else that of the service.
  private var location: ConfigurationLocation {
    guard let own = ConfigurationLocation.usual(), access(own.path, F_OK) == 0 else {
      return .ofService
    }
    return own
  }

  private var file: String { location.path }

  private func session(
    _ description: DeviceDescription, _ configuration: Configuration, named name: String
  ) throws(ExitError) -> PracticeSession {
    let surface = try configuration.surface(of: description, named: name)
    guard !surface.simulatesPress else {
      throw ExitError(
        "\(name): its presses are simulated by resting a finger, so no feel applies to it", .badData
      )
    }
    return PracticeSession(
      on: surface, configuration: configuration, device: DeviceID(surface.description), times: times
    )
  }

  // MARK: - A recording

  /// Evaluates the gestures in a recording; if it has an error, those before it.
  private func evaluate(_ path: String, _ configuration: Configuration) throws(ExitError) {
    let recording = try Recording(path: path)
    defer { for warning in recording.warnings { Log.info(warning) } }
    var session = try session(recording.description, configuration, named: path)
    var (failure, hasMore) = (ExitError?.none, false)
    do throws(ExitError) {
      while let event = try recording.next() {
        if session.current == nil, event.code == .trackingID { hasMore = true }
        session.receive(event)
      }
    } catch {
      failure = error
    }
    session.finish()
    for index in session.performed.indices {
      StandardOutput.print(PracticeText.outcome(index, in: session))
    }
    for line in PracticeText.results(session, for: file) { StandardOutput.print(line) }
    if hasMore || session.current != nil {
      Log.info(
        """
        \(path) has \(hasMore ? "more" : "fewer") gestures than --times \(times) asks for; \
        use the same number
        """)
    }
    if let failure { throw failure }
  }

  /// Writes the gestures, each with a comment at its end.
  private func write(_ session: PracticeSession, of device: EvdevDevice) throws(ExitError) {
    guard let output, let writer = RecordingFormat.writer(for: output), !session.performed.isEmpty
    else { return }
    let file = try SystemError.orExit(making: output, try RecordedFile(path: output))
    do throws(SystemError) {
      try file.append(writer.header(of: device.description.touchOnly, at: device.node))
      var events: [InputEvent] = []
      var comment: String? = "The initial state of the device."
      var written = 0
      for (index, event) in session.events.enumerated() {
        events.append(event)
        guard event.code == .report else { continue }
        if written < session.performed.count, index + 1 >= session.performed[written].end {
          comment = PracticeText.outcome(written, in: session)
          written += 1
        }
        try file.append(writer.text(of: events, since: device.openedAt, comment: comment))
        (events, comment) = ([], nil)
      }
      try file.finish()
      Log.info("\(output): \(written == 1 ? "1 gesture" : "\(written) gestures")")
    } catch {
      throw ExitError(error.sentence, .cannotCreate)
    }
  }

  // MARK: - A device

  private func practice(
    _ session: PracticeSession, on device: EvdevDevice
  ) throws(SystemError) -> PracticeSession {
    let loop = try EventLoop()
    var practice: Practice?
    // It holds itself through the source; its terminal must be restored before an error is printed.
    defer { practice = nil }
    let source = TouchReader(device) { frame in
      for event in frame { practice?.receive(event) }
    }
    var session = session
    session.begin(with: device.stateEvents.filter(\.code.isTouchEvent))
    let current = try Practice(
      session, name: device.description.name, file: file, loop: loop,
      draws: Terminal.isInteractive, drain: { source.drain() })
    practice = current
    // A grab may have read ahead, for which the descriptor does not become ready.
    source.drain()
    current.update()
    let watch = try loop.watch(device.descriptor, for: .reading) { _ in
      if !source.drain() { loop.stop() }
      current.update()
    }
    _ = try withExtendedLifetime(watch) { () throws(SystemError) in try loop.run() }
    return current.session
  }
}
