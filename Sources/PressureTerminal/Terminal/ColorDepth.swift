/// How many colors a terminal shows.
enum ColorDepth: Int, Comparable, CaseIterable {
  /// None, or none are wanted.
  case none
  /// The sixteen that each terminal has its own idea of.
  case sixteen
  /// xterm's 256: a cube of six steps a side, and 24 grays.
  case palette
  /// 24 bits.
  case full

  /// The variables that it is read from.
  static let variables = ["COLORTERM", "NO_COLOR", "TERM"]

  /// Terminals that show 24 bits and do not always say so.
  private static let generous = ["alacritty", "contour", "foot", "ghostty", "kitty", "wezterm"]

  /// Terminals that have never shown a color.
  private static let plain = ["dumb", "vt100", "vt102", "vt220", "xterm-mono"]

  /// What the variables say; whoever sets `NO_COLOR` wants none.
  ///
  /// - Parameter environment: the values of `variables`, without those that are not set or empty.
  init(environment: [String: String]) {
    let terminal = environment["TERM"] ?? "dumb"
    let promise = environment["COLORTERM"] ?? ""
    if environment["NO_COLOR"] != nil || ColorDepth.plain.contains(terminal) {
      self = .none
    } else if ["truecolor", "24bit"].contains(promise) || terminal.hasSuffix("-direct")
      || ColorDepth.generous.contains(where: { terminal.contains($0) })
    {
      self = .full
    } else {
      self = terminal.contains("256color") ? .palette : .sixteen
    }
  }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
