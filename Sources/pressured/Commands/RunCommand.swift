internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import PressureDaemon
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Serve touch devices on a socket.",
    discussion: """
      Example: pressured run --socket /run/user/1000/pressured.sock
      and then: socat -u UNIX-CONNECT:/run/user/1000/pressured.sock -

      To serve the touchpad of another machine; its timestamps are shifted to the local clock:

      Example: mkfifo pad; pressured run --events pad --describe pad.evemu
      and then: ssh other cat /dev/input/event5 > pad
      """)

  @Option("Listen at this path.", value: "path", completion: .file())
  var socket: String?

  @Option("Read only this device node.", value: "node", completion: .pressureDevice)
  var device: String?

  @Option("Serve this recording as if it were a device.", value: "file", completion: .recording)
  var replay: String?

  @Option(
    "Serve the raw input events that are written to this pipe.", value: "pipe", completion: .file())
  var events: String?

  @Option(
    "Read the description of the device from this file.", value: "file", completion: .recording)
  var describe: String?

  @Flag(help: "Repeat the recording endlessly.")
  var loop = false

  @Option(help: .init("Play the recording this many times as fast.", valueName: "times"))
  var speed = 1.0

  @Option(
    "Store calibrations in this folder; required to calibrate a recording or a pipe.",
    value: "folder", completion: .directory) var state: String?

  /// The process with which a private daemon ends.
  @Option(name: .customLong("parent-pid"), help: .hidden)
  var parent: Int32?

  @Flag(name: .customLong("ends-with-recording"), help: .hidden)
  var exitsAfterRecording = false

  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    try require(speed.isFinite && speed > 0, "--speed must be a number above 0, not \(speed)")
    try require(replay != nil || (!loop && speed == 1), "--loop and --speed belong to --replay")
    guard [device, replay, events].count(where: { $0 != nil }) <= 1 else {
      throw ValidationError("--device, --replay and --events exclude each other")
    }
    guard describe == nil || replay != nil || events != nil else {
      throw ValidationError("--describe belongs to --replay or --events")
    }
    guard events == nil || describe != nil else {
      throw ValidationError("--events requires --describe with a file that describes the device")
    }
  }

  func run() throws(ExitError) {
    if let parent {
      // The kernel ends this process when its parent exits, which it may have done already.
      pressured_end_with_parent(SIGTERM)
      if getppid() != parent { Glibc.exit(EXIT_SUCCESS) }
      // The parent notices the end of the socket first: its signal must not replace the status of an error.
      EventLoop.block(Daemon.signals)
    }
    let passed = try passedListener()
    guard let configuration = try configuration(of: passed) else { return }
    let source = try source(configuration)
    // Blocked before the socket exists, so that a client that can connect can also end the daemon cleanly.
    EventLoop.block(Daemon.signals)
    let listener = if let passed { passed } else { try listener(configuration) }
    try serve(source, on: listener, configuration)
  }

  /// The socket of the program that starts this one, or of the service manager; nil if there is none.
  private func passedListener() throws(ExitError) -> Listener? {
    if parent != nil, let listener = Listener.fromParentProgram() { return listener }
    return try Listener.fromSystemd()
  }

  /// Reads the configuration; as a service with a socket waits until it is valid, or ends, which is nil.
  private func configuration(of listener: Listener?) throws(ExitError) -> Configuration? {
    let location = configurationOptions.location
    let read = { () throws(ConfigurationErrors) -> Configuration in
      try ConfigurationFile.read(at: location) { Log.warning($0.sentence) }
    }
    do throws(ConfigurationErrors) {
      return try read()
    } catch {
      guard let listener, parent == nil else { throw error.exitError }
      EventLoop.block(Daemon.signals)
      return try SystemError.orExit(
        .internalError,
        try InvalidConfiguration.wait(
          on: listener, because: error, path: location?.path, read: read))
    }
  }

  private func source(_ configuration: Configuration) throws(ExitError) -> Daemon.Source {
    if let replay {
      let player = try player(of: replay, configuration)
      return .recording(player, exitsAtEnd: exitsAfterRecording)
    }
    if let events, let describe {
      return .events(try pipe(at: events, describedIn: describe, configuration))
    }
    if let device { warn(about: device, configuration) }
    return .devices(only: device)
  }

  /// Logs why a named node is not served now; it is as soon as that changes.
  private func warn(about node: String, _ configuration: Configuration) {
    do throws(DeviceError) {
      _ = try configuration.surface(of: EvdevDevice(opening: node).description)
    } catch {
      let name = if case .unreadable = error { "" } else { "\(node): " }
      Log.warning("\(name)\(error.sentence); it is served once that has changed")
    }
  }

  private func player(of path: String, _ configuration: Configuration) throws(ExitError) -> Player {
    let player = try Player(path: path, describe: describe, isLooping: loop, speed: speed)
    _ = try configuration.surface(of: player.description, named: path)
    for warning in player.warnings { Log.info(warning) }
    return player
  }

  private func pipe(
    at path: String, describedIn file: String, _ configuration: Configuration
  ) throws(ExitError) -> EventPipe {
    guard EventPipe.isPipe(path) else {
      throw ExitError("\(path) is not a pipe; create one with mkfifo", .noInput)
    }
    let description = try Recording.description(at: file)
    _ = try configuration.surface(of: description, named: file)
    return EventPipe(path: path, description: description)
  }

  private func listener(_ configuration: Configuration) throws(ExitError) -> Listener {
    let configured = configuration.socket.path
    guard let path = SocketPath.forServing(named: socket, configured: configured) else {
      throw ExitError(
        "no path for the socket: neither $XDG_RUNTIME_DIR nor $HOME is set; use --socket PATH",
        .usage)
    }
    try SystemError.orExit(.cannotCreate, try SocketPath.prepare(path))
    return try Listener.make(at: path, configuration)
  }

  /// The folder with calibrations; nil for recordings and pipes unless `--state` is given.
  ///
  /// Recordings give the same output everywhere, and a pipe may carry the device of another machine.
  private var stateFolder: String? {
    if replay != nil || events != nil { return state }
    return StateFolder.usual(named: state)
  }

  private func serve(
    _ source: Daemon.Source, on listener: Listener, _ configuration: Configuration
  ) throws(ExitError) {
    let error: ExitError?
    do throws(SystemError) {
      let loop = try EventLoop()
      let daemon = try Daemon(
        loop: loop, configuration: configuration, location: configurationOptions.location,
        source: source, listener: listener,
        calibrations: stateFolder.map { CalibrationStore(stateFolder: $0) })
      ServiceNotifier.refusePrograms()
      ServiceNotifier.ready(daemon.statusText)
      Log.info("serving \(listener.path)")
      if daemon.readsWithoutClients { daemon.startReading() }
      // The event sources of the loop do not retain the daemon.
      _ = try withExtendedLifetime(daemon) { () throws(SystemError) in try loop.run() }
      error = daemon.recordingError
    } catch {
      throw ExitError(error.sentence, .internalError)
    }
    if let error { throw error }
  }
}
