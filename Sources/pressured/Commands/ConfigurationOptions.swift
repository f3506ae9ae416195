internal import ArgumentParser
internal import Glibc
internal import PressureKit
internal import PressurePlots
internal import PressureSettings
internal import PressureSystem

/// Where the configuration is, for all verbs that heed it.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp("Read the configuration from this file.", valueName: "file"),
    completion: .settings)
  var path: String?

  /// The same for another program of ours.
  var arguments: [String] { path.map { ["--config", $0] } ?? [] }

  var location: ConfigurationLocation? {
    ConfigurationLocation.first(
      path: path, environment: Environment.values(ConfigurationLocation.variables),
      userID: geteuid())
  }

  /// Reads the configuration; `remark` is called with all that is right in it and does not fit this machine.
  ///
  /// A daemon, which reads it again later, accepts regular files alone.
  func read(
    accepting kind: InputFile.Kind = .any, warn: (ConfigurationWarning) -> Void = { _ in }
  ) throws(ExitError) -> Configuration {
    do throws(ConfigurationErrors) {
      return try ConfigurationFile.read(at: location, accepting: kind, warn: warn)
    } catch {
      throw ExitError(error)
    }
  }
}
