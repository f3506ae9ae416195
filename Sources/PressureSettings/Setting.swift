internal import Glibc
package import PressureKit
internal import PressureProtocol

/// A key of the configuration file: where its value is, how it is decoded, and what it does.
///
/// `Configuration.settingGroups` lists all of them. Decoding, `pressured check`, `pressured config`, the manual page and the
/// example file are derived from that table.
package struct Setting {
  package let name: String

  package let values: String

  /// The meaning in one or two sentences.
  package let summary: String

  /// When a changed value takes effect after a reload.
  package let effect: SettingEffect

  /// What the default means, if its value does not show it.
  package let defaultNote: String?

  /// The keys of the mappings in a list, with valid values, meaning and, in brackets, the default; empty for other settings.
  ///
  /// Several keys may be described together.
  package let members: KeyValuePairs<String, String>

  /// An entry for the example file, for lists that are empty by default.
  package let example: [String]

  let decode: (inout MappingDecoder, inout Configuration) -> Void

  /// The value in YAML, which is the same only for equal values.
  package let text: (Configuration) -> String
}

extension Setting {
  init<Value: SettingValue>(
    _ name: String, _ path: WritableKeyPath<Configuration, Value>, _ kind: ValueDecoder<Value>,
    unit: String = "", effect: SettingEffect = .nextTouch, defaultNote: String? = nil,
    _ summary: String, check: @escaping (inout MappingDecoder, Value) -> Void = { _, _ in }
  ) {
    self.init(
      name, path, values: kind.expected + (unit.isEmpty ? "" : " " + unit), effect: effect,
      defaultNote: defaultNote, summary
    ) { reader, whole in
      reader.value(name, kind, into: &whole[keyPath: path])
      check(&reader, whole[keyPath: path])
    }
  }

  /// A setting that is declared beside its property, in a part of the configuration.
  init<Part>(_ plain: PlainSetting<Part>, in part: WritableKeyPath<Configuration, Part>) {
    switch plain.value {
    case .truth(let path): self.init(plain, part.appending(path: path), .truth)
    case .whole(let path, let limits):
      self.init(plain, part.appending(path: path), .whole(limits))
    case .number(let path, let limits):
      self.init(plain, part.appending(path: path), .number(limits))
    case .words(let words, let get, let set):
      let kind = ValueDecoder<String>.word(among: words)
      self.init(
        name: plain.name, values: kind.expected, summary: plain.summary, effect: plain.effect,
        defaultNote: nil, members: [:], example: [],
        decode: { reader, whole in
          var word = get(whole[keyPath: part])
          reader.value(plain.name, kind, into: &word)
          set(&whole[keyPath: part], word)
        }, text: { get($0[keyPath: part]) })
    case .names(let path, let names):
      let list: WritableKeyPath<Configuration, [String]> = part.appending(path: path)
      self.init(
        plain.name, list, values: "a list of names of \(names.rawValue)", effect: plain.effect,
        plain.summary
      ) { reader, whole in
        whole[keyPath: list] = reader.list(plain.name, of: .text) ?? whole[keyPath: list]
        for (index, name) in whole[keyPath: list].enumerated() where !names.contain(name) {
          let kind = names.rawValue.dropLast()
          reader.warn("there is no \(kind) \(name.quoted)", at: plain.name, element: index)
        }
      }
    }
  }

  private init<Part, Value: SettingValue>(
    _ plain: PlainSetting<Part>, _ path: WritableKeyPath<Configuration, Value>,
    _ kind: ValueDecoder<Value>
  ) {
    self.init(plain.name, path, kind, unit: plain.unit, effect: plain.effect, plain.summary)
  }

  /// A setting with a special decoder.
  init(
    _ name: String, _ path: KeyPath<Configuration, some SettingValue>, values: String,
    effect: SettingEffect = .nextTouch, defaultNote: String? = nil,
    members: KeyValuePairs<String, String> = [:], example: [String] = [], _ summary: String,
    decode: @escaping (inout MappingDecoder, inout Configuration) -> Void
  ) {
    self.init(
      name: name, values: values, summary: summary, effect: effect, defaultNote: defaultNote,
      members: members, example: example, decode: decode, text: { $0[keyPath: path].yaml })
  }

  /// The meaning, the valid values and the default.
  package func description(withDefault: Bool = true) -> String {
    let standard = text(Configuration())
    let sentence = "\(summary) \(values.capitalizedFirst)"
    let note = defaultNote.map { "\(standard): \($0)" }
    guard withDefault else { return note.map { "\(sentence); \($0)." } ?? "\(sentence)." }
    // Without the brackets of a list.
    let short =
      standard == "[]"
      ? "empty" : standard.hasPrefix("[") ? String(standard.dropFirst().dropLast()) : standard
    return "\(sentence). [\(note ?? short)]"
  }
}

extension String {
  package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension PlainSetting.Names {
  fileprivate func contain(_ name: String) -> Bool {
    switch self {
    case .users: getpwnam(name) != nil
    case .groups: getgrnam(name) != nil
    }
  }
}

/// The settings of one mapping of the configuration file, or one key without a mapping.
package struct SettingGroup {
  /// The key of the mapping; nil for keys at the top.
  package let name: String?

  package let summary: String

  package let settings: [Setting]

  init(_ name: String? = nil, _ summary: String = "", _ settings: [Setting]) {
    (self.name, self.summary, self.settings) = (name, summary, settings)
  }

  /// The key of a setting, with a dot between levels.
  package func key(of setting: Setting) -> String {
    name.map { "\($0).\(setting.name)" } ?? setting.name
  }

  /// Calls `body` with the mapping of the group, or with that of the file; not if the mapping is missing.
  func read(_ reader: inout MappingDecoder, body: (inout MappingDecoder) -> Void) {
    if let name { reader.mapping(name, body: body) } else { body(&reader) }
  }
}

extension Configuration {
  /// All settings with their keys, with a dot between levels, in the order of the manual page.
  package static var allSettings: [(key: String, setting: Setting)] {
    settingGroups.flatMap { group in group.settings.map { (key: group.key(of: $0), setting: $0) } }
  }

  package static var settingKeys: [String] { allSettings.map(\.key) }

  package func keys(thatDifferFrom other: Configuration) -> [String] {
    Configuration.allSettings.filter { key, setting in
      // The same file of quirks may have been edited.
      setting.text(self) != setting.text(other) || key == "quirks_file" && quirks != other.quirks
    }.map(\.key)
  }

  /// Whether a setting takes effect only when the daemon starts.
  package static func needsRestart(_ key: String) -> Bool {
    allSettings.contains { $0.key == key && $0.setting.effect == .restart }
  }
}

// MARK: - Values in YAML

package protocol SettingValue {
  /// The value in YAML's flow style.
  var yaml: String { get }
}

extension SettingValue where Self: LosslessStringConvertible {
  package var yaml: String { description }
}

extension Bool: SettingValue {}
extension Int: SettingValue {}
extension Int32: SettingValue {}

extension Double: SettingValue {
  package var yaml: String { shortDescription }
}

/// Permission bits: octal and in quotes.
extension UInt16: SettingValue {
  package var yaml: String { "\"0\(String(self, radix: 8))\"" }
}

extension String: SettingValue {
  package var yaml: String {
    let isPlain = !isEmpty && allSatisfy { $0.isASCII && $0.isLetter || "_-./".contains($0) }
    return isPlain && !["null", "true", "false"].contains(lowercased()) ? self : inQuotes
  }

  /// The text in quotes: a string of JSON is one of YAML.
  var inQuotes: String {
    var line = JSONLinesWriter()
    line.append(quoted: self)
    return line.text
  }
}

extension Optional: SettingValue where Wrapped: SettingValue {
  package var yaml: String { map(\.yaml) ?? "null" }
}

extension Array: SettingValue where Element: SettingValue {
  package var yaml: String { "[" + map(\.yaml).joined(separator: ", ") + "]" }
}

extension Dictionary: SettingValue where Key == String, Value == String {
  package var yaml: String {
    flow(sorted { $0.key < $1.key }.map { ($0.key.inQuotes, $0.value.inQuotes) })
  }
}

extension Glob: SettingValue {
  package var yaml: String { pattern.inQuotes }
}

extension Fingers: SettingValue {
  package var yaml: String {
    switch self {
    case .any: "any"
    case .exactly(let number): String(number)
    }
  }
}

extension PressFeel: SettingValue {
  package var yaml: String { rawValue }
}

func flow(_ members: KeyValuePairs<String, any SettingValue>) -> String {
  flow(members.map { ($0.key, $0.value.yaml) })
}

func flow(_ members: [(String, String)]) -> String {
  members.isEmpty ? "{}" : "{ " + members.map { "\($0): \($1)" }.joined(separator: ", ") + " }"
}
