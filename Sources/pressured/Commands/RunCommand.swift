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
    try require(
      describe == nil || replay != nil || events != nil,
      "--describe belongs to --replay or --events")
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
    // The socket of the program that starts this one, or of the service manager; nil if there is none.
    var passed = parent == nil ? nil : Listener.fromParentProgram()
    if passed == nil { passed = try Listener.fromSystemd() }
    guard let configuration = try configuration(of: passed) else { return }
    let source = try source(configuration)
    // Blocked before the socket exists, so that a client that can connect can also end the daemon cleanly.
    EventLoop.block(Daemon.signals)
    let listener = if let passed { passed } else { try listener(configuration) }
    let failure = try SystemError.orExit(
      .internalError, try serve(source, on: listener, configuration))
    if let failure { throw failure }
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
      let player = try Player(path: replay, describe: describe, isLooping: loop, speed: speed)
      _ = try configuration.surface(of: player.description, named: replay)
      for warning in player.warnings { Log.info(warning) }
      return .recording(player, exitsAtEnd: exitsAfterRecording)
    }
    if let events, let describe {
      guard EventPipe.isPipe(events) else {
        throw ExitError("\(events) is not a pipe; create one with mkfifo", .noInput)
      }
      let description = try Recording.description(at: describe)
      _ = try configuration.surface(of: description, named: describe)
      return .events(EventPipe(path: events, description: description))
    }
    guard let device else { return .devices(only: nil) }
    do throws(DeviceError) {
      _ = try configuration.surface(of: EvdevDevice(opening: device).description)
    } catch {
      let name = if case .unreadable = error { "" } else { "\(device): " }
      Log.warning("\(name)\(error.sentence); it is served once that has changed")
    }
    return .devices(only: device)
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

  /// Serves until the end; returns the error of a recording.
  private func serve(
    _ source: Daemon.Source, on listener: Listener, _ configuration: Configuration
  ) throws(SystemError) -> ExitError? {
    // Recordings give the same output everywhere, and a pipe may carry the device of another machine.
    let isOfMachine = replay == nil && events == nil
    let folder = isOfMachine ? StateFolder.usual(named: state) : state
    let loop = try EventLoop()
    let daemon = try Daemon(
      loop: loop, configuration: configuration, location: configurationOptions.location,
      source: source, listener: listener,
      calibrations: folder.map { CalibrationStore(stateFolder: $0) })
    ServiceNotifier.refusePrograms()
    ServiceNotifier.ready(daemon.statusText)
    Log.info("serving \(listener.path)")
    if daemon.readsWithoutClients { daemon.startReading() }
    // The event sources of the loop do not retain the daemon.
    _ = try withExtendedLifetime(daemon) { () throws(SystemError) in try loop.run() }
    return daemon.recordingError
  }
}
