internal import Glibc
internal import PressureSystem

/// The screen that a pen is for.
package struct ScreenShape: Hashable {
  /// The name of its connector, such as `eDP-1`.
  package let connector: String

  /// Its preferred mode, such as `1920x1080`.
  package let mode: String

  /// Its width divided by its height.
  package let aspect: Double

  private static let folder = "/sys/class/drm"

  /// The longest line, such as `1920x1080i`.
  private static let maximumLength = 64

  /// The screen in use: a built-in one, or else the first one.
  ///
  /// A panel whose lid is closed stays connected, but is not enabled.
  ///
  /// - Parameter folder: the kernel's list of connectors.
  /// - Returns: the screen, or nil if the kernel states none.
  package static func inUse(in folder: String = ScreenShape.folder) -> ScreenShape? {
    let names = FileNames.names(in: folder).filter { $0.hasPrefix("card") && $0.contains("-") }
    let isBuiltIn = { (name: String) in name.includes("eDP") || name.includes("LVDS") }
    let sorted = names.sorted { (isBuiltIn($0) ? 0 : 1, $0) < (isBuiltIn($1) ? 0 : 1, $1) }
    for name in sorted {
      guard line("\(folder)/\(name)/status") == "connected",
        line("\(folder)/\(name)/enabled") == "enabled", let mode = line("\(folder)/\(name)/modes"),
        // An interlaced mode ends in this letter.
        let aspect = aspect(mode.hasSuffix("i") ? String(mode.dropLast()) : mode)
      else { continue }
      let connector = name.drop { $0 != "-" }.dropFirst()
      return ScreenShape(connector: String(connector), mode: mode, aspect: aspect)
    }
    return nil
  }

  /// Parses WIDTHxHEIGHT or WIDTH:HEIGHT; nil unless both are positive.
  package static func aspect(_ text: String) -> Double? {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == ":" }
    guard parts.count == 2, let width = Double(parts[0]), let height = Double(parts[1]) else {
      return nil
    }
    guard width >= 1, height >= 1, width <= 100_000, height <= 100_000 else { return nil }
    let aspect = width / height
    return (0.1...10).contains(aspect) ? aspect : nil
  }

  /// The first line of a small file.
  private static func line(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    let descriptor = Descriptor(file)
    var bytes: [UInt8] = Array(repeating: 0, count: maximumLength)
    let count = read(descriptor.number, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).prefix { $0 != 0x0a }, as: UTF8.self)
  }
}
