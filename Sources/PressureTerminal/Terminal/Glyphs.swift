internal import CTerminal

/// The characters that a terminal can show.
package enum Glyphs {
  /// Braille, blocks and lines.
  case all
  /// What a typewriter has.
  case ascii

  /// Terminals whose font has neither Braille nor half blocks, whatever the locale says.
  private static let poor = ["linux", "vt100", "vt102", "vt220"]

  /// What the locale and the terminal have in common.
  ///
  /// - Parameters:
  ///   - codeset: the locale's, as `nl_langinfo` has it.
  ///   - terminal: `$TERM`.
  init(codeset: String, terminal: String) {
    self = codeset == "UTF-8" && !Glyphs.poor.contains(terminal) ? .all : .ascii
  }

  /// What this program's locale says, which is looked at here for the first time.
  static func ofLocale(terminal: String) -> Glyphs {
    setlocale(LC_CTYPE, "")
    return Glyphs(codeset: String(cString: nl_langinfo(Int32(CODESET))), terminal: terminal)
  }
}
