internal import ArgumentParser
internal import PressureClient
internal import PressureDevices
internal import PressureKit
internal import PressureProtocol
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

extension Option {
  /// An option that may be missing, with the name of its value in the help.
  init<Wrapped: ExpressibleByArgument>(
    _ help: String, value: String, name: NameSpecification = .long,
    completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
  }
}

extension ParsableArguments {
  /// Refuses a command line for which a condition does not hold.
  func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(ValidationError) {
    if !condition { throw ValidationError(message()) }
  }

  func require(
    _ option: String, _ value: Double?, in limits: ClosedRange<Double>
  ) throws(ValidationError) {
    guard let value, !limits.contains(value) else { return }
    let (low, high) = (limits.lowerBound.shortDescription, limits.upperBound.shortDescription)
    throw ValidationError("\(option) must be from \(low) to \(high), not \(value.shortDescription)")
  }
}

struct ConfigurationOptions: ParsableArguments {
  @Option(
    "Read the configuration from this file.", value: "file", name: .customLong("config"),
    completion: .settings) var path: String?

  var location: ConfigurationLocation? { .usual(named: path) }

  func read() throws(ExitError) -> Configuration { try ConfigurationOptions.read(path) }

  static func read(_ path: String? = nil) throws(ExitError) -> Configuration {
    try ConfigurationErrors.orExit(
      try ConfigurationFile.read(at: .usual(named: path), accepting: .any))
  }
}

extension Configuration {
  /// The surface of a device; an error begins with the name of its file or node.
  func surface(of description: DeviceDescription, named name: String) throws(ExitError) -> Surface {
    do throws(DeviceError) {
      return try surface(of: description)
    } catch {
      throw ExitError("\(name): \(error.sentence)", .badData)
    }
  }
}

struct RecordingOptions: ParsableArguments {
  @Option(
    "Read the description of the device from this file.", value: "file", completion: .recording)
  var describe: String?

  @Option("Read this device of a recording of several, counted from 1.", value: "number")
  var device: Int?

  func validate() throws {
    try require(
      (device ?? 1) >= 1, "--device is a number from 1 on; --list of replay shows the devices")
  }

  func open(_ path: String) throws(ExitError) -> Recording {
    try Recording(
      path: RecordingOptions.path(path), describe: describe.map(RecordingOptions.path),
      device: device)
  }

  /// The surface of a recorded device; an error names the device to read instead, if the recording has one.
  func surface(
    of recording: Recording, _ configuration: Configuration
  ) throws(ExitError) -> Surface {
    do throws(ExitError) {
      return try configuration.surface(of: recording.description, named: recording.path)
    } catch {
      guard let other = Recording.touchDevice(at: recording.path) else { throw error }
      let advice = "; --device \(other.number) reads \(other.description.name.onOneLine)"
      throw ExitError(error.sentences.joined() + advice, .badData)
    }
  }

  static func path(_ argument: String) -> String {
    argument == "-" ? InputFile.standardInput : argument
  }
}

struct SocketOptions: ParsableArguments {
  @Option(
    "Connect to the daemon at this path.", value: "path", name: .customLong("socket"),
    completion: .file()) var path: String?

  func connect(
    to daemon: PrivateDaemon? = nil, within seconds: Double = Connection.defaultTimeout
  ) throws(ExitError) -> Connection {
    try ConnectionError.orExit(
      try Connection.open(
        at: SocketPath.forClients(named: daemon?.path ?? path),
        before: Deadline(seconds: seconds)))
  }
}

/// Where a view gets its events: from a recording, the daemon, or a private daemon if none runs.
struct SourceOptions: ParsableArguments {
  @Option("Play this recording.", value: "file", completion: .recording)
  var replay: String?

  @Flag(help: "Repeat the recording endlessly.")
  var loop = false

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    guard replay != nil || !loop else { throw ValidationError("--loop belongs to --replay") }
    try require(
      replay == nil || socketOptions.path == nil, "--replay and --socket exclude each other")
  }

  /// Starts a private daemon if a recording is played or no daemon runs.
  func privateDaemon(endsWithRecording: Bool) throws(ExitError) -> PrivateDaemon? {
    guard let replay else { return try PrivateDaemon.startIfNoneRuns(socketOptions) }
    return try PrivateDaemon(
      playing: replay, isLooping: loop, endsWithRecording: endsWithRecording && !loop)
  }
}

extension Request {
  /// The answer on a separate connection, with its path; the result is nil after an error, or if it has another form.
  func answer<Value: Decodable>(
    as type: Value.Type, at path: String?, within seconds: Double = Connection.defaultTimeout
  ) throws(ConnectionError) -> (path: String, reply: ReceivedReply, result: Value?) {
    let deadline = Deadline(seconds: seconds)
    let connection = try Connection.open(at: SocketPath.forClients(named: path), before: deadline)
    let (reply, line) = try connection.ask(self, before: deadline)
    let received = try? LineDecoder.decode(ReceivedResult<Value>.self, from: line)
    return (connection.path, reply, received?.result)
  }
}

extension CompletionKind {
  /// An existing recording, by the usual file name extensions; the content determines the format.
  static var recording: CompletionKind {
    .file(extensions: RecordingFormat.extensions + ["desc", "evtest", "txt", "bin"])
  }

  static var newRecording: CompletionKind { .file(extensions: RecordingFormat.extensions) }

  static var settings: CompletionKind { .file(extensions: ["yaml", "yml"]) }

  static var pressureDevice: CompletionKind {
    .custom { _, _, _ in
      let configuration = configured
      return DeviceFolder.nodes().filter {
        EvdevDevice.touchDevice([$0], configuration)?.surface.measuresPressure == true
      }
    }
  }

  static var action: CompletionKind {
    .custom { _, _, _ in configured.allActions.map(\.type) }
  }

  /// Errors are ignored, because the shell would print them into the command line.
  private static var configured: Configuration {
    (try? ConfigurationOptions.read()) ?? Configuration()
  }
}

struct NodeOptions: ParsableArguments {
  @Argument(
    help: .init("The device node; by default the first that measures pressure.", valueName: "node"),
    completion: .pressureDevice) var node: String?

  func open(_ configuration: Configuration) throws(ExitError) -> EvdevDevice {
    guard let node else {
      let nodes = DeviceFolder.nodes()
      if let found = EvdevDevice.touchDevice(nodes, configuration), found.surface.measuresPressure {
        return found.device
      }
      throw ExitError(deniedOneOf: nodes)
        ?? ExitError("no readable touch device measures pressure; name a node", .noInput)
    }
    do throws(DeviceError) {
      let device = try EvdevDevice(opening: node)
      _ = try configuration.surface(of: device.description)
      return device
    } catch {
      if error.isPermissionDenied { throw ExitError(denied: node) }
      if case .unreadable = error { throw ExitError(error.sentence, .noInput) }
      throw ExitError("\(node): \(error.sentence)", .badData)
    }
  }
}

extension EvdevDevice {
  /// The first of these nodes that measures pressure, or else the first touch device; nil if this user can read none.
  static func touchDevice(
    _ nodes: [String], _ configuration: Configuration
  ) -> (device: EvdevDevice, surface: Surface)? {
    var first: (EvdevDevice, Surface)?
    for node in nodes {
      guard let device = try? EvdevDevice(opening: node),
        let surface = try? configuration.surface(of: device.description)
      else { continue }
      if surface.measuresPressure { return (device, surface) }
      first = first ?? (device, surface)
    }
    return first
  }
}

extension ExitError {
  /// Creates the error for a node without read permission, with the command line that has it.
  fileprivate init(denied node: String) {
    self.init("no permission to read \(node); only root and the service have it", .permissionDenied)
    let command = ["sudo"] + CommandLine.arguments
    sentences.append("run: " + command.map(\.quotedForShell).joined(separator: " "))
  }

  /// The same for the first of these nodes that may be a touch device; nil if this user may read them all.
  init?(deniedOneOf nodes: [String]) {
    guard let node = nodes.first(where: EvdevDevice.isDenied) else { return nil }
    self.init(denied: node)
  }
}

extension String {
  fileprivate var quotedForShell: String {
    let isPlain = allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber) || "-_./:=@%+,".contains($0)
    }
    guard isEmpty || !isPlain else { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

extension PrivateDaemon {
  /// Starts a private daemon if no daemon answers and neither `--socket` nor `$PRESSURED_SOCKET` names one.
  static func startIfNoneRuns(_ socket: SocketOptions) throws(ExitError) -> PrivateDaemon? {
    do throws(ConnectionError) {
      let paths = SocketPath.forClients(named: socket.path)
      _ = try Connection.open(at: paths, before: nil)
      return nil
    } catch {
      // A busy daemon runs; the caller waits for a connection.
      if case .busy = error { return nil }
      let isNamed = socket.path != nil || Environment.value("PRESSURED_SOCKET") != nil
      guard case .absent = error, !isNamed else { throw ExitError(error) }
    }
    let configuration = try ConfigurationOptions.read()
    let nodes = DeviceFolder.nodes()
    guard !nodes.isEmpty else {
      throw ExitError(
        "no daemon answers, and there are no input devices in \(DeviceFolder.path)", .noInput)
    }
    guard EvdevDevice.touchDevice(nodes, configuration) == nil else {
      Log.info("no daemon answers, so this program reads the devices itself")
      return try PrivateDaemon()
    }
    guard let denied = nodes.first(where: EvdevDevice.isDenied) else {
      throw ExitError(
        "no daemon answers, and none of the \(nodes.count) input devices is a supported touch device; "
          + "for the reasons run: pressured devices", .noInput)
    }
    // Joining the node's group is never advised: its members can read every keystroke.
    throw ExitError(
      "no daemon answers, and you have no permission to read \(denied); start the service, which "
        + "does: sudo systemctl enable --now pressured.socket", .permissionDenied)
  }
}
