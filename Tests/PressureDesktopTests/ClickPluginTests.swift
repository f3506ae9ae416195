import PressureSettings
import PressureSystem
import PressureTestSupport
import Testing

@testable import PressureDesktop

struct ClickPluginTests {
  private let pad = ClickPlugin.Pad(bus: 0x18, vendor: 0x6cb, product: 0xcd41, isArea: false)

  @Test func `the file has the button and the pads`() {
    var own = pad
    own.values += [("force", "440"), ("release", "380")]
    own.add("clicks", [500, 520])
    let plugin = ClickPlugin(settings: "deep=back force=light", button: .back, pads: [pad, own])
    let lines = plugin.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "-- pressured click \(Version.current): deep=back force=light")
    #expect(lines.contains("local BUTTON = evdev.BTN_SIDE"))
    let numbers = "bus = 24, vendor = 1739, product = 52545, axis = evdev.ABS_MT_PRESSURE"
    #expect(lines.contains("  { \(numbers), area = false },"))
    let more = "force = 440, release = 380, clicks = { 500, 520 }"
    #expect(lines.contains("  { \(numbers), area = false, \(more) },"))
    #expect(lines.contains("libinput:register({ 1 })"))
  }

  @Test func `the numbers that its tests use are the engine's`() {
    let lines = ClickPlugin(settings: "", button: .middle, pads: []).text.split(separator: "\n")
    let rules = lines.filter { $0.hasPrefix("local RULES = ") }
    #expect(rules.count == 1)
    #expect(ClickPlugin.template.split(separator: "\n").contains { $0 == rules.first })
  }

  @Test func `nothing presses no button`() {
    let plugin = ClickPlugin(settings: "deep=nothing", button: .nothing, pads: [pad])
    #expect(plugin.text.split(separator: "\n").contains("local BUTTON = nil"))
  }

  @Test func `what is installed is read from its first line`() throws {
    try withTemporaryFolder { folder in
      let place = folder + "/libinput/plugins"
      #expect(ClickPlugin.installed(in: place) == nil)
      try ClickPlugin(settings: "deep=middle", button: .middle, pads: [pad]).write(to: place)
      let installed = ClickPlugin.installed(in: place)
      #expect(installed?.version == Version.current)
      #expect(installed?.settings == "deep=middle")
    }
  }
}

struct PluginSupportTests {
  private static let function = "libinput_plugin_system_load_plugins"

  /// The support by files with these contents.
  private func support(
    _ files: [String: String], _ environment: [String: String]
  ) throws -> PluginSupport {
    try withTemporaryFolder { root in
      for (path, text) in files {
        try AtomicFile.createFolders(
          String(root + path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        try AtomicFile.write(Array(text.utf8), to: root + path)
      }
      return PluginSupport(root: root, environment: environment)
    }
  }

  @Test func `a desktop and a libinput with plugins are found`() throws {
    let files = [
      "/usr/lib/x86_64-linux-gnu/libinput.so.10": "..\(Self.function)..liblua5.4.so.0..",
      "/usr/lib/x86_64-linux-gnu/libmutter-18.so.0.0.0": "l\(Self.function)",
    ]
    let support = try support(files, ["XDG_CURRENT_DESKTOP": "ubuntu:GNOME"])
    #expect(support.desktop?.name == "GNOME")
    #expect(support.desktop?.readsUserFolder == true)
    #expect(support.loads == true)
    #expect(support.hasPlugins)
    #expect(support.hasLua)
  }

  @Test func `a libinput without Lua and a desktop that loads none are found`() throws {
    let files = [
      "/usr/lib/libinput.so.10": "\(Self.function)",
      "/usr/lib/libkwin.so.6": "libinput_plugin_system_load_plugin",
    ]
    let support = try support(
      files, ["XDG_CURRENT_DESKTOP": "KDE", "KWIN_LIBINPUT_NO_PLUGINS": "1"])
    #expect(support.loads == false)
    #expect(support.hasPlugins)
    #expect(!support.hasLua)
    #expect(support.disabledBy == "KWIN_LIBINPUT_NO_PLUGINS")
  }

  @Test(arguments: [
    (["XDG_CURRENT_DESKTOP": "GNOME", "XDG_SESSION_TYPE": "x11"], "Xorg"),
    (["XDG_CURRENT_DESKTOP": "sway"], "sway"), ([:], nil),
  ])
  func `the session determines the desktop`(_ environment: [String: String], _ name: String?) throws
  {
    let support = try support([:], environment)
    #expect(support.desktop?.name == name)
    #expect(support.loads == nil)
    #expect(support.libinput == nil)
  }
}

private func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
  let folder = try TemporaryDirectory.make(in: "/tmp")
  defer { Files.removeAll(folder) }
  return try body(folder)
}
