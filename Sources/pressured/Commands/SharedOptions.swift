internal import ArgumentParser
internal import Glibc
internal import PressureClient
internal import PressureDevices
internal import PressureKit
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

/// The option `--config` of all verbs that use the configuration.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp("Read the configuration from this file.", valueName: "file"),
    completion: .settings)
  var path: String?

  var location: ConfigurationLocation? { ConfigurationOptions.location(path) }

  /// The configuration, or the defaults without a file.
  func read() throws(ExitError) -> Configuration { try ConfigurationOptions.read(path) }

  static func location(_ path: String? = nil) -> ConfigurationLocation? {
    ConfigurationLocation.first(
      path: path, environment: Environment.values(ConfigurationLocation.variables),
      userID: geteuid())
  }

  /// The configuration in a file, or else in the usual place.
  static func read(_ path: String? = nil) throws(ExitError) -> Configuration {
    try ConfigurationErrors.orExit(
      try ConfigurationFile.read(at: location(path), accepting: .any))
  }
}

/// The options of the verbs that read a recording once.
struct RecordingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the description of the device from this file.", valueName: "file"),
    completion: .recording)
  var describe: String?

  @Option(
    help: ArgumentHelp(
      "Read this device of a recording of several, counted from 1.", valueName: "number"))
  var device: Int?

  func validate() throws {
    if let device, device < 1 {
      throw ValidationError("--device is a number from 1 on; --list of replay shows the devices")
    }
  }

  /// Opens a recording; "-" is standard input.
  func open(_ path: String) throws(ExitError) -> Recording {
    try RecordingError.orExit(
      try Recording(
        path: RecordingOptions.path(path), describe: describe.map(RecordingOptions.path),
        device: device))
  }

  /// The surface of a recorded device; an error names the device to read instead, if the recording has one.
  func surface(
    of recording: Recording, _ configuration: Configuration
  ) throws(ExitError) -> Surface {
    do throws(DeviceError) {
      return try configuration.surface(of: recording.description)
    } catch {
      var sentence = "\(recording.path): \(error.sentence)"
      if let other = Recording.touchDevice(at: recording.path) {
        sentence += "; --device \(other.number) reads \(other.description.name.onOneLine)"
      }
      throw ExitError(sentence, .badData)
    }
  }

  static func path(_ argument: String) -> String {
    argument == "-" ? InputFile.standardInput : argument
  }
}

/// The option `--socket` of all verbs that connect to the daemon.
struct SocketOptions: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp("Connect to the daemon at this path.", valueName: "path"),
    completion: .file())
  var path: String?

  /// Whether the user names the daemon, so that no other one is used in its place.
  var isNamed: Bool { path != nil || Environment.value("PRESSURED_SOCKET") != nil }

  /// The path that `--socket` or `--config` names; nil for the default paths.
  ///
  /// A configuration that was named determines the path if it sets `socket.path`.
  func path(config: String? = nil) -> String? {
    guard path == nil, let config, Environment.value("PRESSURED_SOCKET") == nil else { return path }
    return ConfigurationFile.socketPath(at: config) ?? SocketPath.unconfigured
  }

  /// Connects to the private daemon, or else to the one that the options name.
  func connect(
    to daemon: PrivateDaemon? = nil, config: String? = nil,
    within seconds: Double = Connection.defaultTimeout
  ) throws(ExitError) -> Connection {
    try ConnectionError.orExit(
      try Connection.open(
        at: SocketPath.forClients(named: daemon?.path ?? path(config: config)),
        before: Deadline(seconds: seconds)))
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
      return DeviceFolder.nodes().filter { EvdevDevice.measuresPressure($0, configuration) }
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
