internal import CLinux
internal import Glibc
internal import PressureSystem

/// What this desktop and its libinput can do with plugins, from their files.
///
/// Versions are not compared: a program that loads plugins calls libinput's function for it, and one with Lua is linked with it.
package struct PluginSupport {
  package struct Desktop: Sendable {
    /// As in `XDG_CURRENT_DESKTOP`.
    fileprivate let id: String
    package let name: String

    /// The first version that loads plugins; nil if none does.
    package let since: String?

    package let readsUserFolder: Bool

    /// The file that uses libinput.
    fileprivate let file: String
  }

  private static let desktops = [
    ("gnome", "GNOME", "GNOME 50", true, "libmutter-"),
    ("niri", "niri", "niri 26.04", true, "niri"),
    ("kde", "KDE Plasma", "KDE Plasma 6.7", false, "libkwin.so"),
    ("hyprland", "Hyprland", "Hyprland with aquamarine 0.13", false, "libaquamarine.so"),
    ("x11", "Xorg", "xf86-input-libinput of 2026", false, "libinput_drv.so"),
    ("sway", "sway", nil, false, "libwlroots"),
    ("cosmic", "COSMIC", nil, false, "cosmic-comp"),
  ].map { Desktop(id: $0.0, name: $0.1, since: $0.2, readsUserFolder: $0.3, file: $0.4) }

  /// The variables that turn plugins off.
  private static let switches = ["KWIN_LIBINPUT_NO_PLUGINS", "AQ_LIBINPUT_NO_PLUGINS"]

  package static let variables =
    ["XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_CONFIG_HOME", "HOME"] + switches

  /// The desktop of this session; nil outside of one, or if it is unknown.
  package let desktop: Desktop?

  /// Whether its program loads plugins; nil if its file was not found.
  package let loads: Bool?

  package let disabledBy: String?

  /// The path of libinput; nil if it was not found.
  package let libinput: String?

  package let hasPlugins: Bool
  package let hasLua: Bool

  /// Looks at the files below `root`, with the variables of the session.
  package init(root: String = "", environment: [String: String]) {
    let session =
      environment["XDG_SESSION_TYPE"] == "x11" ? "x11" : environment["XDG_CURRENT_DESKTOP"]
    let ids = session?.lowercased().split(separator: ":").map(String.init) ?? []
    desktop = PluginSupport.desktops.first { ids.contains($0.id) }
    let function = "libinput_plugin_system_load_plugins"
    let files = desktop.map { PluginSupport.files(named: $0.file, below: root) } ?? []
    loads = files.isEmpty ? nil : files.contains { includes(function, in: $0) }
    disabledBy = PluginSupport.switches.first { environment[$0] != nil }
    libinput = PluginSupport.files(named: "libinput.so.10", below: root).first
    hasPlugins = libinput.map { includes(function, in: $0) } ?? false
    hasLua = libinput.map { includes("liblua", in: $0) } ?? false
  }

  /// The files of this name, with a version after it if it is that of a library.
  private static func files(named name: String, below root: String) -> [String] {
    let isLibrary = name.hasPrefix("lib")
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/bin", "/usr/local/bin"]
      .map { root + $0 }
    let places = folders.flatMap { folder in
      [folder, "\(folder)/xorg/modules/input"]
        + FileNames.names(in: folder).filter { $0.hasSuffix("-linux-gnu") }.map {
          "\(folder)/\($0)"
        }
    }
    return places.flatMap { place in
      FileNames.names(in: place).filter { $0 == name || isLibrary && $0.hasPrefix(name) }
        .map { "\(place)/\($0)" }
    }
  }
}

/// Whether a file contains a text; read as a map, as some are large.
private func includes(_ text: String, in path: String) -> Bool {
  let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
  var status = stat()
  guard file.number >= 0, fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
    status.st_size > 0,
    let map = mmap(nil, status.st_size, PROT_READ, MAP_PRIVATE, file.number, 0), map != MAP_FAILED
  else { return false }
  defer { munmap(map, status.st_size) }
  let word = Array(text.utf8)
  return memmem(map, status.st_size, word, word.count) != nil
}
