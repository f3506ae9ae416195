internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import PressureConnection
internal import PressureKit
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

/// `pressured doctor`: reports the state of the installation and the next step.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report the state of the installation, what is missing, and what to do next.",
    discussion: """
      Requires neither a daemon nor permissions nor devices, and changes nothing. The exit status is 0 \
      whatever it finds. --json is for bug reports. --sensor measures a device instead; if no daemon runs, \
      it reads the devices itself.

      Example: pressured doctor
      """)

  @Flag(help: "Print all findings as one JSON object, for a bug report.")
  var json = false

  @Flag(
    help:
      "Measure the sensor for ten seconds, with a weight or a finger at rest on it: noise, smallest step, rate, drift, saturation."
  )
  var sensor = false

  @Option(help: ArgumentHelp("With --sensor, measure this device.", valueName: "id"))
  var device: String?

  @Option(
    help: ArgumentHelp("Look for calibrations in this folder.", valueName: "folder"),
    completion: .directory)
  var state: String?

  @OptionGroup var socketOptions: SocketOptions

  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    guard sensor || device == nil else { throw ValidationError("--device belongs to --sensor") }
  }

  func run() throws {
    try reportingErrors { () throws(ExitError) in
      if sensor { return try measureSensor() }
      let diagnosis = examine()
      guard json else {
        for line in diagnosis.lines { StandardOutput.print(line) }
        return
      }
      StandardOutput.print(try text(of: diagnosis))
    }
  }

  private func measureSensor() throws(ExitError) {
    let daemon = try PrivateDaemon.startIfNoneRuns(socketOptions, configurationOptions)
    let connection: Connection
    do throws(ConnectionError) {
      connection = try Connection.open(
        at: SocketPath.forClients(named: daemon?.path ?? socketOptions.path(configurationOptions)),
        before: Deadline(seconds: Connection.defaultTimeout))
    } catch {
      throw ExitError(error)
    }
    if !json {
      Log.info("put a weight or a finger on the device, and leave it at rest for ten seconds")
    }
    let finding = try SensorFinding.measure(device, over: connection)
    guard json else {
      for line in finding.lines { StandardOutput.print(line) }
      return
    }
    StandardOutput.print(try text(of: finding))
  }

  /// Collects the findings; if the configuration has errors, they are findings and the defaults apply.
  private func examine() -> Diagnosis {
    var configuration = Configuration()
    var faults: [String] = []
    do throws(ExitError) {
      configuration = try configurationOptions.read()
    } catch {
      faults = error.sentences
    }
    var service = configuration
    faults += serviceFaults(&service)
    return Diagnosis.make(
      socket: socketOptions.path(configurationOptions), configuration, service: service,
      faults: faults, stateFolders: stateFolders)
  }

  /// The errors in the configuration of the service, which cannot report them itself if it does not start.
  ///
  /// - Parameter configuration: receives the configuration of the service, if it has no errors.
  /// - Returns: the sentences.
  private func serviceFaults(_ configuration: inout Configuration) -> [String] {
    let variables = Environment.values(ConfigurationLocation.variables)
    let service = ConfigurationLocation.service(variables)
    guard service.path != configurationOptions.location?.path else { return [] }
    do throws(ConfigurationErrors) {
      configuration = try ConfigurationFile.read(at: service)
      return []
    } catch {
      return error.sentences
    }
  }

  private var stateFolders: [String] {
    if let state { return [state] }
    let own = StateFolder.first(
      path: nil, environment: Environment.values(StateFolder.variables), userID: geteuid())
    return [own, StateFolder.system].compactMap(\.self)
  }

  private func text(of diagnosis: some Encodable) throws(ExitError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(diagnosis) else {
      throw ExitError("cannot encode the findings as JSON", .internalError)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
