package import PressureKit
internal import PressureSystem

/// A change of one setting in the text of a configuration, with nothing else changed.
///
/// Comments and the order of keys stay: one line is changed or inserted.
package struct SettingEdit: Sendable {
  private let key: String
  private let value: String

  /// Further keys whose values the setting determines.
  private var others: [String] = []

  package static func feel(_ feel: PressFeel) -> SettingEdit {
    SettingEdit(
      key: "press.feel", value: feel.rawValue, others: ["press.stages", "press.gram_stages"])
  }

  /// Whether the user at a seat may control its devices.
  package static func seatControl(_ isAllowed: Bool) -> SettingEdit {
    SettingEdit(key: "control.seat", value: "\(isAllowed)")
  }

  package static func haptics(_ areEnabled: Bool) -> SettingEdit {
    SettingEdit(key: "haptics.enabled", value: "\(areEnabled)")
  }

  package static let pulseAtDeep = SettingEdit(key: "haptics.stages", value: "[deep]")

  /// The text of a file, or of a missing one, after some edits; nil if one line for each is not enough, as with a mapping in braces.
  package static func text(
    at path: String, after edits: [SettingEdit]
  ) throws(ConfigurationErrors) -> [UInt8]? {
    var text: [UInt8]? = []
    do throws(ConfigurationErrors) {
      text = try SettingsFile.bytes(path: path, .regular)
    } catch .missing {}
    for edit in edits { text = text.flatMap(edit.applied) }
    return text
  }

  /// The text after the edit, which is read again to see whether one line was enough; nil if it was not.
  func applied(to text: [UInt8]) -> [UInt8]? {
    let new = Array(edited(String(decoding: text, as: UTF8.self)).utf8)
    guard let before = try? ConfigurationFile.read(text: text, name: ""),
      let wanted = try? ConfigurationFile.read(text: Array(edited("").utf8), name: "")
    else { return nil }
    if settings(of: before, inside: true) == settings(of: wanted, inside: true) { return text }
    guard let after = try? ConfigurationFile.read(text: new, name: ""),
      settings(of: after, inside: true) == settings(of: wanted, inside: true),
      settings(of: after, inside: false) == settings(of: before, inside: false)
    else { return nil }
    return new
  }

  /// The text with the setting in the mapping of its group.
  private func edited(_ text: String) -> String {
    let parts = self.key.split(separator: ".")
    let (group, name) = ("\(parts[0]):", "\(parts[1]):")
    let setting = "\(name) \(value)"
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let start = lines.firstIndex(where: { $0.hasPrefix(group) }) else {
      if lines.last?.isEmpty == true { lines.removeLast() }
      return (lines + [group, "  " + setting, ""]).joined(separator: "\n")
    }
    let inside = lines[(start + 1)...].prefix {
      $0.isEmpty || $0.hasPrefix(" ") || $0.hasPrefix("#")
    }
    let key = inside.firstIndex { $0.drop { $0 == " " }.hasPrefix(name) }
    let indent = inside.first { $0.hasPrefix(" ") }?.prefix { $0 == " " } ?? "  "
    if let key {
      lines[key] = indent + setting
    } else {
      lines.insert(indent + setting, at: start + 1)
    }
    return lines.joined(separator: "\n")
  }

  /// The values of the settings that the edit determines, or of all others.
  private func settings(of configuration: Configuration, inside: Bool) -> [String] {
    Configuration.allSettings.filter { ([key] + others).contains($0.key) == inside }
      .map { $0.setting.text(configuration) }
  }
}
