internal import CTerminal
internal import PressureSystem

/// The content of a terminal, and the differences to send to change it.
struct Screen {
  private struct Shown: Equatable {
    var glyph: Unicode.Scalar?
    var style: ShownStyle
  }

  /// A gap of up to this many unchanged cells is sent again, because moving the cursor takes as many bytes.
  private static let maxGap = 4

  private let depth: ColorDepth
  private var size: TerminalSize?
  private var cells: [Shown] = []
  private var style: ShownStyle?
  private var output = ""

  init(depth: ColorDepth) {
    self.depth = depth
  }

  /// Has the next canvas sent completely, because another program may have written to the terminal.
  mutating func invalidate() {
    size = nil
  }

  /// Returns the bytes that change the last canvas into this one; empty if they look the same.
  mutating func show(_ canvas: Canvas) -> String {
    output = ""
    style = nil
    let isNew = canvas.size != size
    let wanted = canvas.cells.map { Shown(glyph: $0.glyph, style: ShownStyle($0.style, depth)) }
    if isNew {
      size = canvas.size
      let blank = Shown(glyph: " ", style: ShownStyle(.plain, depth))
      cells = Array(repeating: blank, count: wanted.count)
    }
    for row in 0..<canvas.size.rows { show(row, of: wanted, canvas.size.columns) }
    cells = wanted
    if isNew { return Screen.begin + Screen.clear + output + Screen.end }
    return output.isEmpty ? "" : Screen.begin + output + Screen.end
  }

  private mutating func show(_ row: Int, of wanted: [Shown], _ columns: Int) {
    let start = row * columns
    var column = 0
    /// The column of the cursor, if it is in this row.
    var cursor: Int?
    while column < columns {
      let index = start + column
      let end = column + 1 < columns && wanted[index + 1].glyph == nil ? column + 2 : column + 1
      defer { column = end }
      let isSame = (column..<end).allSatisfy { wanted[start + $0] == cells[start + $0] }
      guard !isSame, let glyph = wanted[index].glyph else { continue }
      if let cursor, column - cursor <= Screen.maxGap {
        for between in cursor..<column { send(wanted[start + between]) }
      } else {
        output += "\u{1b}[\(row + 1);\(column + 1)H"
      }
      send(Shown(glyph: glyph, style: wanted[index].style))
      cursor = end
    }
  }

  private mutating func send(_ cell: Shown) {
    guard let glyph = cell.glyph else { return }
    if cell.style != style {
      output += cell.style.sequence(after: style)
      style = cell.style
    }
    output.unicodeScalars.append(glyph)
  }

  /// Synchronized output: terminals without support ignore these sequences.
  private static let begin = "\u{1b}[?2026h"
  private static let end = "\u{1b}[0m\u{1b}[?2026l"
  private static let clear = "\u{1b}[0m\u{1b}[2J"
}

/// The style of a cell; a color that is nil is the terminal's default.
struct Style: Hashable {
  var foreground: Color?
  var background: Color?
  var isBold = false
  var isDim = false

  /// Whether the two colors are swapped, which is visible without colors as well.
  var isReversed = false

  static let plain = Style()
  static let bold = Style(isBold: true)
  static let dim = Style(isDim: true)
}

/// A style reduced to the colors of a terminal; two are equal if they look the same.
struct ShownStyle: Hashable {
  enum Shade: Hashable {
    /// The terminal's default color.
    case own
    case palette(UInt8)
    case full(Color)

    init(_ color: Color?, _ depth: ColorDepth) {
      self =
        switch (color, depth) {
        case (nil, _), (_, .none): .own
        case (let color?, .palette): .palette(color.nearestOfPalette)
        case (let color?, .full): .full(color)
        }
    }

    /// Its SGR parameters; the base is 30 for the text, 40 for the background.
    fileprivate func code(_ base: Int) -> String {
      switch self {
      case .own: ""
      case .palette(let number): ";\(base + 8);5;\(number)"
      case .full(let color): ";\(base + 8);2;\(color.red);\(color.green);\(color.blue)"
      }
    }
  }

  private let foreground: Shade
  private let background: Shade

  /// The style without its colors.
  private let attributes: Style

  init(_ style: Style, _ depth: ColorDepth) {
    foreground = Shade(style.foreground, depth)
    background = Shade(style.background, depth)
    attributes = Style(isBold: style.isBold, isDim: style.isDim, isReversed: style.isReversed)
  }

  /// The SGR sequence that sets this style, independent of the previous one.
  var sequence: String {
    var codes = "0"
    if attributes.isBold { codes += ";1" }
    if attributes.isDim { codes += ";2" }
    if attributes.isReversed { codes += ";7" }
    return "\u{1b}[\(codes)\(foreground.code(30))\(background.code(40))m"
  }

  /// The SGR sequence that changes `before` to this style; changed colors alone need no reset.
  func sequence(after before: ShownStyle?) -> String {
    guard let before, before.attributes == attributes,
      foreground != .own || before.foreground == .own,
      background != .own || before.background == .own
    else { return sequence }
    let text = before.foreground == foreground ? "" : foreground.code(30)
    let behind = before.background == background ? "" : background.code(40)
    return "\u{1b}[\((text + behind).dropFirst())m"
  }
}

struct Color: Hashable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Blends another color over this one, with the given opacity, 0…1.
  func under(_ other: Color, opacity: Double) -> Color {
    func mixed(_ below: UInt8, _ above: UInt8) -> UInt8 {
      UInt8((Double(below) + (Double(above) - Double(below)) * opacity).rounded())
    }
    return Color(mixed(red, other.red), mixed(green, other.green), mixed(blue, other.blue))
  }

  /// The perceived brightness, 0…1; above 0.5, text on it must be dark.
  var luminance: Double {
    (0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)) / 255
  }

  /// The weighted distance of two colors; green has the greatest weight, as in human vision.
  func distance(to other: Color) -> Int {
    let red = Int(red) - Int(other.red)
    let green = Int(green) - Int(other.green)
    let blue = Int(blue) - Int(other.blue)
    return 3 * red * red + 6 * green * green + blue * blue
  }
}

extension Color {
  /// The nearest color of the 256-color palette, without the first sixteen, which terminals define differently.
  var nearestOfPalette: UInt8 {
    let (r, g, b) = (Color.step(red), Color.step(green), Color.step(blue))
    let inCube = Color(Color.steps[r], Color.steps[g], Color.steps[b])
    let cube = UInt8(16 + 36 * r + 6 * g + b)
    let mean = (Int(red) + Int(green) + Int(blue)) / 3
    let gray = min(max((mean - 3) / 10, 0), 23)
    let level = UInt8(8 + 10 * gray)
    return distance(to: Color(level, level, level)) < distance(to: inCube)
      ? UInt8(232 + gray) : cube
  }

  private static let steps: [UInt8] = [0, 95, 135, 175, 215, 255]

  private static func step(_ value: UInt8) -> Int {
    switch value {
    case ..<48: 0
    case ..<115: 1
    default: (Int(value) - 35) / 40
    }
  }
}

enum ColorDepth {
  /// No colors, or `NO_COLOR` is set.
  case none
  /// The 256-color palette of xterm: a 6 × 6 × 6 cube and 24 grays.
  ///
  /// Terminals with fewer colors, such as the console of Linux, show the nearest of theirs.
  case palette
  /// 24 bits.
  case full

  static let variables = ["COLORTERM", "NO_COLOR", "TERM"]

  /// Terminals with 24-bit colors that do not always set `COLORTERM`.
  private static let trueColor = ["alacritty", "contour", "foot", "ghostty", "kitty", "wezterm"]

  private static let monochrome = ["dumb", "vt100", "vt102", "vt220", "xterm-mono"]

  /// Determines the depth from the environment; `NO_COLOR` disables colors.
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
      self = .palette
    }
  }
}

enum Glyphs {
  /// Unicode, with blocks and lines.
  case all
  case ascii

  /// Terminals whose fonts lack half blocks, even in a UTF-8 locale.
  private static let limited = ["linux", "vt100", "vt102", "vt220"]

  /// Determines the characters that both the codeset of the locale and the terminal, `$TERM`, support.
  init(codeset: String, terminal: String) {
    self = codeset == "UTF-8" && !Glyphs.limited.contains(terminal) ? .all : .ascii
  }

  /// Determines the characters from the locale of the environment, which this call activates.
  static func ofLocale(terminal: String) -> Glyphs {
    setlocale(LC_CTYPE, "")
    return Glyphs(codeset: String(cString: nl_langinfo(Int32(CODESET))), terminal: terminal)
  }
}
