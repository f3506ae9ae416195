internal import ArgumentParser
internal import Glibc
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

  /// The arguments that pass the option on to another process of this program.
  var arguments: [String] { path.map { ["--config", $0] } ?? [] }

  var location: ConfigurationLocation? {
    ConfigurationLocation.first(
      path: path, environment: Environment.values(ConfigurationLocation.variables),
      userID: geteuid())
  }

  /// Reads the configuration.
  ///
  /// - Parameters:
  ///   - kind: the kinds of file to accept; a daemon, which reads the file again later, accepts only regular files.
  ///   - warn: called for each valid setting that does not apply to this machine.
  /// - Returns: the configuration, or the defaults without a file.
  /// - Throws: the errors in the file.
  func read(
    accepting kind: InputFile.Kind = .any, warn: (ConfigurationError) -> Void = { _ in }
  ) throws(ExitError) -> Configuration {
    do throws(ConfigurationErrors) {
      return try ConfigurationFile.read(at: location, accepting: kind, warn: warn)
    } catch {
      throw ExitError(error)
    }
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
    do throws(RecordingError) {
      return try Recording(
        path: RecordingOptions.path(path), describe: describe.map(RecordingOptions.path),
        device: device)
    } catch {
      throw ExitError(error)
    }
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

  /// The path of an argument.
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
  func path(_ configuration: ConfigurationOptions) -> String? {
    guard path == nil, let file = configuration.path, Environment.value("PRESSURED_SOCKET") == nil
    else { return path }
    return ConfigurationFile.socketPath(at: file) ?? SocketPath.unconfigured
  }

  /// The paths at which a client tries to connect, in order.
  func paths(_ configuration: ConfigurationOptions) -> [String] {
    SocketPath.forClients(named: path(configuration))
  }
}

/// The shell completions of arguments.
extension CompletionKind {
  /// An existing recording, by the usual file name extensions; the content determines the format.
  static var recording: CompletionKind {
    .file(extensions: RecordingFormat.extensions + ["desc", "evtest", "txt", "bin"])
  }

  /// A recording to write.
  static var newRecording: CompletionKind { .file(extensions: RecordingFormat.extensions) }

  /// A configuration file.
  static var settings: CompletionKind { .file(extensions: ["yaml", "yml"]) }

  /// The node of a device that measures pressure.
  static var pressureDevice: CompletionKind {
    .custom { _, _, _ in
      let configuration = configured
      return DeviceFolder.nodes().filter { EvdevDevice.measuresPressure($0, configuration) }
    }
  }

  /// The type of a quick action.
  static var action: CompletionKind {
    .custom { _, _, _ in configured.allActions.map(\.type) }
  }

  /// Errors are ignored, because the shell would print them into the command line.
  private static var configured: Configuration {
    (try? ConfigurationOptions.parse([]).read()) ?? Configuration()
  }
}
