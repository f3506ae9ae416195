internal import CTerminal
internal import PressureSystem

/// The number of colors that a terminal supports.
enum ColorDepth: Int, Comparable, CaseIterable {
  /// No colors, or `NO_COLOR` is set.
  case none
  /// The 16-color palette, which terminals define differently.
  case sixteen
  /// The 256-color palette of xterm: a 6 × 6 × 6 cube and 24 grays.
  case palette
  /// 24 bits.
  case full

  /// The environment variables that determine it.
  static let variables = ["COLORTERM", "NO_COLOR", "TERM"]

  /// Terminals with 24-bit colors that do not always set `COLORTERM`.
  private static let trueColor = ["alacritty", "contour", "foot", "ghostty", "kitty", "wezterm"]

  /// Terminals without colors.
  private static let monochrome = ["dumb", "vt100", "vt102", "vt220", "xterm-mono"]

  /// Determines the depth from the environment; `NO_COLOR` disables colors.
  ///
  /// - Parameter environment: the values of those of `variables` that are set and not empty.
  init(environment: [String: String]) {
    let terminal = environment["TERM"] ?? "dumb"
    let colorTerm = environment["COLORTERM"] ?? ""
    if environment["NO_COLOR"] != nil || ColorDepth.monochrome.contains(terminal) {
      self = .none
    } else if ["truecolor", "24bit"].contains(colorTerm) || terminal.hasSuffix("-direct")
      || ColorDepth.trueColor.contains(where: { terminal.includes($0) })
    {
      self = .full
    } else {
      self = terminal.includes("256color") ? .palette : .sixteen
    }
  }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The characters that a terminal can display.
package enum Glyphs {
  /// Unicode, with blocks and lines.
  case all
  /// ASCII only.
  case ascii

  /// Terminals whose fonts lack half blocks, even in a UTF-8 locale.
  private static let limited = ["linux", "vt100", "vt102", "vt220"]

  /// Determines the characters that both the locale and the terminal support.
  ///
  /// - Parameters:
  ///   - codeset: the codeset of the locale, from nl_langinfo(3).
  ///   - terminal: `$TERM`.
  init(codeset: String, terminal: String) {
    self = codeset == "UTF-8" && !Glyphs.limited.contains(terminal) ? .all : .ascii
  }

  /// Determines the characters from the locale of the environment, which this call activates.
  static func ofLocale(terminal: String) -> Glyphs {
    setlocale(LC_CTYPE, "")
    return Glyphs(codeset: String(cString: nl_langinfo(Int32(CODESET))), terminal: terminal)
  }
}
