internal import ArgumentParser
internal import Glibc
internal import PressureDesktop
internal import PressureKit
internal import PressureSettings
internal import PressureSystem

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration for errors.",
    discussion: """
      Without a file, checks the configuration of the service, and your own if it exists. Errors are \
      printed with file, line and column. The exit status is 78 for errors, 77 if you may not read the file, \
      and 66 if it does not exist. An unknown user or group under control: is a warning.

      Example: pressured check && sudo systemctl try-reload-or-restart pressured
      """)

  @Argument(help: "The configuration file.", completion: .settings)
  var file: String?

  @Option(
    "Check this bindings file; alone if no configuration is given.", value: "file",
    completion: .settings) var bindings: String?

  func run() throws(ExitError) {
    var found: [ExitError] = []
    func note(_ check: @autoclosure () throws(ConfigurationErrors) -> String) {
      do throws(ConfigurationErrors) {
        StandardOutput.print(try check())
      } catch {
        found.append(error.exitError)
      }
    }
    for location in locations where file != nil || bindings == nil { note(try check(location)) }
    if let bindings { note(try check(bindings: bindings)) }
    // The errors of all files are reported, with the highest status.
    guard let status = found.map(\.status).max() else { return }
    throw ExitError(sentences: found.flatMap(\.sentences), status: status)
  }

  /// The file that is named, or else the usual ones.
  private var locations: [ConfigurationLocation] {
    if let file { return [ConfigurationLocation(path: file, isRequired: true)] }
    let service = ConfigurationLocation.ofService
    guard let own = ConfigurationLocation.ofUser, own != service, access(own.path, F_OK) == 0 else {
      return [service]
    }
    return [service, own]
  }

  private func check(_ location: ConfigurationLocation) throws(ConfigurationErrors) -> String {
    let configuration: Configuration
    do throws(ConfigurationErrors) {
      configuration = try ConfigurationFile.read(path: location.path, accepting: .any) {
        Log.warning("\($0.sentence); the setting has no effect until it exists")
      }
    } catch .missing where !location.isRequired {
      return "\(location.path) does not exist: all settings are the defaults"
    }
    let keys = configuration.keys(thatDifferFrom: Configuration())
    guard !keys.isEmpty else { return "\(location.path) is valid: all settings are the defaults" }
    let list = keys.joined(separator: ", ")
    return
      "\(location.path) is valid: \(keys.count) of \(Configuration.settingKeys.count) settings "
      + "\(keys.count == 1 ? "differs" : "differ") from the defaults: \(list)"
  }

  private func check(bindings path: String) throws(ConfigurationErrors) -> String {
    let list = try BindingsFile.read(path: path, accepting: .any).list
    for warning in warnings(on: list) { Log.warning("\(path): \(warning)") }
    return "\(path) is valid: \(list.count) \(list.count == 1 ? "binding" : "bindings")"
  }

  /// Warns of names in the bindings that no configuration defines.
  ///
  /// A running daemon may use another configuration.
  private func warnings(on list: [Binding]) -> [String] {
    let found = locations.compactMap { try? ConfigurationFile.read(at: $0) }
    let configurations = found.isEmpty ? [Configuration()] : found
    let presses = configurations.flatMap { [$0.press] + $0.devices.compactMap(\.press) }
    let stages = presses.flatMap { $0.stages.stages.map(\.name) + $0.gramStages.stages.map(\.name) }
    let regions = configurations.flatMap { $0.regions.map(\.name) }
    let actions = configurations.flatMap { $0.allActions.map(\.type) }
    return list.enumerated().flatMap { index, binding in
      let wanted: [(kind: String, name: String, known: [String])] =
        switch binding.trigger {
        case .press(let trigger, _):
          [("stage", trigger.stage, stages)]
            + (trigger.region.map { [("region", $0, regions)] } ?? [])
        case .action(let type): [("action", type, actions)]
        }
      return wanted.filter { !$0.known.contains($0.name) }.map { kind, name, known in
        "binding \(index + 1) never fires: no configuration has \(kind == "action" ? "an" : "a") "
          + "\(kind) \(name.quoted); \(name.advice(among: known))"
      }
    }
  }
}
