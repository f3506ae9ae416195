internal import ArgumentParser
internal import PressureKit

/// `pressured check`: whether a configuration is right, and where it is not.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say whether a configuration is right.",
    discussion: """
      Without a file, the one that pressured run would read. Every fault is said with its file, line \
      and column; the status is 78 then, and 66 where the file is not there. A user or group under \
      control: that this machine does not have is a warning.

      Example: pressured check config.yaml && systemctl reload pressured
      """)

  @Argument(help: "The configuration.", completion: .settings)
  var file: String?

  @Option(
    help: ArgumentHelp("Check these bindings, too.", valueName: "file"), completion: .settings)
  var bindings: String?

  func run() throws {
    try ending { () throws(Failure) in
      let faults = [fault(of: checkConfiguration), fault(of: checkBindings)].compactMap(\.self)
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

  private func checkConfiguration() throws(ConfigurationFaults) -> String? {
    var options = ConfigurationOptions()
    options.path = file
    guard let location = options.location else {
      return "there is no place for a configuration: all settings are the defaults"
    }
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
