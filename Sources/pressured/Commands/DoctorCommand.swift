internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import PressureKit
internal import PressureSettings
internal import PressureSystem

/// `pressured doctor`: what is there, what is missing, and what to do next.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what is there, what is missing, and what to do next.",
    discussion: """
      Needs neither a daemon nor rights nor devices, changes nothing, and ends well whatever it finds. \
      --json is for bug reports.

      Example: pressured doctor
      """)

  @Flag(help: "Print everything as one JSON object, for a bug report.")
  var json = false

  @Option(
    help: ArgumentHelp("Look for calibrations in this folder.", valueName: "folder"),
    completion: .directory)
  var state: String?

  @OptionGroup var socketOptions: SocketOptions

  @OptionGroup var configurationOptions: ConfigurationOptions

  func run() throws {
    try ending { () throws(ExitError) in
      let diagnosis = examine()
      guard json else {
        for line in diagnosis.lines { StandardOutput.print(line) }
        return
      }
      StandardOutput.print(try text(of: diagnosis))
    }
  }

  /// A configuration that cannot be read is a finding, too; then the rest is judged by the defaults.
  private func examine() -> Diagnosis {
    var configuration = Configuration()
    var faults: [String] = []
    do throws(ExitError) {
      configuration = try configurationOptions.read()
    } catch {
      faults = error.sentences
    }
    faults += serviceFaults
    return Diagnosis.make(
      socket: socketOptions.path(configurationOptions), configuration, faults: faults,
      stateFolders: stateFolders)
  }

  /// The service reads a file of its own, and cannot say itself what keeps it from starting.
  private var serviceFaults: [String] {
    let variables = Environment.values(ConfigurationLocation.variables)
    let service = ConfigurationLocation.service(variables)
    guard service.path != configurationOptions.location?.path else { return [] }
    do throws(ConfigurationErrors) {
      _ = try ConfigurationFile.read(at: service)
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

  private func text(of diagnosis: Diagnosis) throws(ExitError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(diagnosis) else {
      throw ExitError("the findings cannot be written as JSON", .internalError)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
