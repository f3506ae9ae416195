internal import ArgumentParser
internal import Glibc
internal import PressureKit

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
    try ending { () throws(Failure) in
      var faults = locations.compactMap { location in
        fault { () throws(ConfigurationFaults) in try check(location) }
      }
      if let found = fault(of: checkBindings) { faults.append(found) }
      guard var failure = faults.first.map({ Failure($0) }) else { return }
      // Both files are told of, and the graver status is that of the whole.
      failure.sentences = faults.flatMap(\.sentences)
      failure.status = faults.map(\.status).max() ?? failure.status
      throw failure
    }
  }

  private func fault(
    of check: () throws(ConfigurationFaults) -> String?
  ) -> ConfigurationFaults? {
    do throws(ConfigurationFaults) {
      if let sentence = try check() { print(sentence) }
      return nil
    } catch {
      return error
    }
  }

  /// The file that was named, or those that daemons read without being told.
  private var locations: [ConfigurationLocation] {
    if let file { return [ConfigurationLocation(path: file, isRequired: true)] }
    guard bindings == nil else { return [] }
    let variables = Environment.values(ConfigurationLocation.variables)
    let service = ConfigurationLocation.service(variables)
    let own = ConfigurationLocation.userDirectory(variables).map {
      ConfigurationLocation(path: "\($0)/pressured/config.yaml", isRequired: false)
    }
    guard let own, own != service, access(own.path, F_OK) == 0 else { return [service] }
    return [service, own]
  }

  private func check(_ location: ConfigurationLocation) throws(ConfigurationFaults) -> String? {
    let configuration: Configuration
    var obstacles: [ConfigurationFault] = []
    do throws(ConfigurationFaults) {
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

  private func checkBindings() throws(ConfigurationFaults) -> String? {
    guard let bindings else { return nil }
    let count = try BindingsFile.read(path: bindings, accepting: .any).list.count
    return "\(bindings) is right: \(count) \(count == 1 ? "binding" : "bindings")"
  }
}
