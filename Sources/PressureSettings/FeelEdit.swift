package import PressureKit
internal import PressureSystem

extension ConfigurationFile {
  /// The text of a file, or of a missing one, with another `press.feel`; see `text(_:with:)`.
  package static func text(
    at path: String, with feel: PressFeel
  ) throws(ConfigurationErrors) -> [UInt8]? {
    do throws(ConfigurationErrors) {
      return text(try SettingsFile.bytes(path: path, .regular), with: feel)
    } catch {
      guard case .missing = error else { throw error }
      return text([], with: feel)
    }
  }

  /// A configuration's text with another `press.feel`, and with nothing else changed.
  ///
  /// Comments and the order of keys stay: one line is changed or inserted. The result is read again to see whether that was enough; nil
  /// if it was not, as with a mapping in braces, or with stages that override the feel.
  static func text(_ text: [UInt8], with feel: PressFeel) -> [UInt8]? {
    guard let before = try? read(text: text, name: "") else { return nil }
    let new = Array(edited(String(decoding: text, as: UTF8.self), "feel: \(feel.rawValue)").utf8)
    guard let after = try? read(text: new, name: ""), after.press.feel == feel,
      otherSettings(of: after) == otherSettings(of: before)
    else { return nil }
    return new
  }

  /// The text with this line in the mapping `press`.
  private static func edited(_ text: String, _ setting: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let start = lines.firstIndex(where: { $0.hasPrefix("press:") }) else {
      if lines.last?.isEmpty == true { lines.removeLast() }
      return (lines + ["press:", "  " + setting, ""]).joined(separator: "\n")
    }
    let inside = lines[(start + 1)...].prefix {
      $0.isEmpty || $0.hasPrefix(" ") || $0.hasPrefix("#")
    }
    let key = inside.firstIndex { $0.drop { $0 == " " }.hasPrefix("feel:") }
    let indent = inside.first { $0.hasPrefix(" ") }?.prefix { $0 == " " } ?? "  "
    if let key {
      lines[key] = indent + setting
    } else {
      lines.insert(indent + setting, at: start + 1)
    }
    return lines.joined(separator: "\n")
  }

  /// The values of all settings but those that a feel sets.
  private static func otherSettings(of configuration: Configuration) -> [String] {
    Configuration.settingGroups.flatMap { group in
      group.settings.compactMap { setting in
        let key = group.key(of: setting)
        let isOfFeel = ["press.feel", "press.stages", "press.gram_stages"].contains(key)
        return isOfFeel ? nil : setting.text(configuration)
      }
    }
  }
}
