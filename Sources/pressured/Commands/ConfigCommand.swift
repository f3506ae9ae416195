internal import ArgumentParser
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Print the settings, their values and where these come from.",
    discussion: """
      Without keys, prints one line for each setting of the file that a daemon of this user reads: its \
      value, and the line of the file or that it is the default. With keys, as in scale.window_ms or \
      scale, also prints what they mean, their limits and when a change takes effect.

      Example: pressured config press
      """)

  @OptionGroup var file: ConfigurationOptions

  @Argument(help: "Keys or groups of keys.", completion: .list(Configuration.settingKeys))
  var key: [String] = []

  func run() throws { try reportingErrors(printSettings) }

  private func printSettings() throws(ExitError) {
    let configuration = try file.read()
    let lines = file.location.map { ConfigurationFile.lines(at: $0.path) } ?? [:]
    for name in key where !Configuration.settingKeys.contains(where: { $0.isSetting(name) }) {
      let advice = name.nearest(among: Configuration.settingKeys).map { "; did you mean \($0)?" }
      throw ExitError(
        "there is no setting \(name.quoted)\(advice ?? "; `pressured config` lists them")", .usage)
    }
    for group in Configuration.settingGroups {
      for setting in group.settings {
        let name = group.key(of: setting)
        guard key.isEmpty || key.contains(where: { name.isSetting($0) }) else { continue }
        let origin = lines[name].flatMap { line in file.location.map { "\($0.path):\(line)" } }
        StandardOutput.print("\(name): \(setting.text(configuration))  # \(origin ?? "default")")
        if !key.isEmpty { explain(setting) }
      }
    }
  }

  private func explain(_ setting: Setting<Configuration>) {
    StandardOutput.print("    \(SettingsText.description(of: setting))")
    for member in setting.members {
      StandardOutput.print("    \(member.names): \(member.summary.withoutMarkup)")
    }
    StandardOutput.print("    A change takes effect \(setting.effect.rawValue).")
  }
}

extension String {
  fileprivate func isSetting(_ name: String) -> Bool { self == name || hasPrefix(name + ".") }
}

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "generate", shouldDisplay: false)

  enum Product: String, ExpressibleByArgument, CaseIterable {
    case example
    /// The entries of settings.
    case keys
    /// The entries of the keys of quirks.
    case quirks
    /// The requests, as JSON.
    case requests
    /// Words for the fuzz target of configuration files.
    case settings
  }

  @Argument var product: Product
  @Argument var names: [String] = []

  func run() throws {
    switch product {
    case .example: StandardOutput.print(SettingsText.example)
    case .keys: StandardOutput.print(SettingsText.manual(names))
    case .quirks: StandardOutput.print(SettingsText.quirks)
    case .requests:
      var json = JSONLinesWriter()
      json.append("[")
      json.append(list: RequestDefinition.all) { $0.append($1) }
      json.append("]")
      StandardOutput.print(json.text)
    case .settings: StandardOutput.print(SettingsText.fuzzWords)
    }
  }
}

extension JSONLinesWriter {
  fileprivate mutating func append(_ request: RequestDefinition) {
    let (permission, argument): (String, String?) =
      switch request.permission {
      case .read: ("read", nil)
      case .use: ("use", nil)
      case .useWith(let argument): ("use", argument)
      case .control: ("control", nil)
      }
    append("{\"verb\":", quoted: request.verb)
    append(",\"permission\":", quoted: permission)
    append(",\"with\":", quoted: argument)
    append(",\"suspended\":", request.isForSuspended)
    append(",\"summary\":", quoted: request.summary)
    append(",\"examples\":", quoted: request.examples)
    append(",\"arguments\":[")
    append(list: request.arguments) { $0.append($1) }
    append("]}")
  }

  private mutating func append(_ argument: RequestArgument) {
    append("{\"name\":", quoted: argument.name)
    append(",\"type\":", quoted: argument.type.notation)
    append(",\"expected\":", quoted: argument.type.expected)
    append(",\"summary\":", quoted: argument.summary)
    append(",\"unit\":", quoted: argument.unit)
    append(",\"default\":", quoted: argument.defaultText)
    append(",\"required\":")
    switch argument.requirement {
    case .never: append(false)
    case .always: append(true)
    case .when(let other, is: let word): append("", quoted: [other, word])
    }
    append(",\"only\":")
    switch argument.condition {
    case nil: append("null")
    case .with(let other): append("", quoted: [other])
    case .when(let other, in: let words): append("", quoted: [other] + words)
    }
    append("}")
  }
}

extension ArgumentType {
  /// The type as docs/protocol.yaml writes it.
  fileprivate var notation: String {
    switch self {
    case .boolean: "boolean"
    case .integer(let range): "integer \(range.lowerBound)..\(range.upperBound)"
    case .number(let range):
      "number \(range.lowerBound.shortDescription)..\(range.upperBound.shortDescription)"
    case .name: "text"
    case .text(let limit): "text \(limit.notation)"
    case .word(let words): "word \(words.joined(separator: " "))"
    case .list(let element, let maximum):
      "list \(maximum.map { "0..\($0) " } ?? "")\(element.notation)"
    case .texts(let maximum, let key, let value):
      "texts \(maximum) \(key.notation) \(value.notation)"
    case .either(let first, let second): "either \(first.notation) or \(second.notation)"
    }
  }
}

extension TextLimit {
  fileprivate var notation: String { mayBeEmpty ? "0..\(scalars)" : String(scalars) }
}
