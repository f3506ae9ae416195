internal import Glibc
internal import PressureDesktop
internal import PressureDevices
internal import PressureKit
internal import PressureSettings
internal import PressureSystem

/// What `pressured click` can do on this desktop, what is set, and which link of the chain is missing.
struct ClickFinding {
  private let support: PluginSupport
  private let userFolder: String?
  private let pads: [ClickPad]
  private let named: String?

  /// With the folder of the plugin, if it is named.
  init(pads: [ClickPad], folder: String? = nil) {
    (self.pads, named) = (pads, folder)
    let environment = Environment.values(PluginSupport.variables)
    support = PluginSupport(environment: environment)
    userFolder = ConfigurationLocation.userDirectory(environment).map { $0 + "/libinput/plugins" }
  }

  var nameOfDesktop: String { support.desktop?.name ?? "this desktop" }

  /// The folder of the user, if the desktop reads it; root writes for all.
  var folder: String {
    let isUsers = geteuid() != 0 && support.desktop?.readsUserFolder == true
    return named ?? (isUsers ? userFolder : nil) ?? ClickPlugin.systemFolder
  }

  /// What is missing, each with the next step.
  var obstacles: [String] {
    var obstacles: [String] = []
    if support.libinput == nil {
      obstacles.append("libinput.so.10 was not found, so it is unknown whether it has plugins")
    } else if !support.hasPlugins {
      obstacles.append("this libinput has no plugins; it needs version 1.30 or later")
    } else if !support.hasLua {
      obstacles.append(
        "this libinput is built without Lua, so it loads no plugins; ask your distribution to build its package libinput "
          + "with -Dlua-plugins=enabled")
    }
    if let variable = support.disabledBy {
      obstacles.append("\(variable) is set, which turns plugins off; unset it")
    }
    switch support.desktop {
    // sudo drops the variables of the session.
    case nil where geteuid() != 0:
      obstacles.append(
        "the desktop is unknown; GNOME 50, niri 26.04 and KDE Plasma 6.7 load plugins")
    case let desktop? where desktop.since == nil:
      obstacles.append(
        "\(desktop.name) loads no plugins; pressured bind acts beside the click instead")
    case let desktop? where support.loads == false:
      obstacles.append("this \(desktop.name) loads no plugins; it needs \(desktop.since ?? "")")
    default: break
    }
    if usablePads.isEmpty { obstacles.append(sentenceOnPads) }
    return obstacles
  }

  private var usablePads: [ClickPad] { pads.filter { $0.entry != nil } }

  var sentenceOnPads: String {
    pads.isEmpty
      ? "no touchpad with a button is known; start the service, which reads it: sudo systemctl enable --now pressured.socket"
      : "\(pads[0].name) does not report the pressure of each finger, so it has no force clicks"
  }

  var lines: [String] {
    let root = folder == ClickPlugin.systemFolder && geteuid() != 0 ? "sudo " : ""
    let next =
      obstacles.isEmpty && installed.isEmpty ? ["next: \(root)pressured click set deep=middle"] : []
    return usablePads.flatMap(sentences) + ["set: \(set)"] + obstacles.map { "missing: \($0)" }
      + next
  }

  var installed: [(folder: String, version: String, settings: String)] {
    let usual = [userFolder, ClickPlugin.systemFolder].compactMap(\.self)
    return (named.map { [$0] } ?? usual).compactMap { folder in
      ClickPlugin.installed(in: folder).map { (folder, $0.version, $0.settings) }
    }
  }

  private var set: String {
    let sentences = installed.map { folder, version, settings in
      let advice = "; version \(version) wrote it, so set it again: pressured click set \(settings)"
      return "\(settings), in \(folder)" + (version == Version.current ? "" : advice)
    }
    return sentences.isEmpty ? "nothing" : sentences.joined(separator: "; ")
  }

  /// What is set, and what is missing, for `doctor`.
  var sentence: String { (["\(set) is set"] + obstacles.prefix(1)).joined(separator: "; ") }

  private func sentences(on pad: ClickPad) -> [String] {
    guard let entry = pad.entry, let deep = pad.deep else { return [] }
    let grams = pad.surface.gramsAreTrue ? pad.surface.grams(of: deep) : nil
    let point = grams.map { "\(Int($0.rounded())) g" } ?? "a pressure of \(deep)"
    let area =
      pad.surface.capability == .size
      ? "; it measures area, so that half of the force clicks stay clicks" : ""
    var sentences = ["pad: \(pad.name): a force click from about \(point)\(area)"]
    let pointers = DeviceFolder.pointers(vendor: entry.vendor, product: entry.product)
    if let own = pointers.first(where: \.isOwn) ?? pointers.first {
      sentences.append("pointer: \(own.name) presses the other buttons")
    } else {
      sentences.append(
        "pointer: none, so only deep=nothing has an effect; connect a mouse, as libinput accepts no other button from a pad"
      )
    }
    return sentences
  }
}
