import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureSettings

/// The table of settings, from which decoding, the manual page and the example file are made.
struct SettingsTests {
  @Test func `the example file is the default configuration`() throws {
    let path = Folder.ofTests + "/../docs/examples/config.yaml"
    let example = try ConfigurationFile.read(
      at: ConfigurationLocation(path: path, isRequired: true))
    #expect(example == Configuration())
  }

  @Test func `every key is read, compared and written`() throws {
    #expect(try configuration(text(of: Configuration())) == Configuration())
    // It is another file.
    for (group, setting) in settings where setting.name != "quirks_file" {
      let key = group.key(of: setting)
      let texts = examples(of: setting).map {
        "\(group.name ?? "x-"):\n  \(setting.name):\($0)".topLevel
      }
      let other = try texts.filter { errors($0).isEmpty }.map(configuration).first {
        !$0.keys(thatDifferFrom: Configuration()).isEmpty
      }
      let read = try #require(other, "no other value of \(key) is known")
      // A feel is the stages that it sets.
      let keys = key == "press.feel" ? [key, "press.stages", "press.gram_stages"] : [key]
      #expect(
        read.keys(thatDifferFrom: Configuration()).filter { $0 != "press.feel" || key == $0 }
          == keys)
      #expect(try configuration(text(of: read)) == read, "\(key)")
    }
  }

  /// Values of which one is valid, and is not the default.
  private func examples(of setting: Setting) -> [String] {
    guard setting.example.isEmpty else {
      return ["\n" + setting.example.map { "    \($0)" }.joined(separator: "\n")]
    }
    let stages = [
      "[{ name: other, press: 0.5, release: 0.4 }]", "[{ name: other, press: 90, release: 80 }]",
    ]
    let words = setting.values.split { !$0.isLetter && $0 != "_" }
    return (stages + ["7", "\"0600\"", "/other", "[root]", "[light]"] + words).map { " \($0)" }
  }

  @Test func `a changed quirks file is a change of its key`() {
    var configuration = Configuration()
    configuration.quirks = [Quirk(title: "Another")]
    #expect(configuration.keys(thatDifferFrom: Configuration()) == ["quirks_file"])
  }

  @Test func `the limits in the description are those of the decoder`() throws {
    var count = 0
    for (group, setting) in settings {
      guard let limits = setting.values.firstMatch(of: /from ([0-9]+) to ([0-9]+)/),
        let least = Int(limits.1), let most = Int(limits.2)
      else { continue }
      func isValid(_ value: Int) -> Bool {
        errors("\(group.name ?? "x-"):\n  \(setting.name): \(value)".topLevel).isEmpty
      }
      count += 1
      #expect(isValid(least) && isValid(most), "\(group.key(of: setting))")
      #expect(!isValid(least - 1) && !isValid(most + 1), "\(group.key(of: setting))")
    }
    #expect(count > 10)
  }

  @Test func `the described keys of lists are those of the decoder`() throws {
    for (group, setting) in settings where !setting.members.isEmpty {
      let message = errors(
        "\(group.name ?? "x-"):\n  \(setting.name): [{ zzzzzzzzzzzz: 0 }]".topLevel
      ).first { $0.contains("valid keys are ") }
      let listed = try #require(message).split(separator: "valid keys are ").last ?? ""
      let names = setting.members.flatMap { $0.key.split(separator: ", ") }
      // A stage has `above_click`, or `press` and `unit`.
      let known = Set(listed.split(separator: ", ")).union(
        setting.name == "stages" ? ["above_click"] : [])
      #expect(known == Set(names), "\(group.key(of: setting))")
    }
  }

  @Test func `a removed key is refused with advice`() {
    for setting in Configuration.removedSettings {
      let parts = setting.key.split(separator: ".")
      let text = parts.count == 2 ? "\(parts[0]): { \(parts[1]): 1 }" : "\(setting.key): { a: 1 }"
      let found = errors(text)
      #expect(found.count == 1 && found[0].contains(setting.value), "\(setting.key)")
      #expect(!Configuration.settingKeys.contains { $0.hasPrefix(setting.key) }, "\(setting.key)")
    }
    #expect(
      errors("devices: [{ match: a, press: { quiet_ms: 1 } }]").first?.contains("was removed")
        == true)
  }

  private var settings: [(SettingGroup, Setting)] {
    Configuration.settingGroups.flatMap { group in group.settings.map { (group, $0) } }
  }

  /// All settings of a configuration as a file.
  private func text(of configuration: Configuration) -> String {
    Configuration.settingGroups.map { group in
      let lines = group.settings.filter { $0.name != "feel" }.map {
        "\($0.name): \($0.text(configuration))\n"
      }
      return group.name.map { "\($0):\n" + lines.map { "  " + $0 }.joined() } ?? lines.joined()
    }.joined()
  }
}

extension String {
  /// The text without the first line and the indentation of a group that has no name.
  fileprivate var topLevel: String {
    guard hasPrefix("x-:\n") else { return self }
    return dropFirst("x-:\n".count).split(separator: "\n").map { $0.dropFirst(2) }.joined(
      separator: "\n")
  }
}
