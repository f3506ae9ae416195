internal import ArgumentParser
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Print the settings, their values and where these come from.",
    discussion: """
      Without keys, prints each setting of a daemon of this user with its value, and the line of the \
      file that sets it, if any. With keys, as in scale.window_ms or \
      scale, also prints what they mean, their limits and when a change takes effect.

      Example: pressured config press
      """)

  @OptionGroup var file: ConfigurationOptions

  @Argument(help: "Keys or groups of keys.", completion: .list(Configuration.settingKeys))
  var key: [String] = []

  func run() throws(ExitError) {
    let configuration = try file.read()
    let lines = file.location.map { ConfigurationFile.lines(at: $0.path) } ?? [:]
    for name in key where !Configuration.settingKeys.contains(where: { $0.isSetting(name) }) {
      let advice = name.nearest(among: Configuration.settingKeys).map { "; did you mean \($0)?" }
      throw ExitError(
        "there is no setting \(name.quoted)\(advice ?? "; `pressured config` lists them")", .usage)
    }
    for (name, setting) in Configuration.allSettings {
      guard key.isEmpty || key.contains(where: { name.isSetting($0) }) else { continue }
      let origin = lines[name].flatMap { line in file.location.map { "\($0.path):\(line)" } }
      StandardOutput.print("\(name): \(setting.text(configuration))  # \(origin ?? "default")")
      guard !key.isEmpty else { continue }
      StandardOutput.print("    \(setting.description())")
      for (names, summary) in setting.members {
        StandardOutput.print("    \(names): \(summary.withoutMarkup)")
      }
      StandardOutput.print("    A change takes effect \(setting.effect.rawValue).")
    }
  }
}

extension String {
  fileprivate func isSetting(_ name: String) -> Bool { self == name || hasPrefix(name + ".") }
}
