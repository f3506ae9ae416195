internal import ArgumentParser
internal import PressureBindings
internal import Glibc
internal import PressureKit
internal import PressureSettings
internal import PressureSystem

/// `pressured check`: whether a configuration is right, and where it is not.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say whether a configuration is right.",
    discussion: """
      Without a file, the one that the service reads, and your own where you have one. Every fault is \
      said with its file, line and column; the status is 78 then, 77 where you may not read the file, \
      and 66 where it is not there. A user or group under control: that this machine does not have is a \
      warning.

      Example: pressured check config.yaml && sudo systemctl reload pressured
      """)

  @Argument(help: "The configuration.", completion: .settings)
  var file: String?

  @Option(
    help: ArgumentHelp(
      "Check these bindings; without a configuration, them alone.", valueName: "file"),
    completion: .settings)
  var bindings: String?

  func run() throws {
    try ending { () throws(ExitError) in
      var faults = locations.compactMap { location in
        fault { () throws(ConfigurationErrors) in try check(location) }
      }
      if let found = fault(of: checkBindings) { faults.append(found) }
      guard var failure = faults.first.map({ ExitError($0) }) else { return }
      // Both files are told of, and the graver status is that of the whole.
      failure.sentences = faults.flatMap(\.sentences)
      failure.status = faults.map(\.status).max() ?? failure.status
      throw failure
    }
  }

  private func fault(
    of check: () throws(ConfigurationErrors) -> String?
  ) -> ConfigurationErrors? {
    do throws(ConfigurationErrors) {
      if let sentence = try check() { print(sentence) }
      return nil
    } catch {
      return error
    }
  }

  /// The file that was named, or those that daemons read without being told.
  private var locations: [ConfigurationLocation] {
    if let file { return [ConfigurationLocation(path: file, isRequired: true)] }
    return bindings == nil ? usualLocations : []
  }

  private var usualLocations: [ConfigurationLocation] {
    let variables = Environment.values(ConfigurationLocation.variables)
    let service = ConfigurationLocation.service(variables)
    let own = ConfigurationLocation.userDirectory(variables).map {
      ConfigurationLocation(path: "\($0)/pressured/config.yaml", isRequired: false)
    }
    guard let own, own != service, access(own.path, F_OK) == 0 else { return [service] }
    return [service, own]
  }

  private func check(_ location: ConfigurationLocation) throws(ConfigurationErrors) -> String? {
    let configuration: Configuration
    var obstacles: [ConfigurationError] = []
    do throws(ConfigurationErrors) {
      configuration = try ConfigurationFile.read(path: location.path, accepting: .any) { remark in
        if remark.preventsServing {
          obstacles.append(remark.fault)
        } else {
          Log.warning("\(remark.fault.sentence); the setting has no effect for now")
        }
      }
    } catch .missing where !location.isRequired {
      return "there is no \(location.path): all settings are the defaults"
    }
    guard obstacles.isEmpty else { throw .wrong(obstacles) }
    let keys = configuration.keys(thatDifferFrom: Configuration())
    guard !keys.isEmpty else { return "\(location.path) is right: all settings are the defaults" }
    let list = keys.joined(separator: ", ")
    return "\(location.path) is right: \(keys.count) of \(Configuration.keyCount) settings "
      + "\(keys.count == 1 ? "differs" : "differ") from the defaults: \(list)"
  }

  private func checkBindings() throws(ConfigurationErrors) -> String? {
    guard let bindings else { return nil }
    let list = try BindingsFile.read(path: bindings, accepting: .any).list
    for remark in remarks(on: list) { Log.warning("\(bindings): \(remark)") }
    let count = list.count
    return "\(bindings) is right: \(count) \(count == 1 ? "binding" : "bindings")"
  }

  /// What bindings wait for that no configuration has; what a daemon has in force, only that knows.
  private func remarks(on list: [Binding]) -> [String] {
    let places = file == nil ? usualLocations : locations
    let found = places.compactMap { try? ConfigurationFile.read(at: $0) }
    let configurations = found.isEmpty ? [Configuration()] : found
    let presses = configurations.flatMap { [$0.press] + $0.devices.compactMap(\.press) }
    let stages = presses.flatMap { $0.stages.stages.map(\.name) + $0.gramStages.stages.map(\.name) }
    let regions = configurations.flatMap { $0.regions.map(\.name) }
    let actions = configurations.flatMap { $0.allActions.map(\.type) }
    return list.enumerated().flatMap { index, binding in
      let wanted: [(kind: String, name: String, known: [String])] =
        switch binding.trigger {
        case .press(let trigger):
          [("stage", trigger.stage, stages)]
            + (trigger.region.map { [("region", $0, regions)] } ?? [])
        case .action(let type): [("action", type, actions)]
        }
      return wanted.filter { !$0.known.contains($0.name) }.map { kind, name, known in
        "binding \(index + 1) never fires: no configuration has \(kind == "action" ? "an" : "a") "
          + "\(kind) \(name.quoted); \(advice(name, among: known))"
      }
    }
  }

  private func advice(_ name: String, among known: [String]) -> String {
    if let nearest = name.nearest(among: known) { return "did you mean \(nearest.quoted)?" }
    let names = known.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return names.isEmpty ? "there is none" : "there are \(names.joined(separator: ", "))"
  }
}
