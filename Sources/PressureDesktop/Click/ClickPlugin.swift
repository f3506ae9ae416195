internal import PressureKit
internal import PressureSettings
package import PressureSystem

/// The plugin for libinput that makes a force click another button, as a file.
///
/// Its first line has the version of the program that wrote it, and what was set.
package struct ClickPlugin {
  /// What a force click presses.
  package enum Button: String, CaseIterable {
    case middle, right, back, forward, nothing

    fileprivate var code: String {
      switch self {
      case .middle: "evdev.BTN_MIDDLE"
      case .right: "evdev.BTN_RIGHT"
      case .back: "evdev.BTN_SIDE"
      case .forward: "evdev.BTN_EXTRA"
      case .nothing: "nil"
      }
    }
  }

  /// A pad, by its numbers, and what the plugin must know of it as Lua: names and values.
  ///
  /// Forces are in units of its pressure axis, above the minimum.
  package struct Pad {
    package let vendor: UInt16
    package let product: UInt16
    package var values: [(String, String)]

    package init(bus: UInt16, vendor: UInt16, product: UInt16, isArea: Bool) {
      (self.vendor, self.product) = (vendor, product)
      values = [
        ("bus", "\(bus)"), ("vendor", "\(vendor)"), ("product", "\(product)"),
        ("axis", "evdev.ABS_MT_PRESSURE"), ("area", "\(isArea)"),
      ]
    }

    package mutating func add(_ name: String, _ values: [Double]) {
      let list = values.map(\.shortDescription).joined(separator: ", ")
      self.values.append((name, "{ \(list) }"))
    }
  }

  package static let fileName = "60-pressured-click.lua"

  /// The folder that every desktop with plugins reads.
  package static let systemFolder = "/etc/libinput/plugins"

  private static let mark = "-- pressured click "

  /// The most bytes of a file that is read; one takes a tenth.
  private static let sizeLimit = 1 << 17

  /// What was set, as `deep=middle force=light`.
  package let settings: String
  package let button: Button
  package let pads: [Pad]

  package init(settings: String, button: Button, pads: [Pad]) {
    (self.settings, self.button, self.pads) = (settings, button, pads)
  }

  /// The file as it is before numbers are written into it.
  static var template: String {
    String(decoding: PackageResources.force_click_lua, as: UTF8.self)
  }

  private static func table(_ values: [(String, String)]) -> String {
    "{ " + values.map { "\($0.0) = \($0.1)" }.joined(separator: ", ") + " }"
  }

  /// The file's contents.
  package var text: String {
    let rules = Surface.clickRules.map { ($0.name, $0.value.shortDescription) }
    let values = [
      ("BUTTON", button.code), ("RULES", ClickPlugin.table(rules)),
      ("PADS", "{\n\(pads.map { "  \(ClickPlugin.table($0.values)),\n" }.joined())}"),
    ]
    let lines = ClickPlugin.template.split(separator: "\n", omittingEmptySubsequences: false)
    return "\(ClickPlugin.mark)\(Version.current): \(settings)\n"
      + lines.map { line in
        values.first { line.hasPrefix("local \($0.0) = ") }.map { "local \($0.0) = \($0.1)" }
          ?? String(line)
      }.joined(separator: "\n")
  }

  /// The version that wrote the file in a folder, and what it sets; nil without a file, or if another program wrote it.
  package static func installed(in folder: String) -> (version: String, settings: String)? {
    guard let bytes = try? InputFile.read("\(folder)/\(fileName)", limit: sizeLimit),
      let line = bytes.split(separator: UInt8(ascii: "\n")).first.map({
        String(decoding: $0, as: UTF8.self)
      }), line.hasPrefix(mark)
    else { return nil }
    let parts = line.dropFirst(mark.utf8.count).split(separator: ":", maxSplits: 1)
    return parts.count == 2 ? (String(parts[0]), String(parts[1].drop { $0 == " " })) : nil
  }

  package func write(to folder: String) throws(SystemError) {
    try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(ClickPlugin.fileName)")
  }
}
