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

  /// Discards the known content, because another program may have written to the terminal.
  ///
  /// The next canvas is sent completely.
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
      cells = Array(repeating: Shown(glyph: " ", style: .plain), count: wanted.count)
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

package struct Style: Hashable {
  /// The color of the text; nil for the terminal's default.
  var foreground: Color?

  /// The color of the background; nil for the terminal's default.
  var background: Color?

  var isBold = false
  var isDim = false

  /// Whether the two colors are swapped, which is visible without colors as well.
  var isReversed = false

  package static let plain = Style()
  static let bold = Style(isBold: true)
  static let dim = Style(isDim: true)
}

/// A style reduced to the colors of a terminal; two are equal if they look the same.
struct ShownStyle: Hashable {
  enum Shade: Hashable {
    /// The terminal's default color.
    case own
    case sixteen(UInt8)
    case palette(UInt8)
    case full(Color)

    init(_ color: Color?, _ depth: ColorDepth) {
      guard let color else {
        self = .own
        return
      }
      switch depth {
      case .none: self = .own
      case .sixteen: self = .sixteen(color.nearestOfSixteen)
      case .palette: self = .palette(color.nearestOfPalette)
      case .full: self = .full(color)
      }
    }

    /// Its SGR parameters; the base is 30 for the text, 40 for the background.
    fileprivate func code(_ base: Int) -> String {
      switch self {
      case .own: ""
      case .sixteen(let number) where number < 8: ";\(base + Int(number))"
      case .sixteen(let number): ";\(base + 60 + Int(number) - 8)"
      case .palette(let number): ";\(base + 8);5;\(number)"
      case .full(let color): ";\(base + 8);2;\(color.red);\(color.green);\(color.blue)"
      }
    }
  }

  private var foreground = Shade.own
  private var background = Shade.own
  private var isBold = false
  private var isDim = false
  private var isReversed = false
  static let plain = ShownStyle()

  private init() {}

  init(_ style: Style, _ depth: ColorDepth) {
    foreground = Shade(style.foreground, depth)
    background = Shade(style.background, depth)
    isBold = style.isBold
    isDim = style.isDim
    isReversed = style.isReversed
  }

  /// The SGR sequence that sets this style, independent of the previous one.
  var sequence: String {
    var codes = "0"
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isReversed { codes += ";7" }
    return "\u{1b}[\(codes)\(foreground.code(30))\(background.code(40))m"
  }

  /// The SGR sequence that changes `before` to this style; changed colors alone need no reset.
  func sequence(after before: ShownStyle?) -> String {
    guard let before, before.isBold == isBold, before.isDim == isDim,
      before.isReversed == isReversed, !gains(.own, from: before)
    else { return sequence }
    let text = before.foreground == foreground ? "" : foreground.code(30)
    let behind = before.background == background ? "" : background.code(40)
    return "\u{1b}[\((text + behind).dropFirst())m"
  }

  private func gains(_ shade: Shade, from before: ShownStyle) -> Bool {
    (foreground == shade && before.foreground != shade)
      || (background == shade && before.background != shade)
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

  /// The nearest color of the 16-color palette.
  var nearestOfSixteen: UInt8 {
    let nearest = Color.sixteen.indices.min {
      distance(to: Color.sixteen[$0]) < distance(to: Color.sixteen[$1])
    }
    return UInt8(nearest ?? 7)
  }

  private static let steps: [UInt8] = [0, 95, 135, 175, 215, 255]

  private static func step(_ value: UInt8) -> Int {
    switch value {
    case ..<48: 0
    case ..<115: 1
    default: (Int(value) - 35) / 40
    }
  }

  /// The 16-color palette of xterm.
  private static let sixteen = [
    Color(0, 0, 0), Color(205, 0, 0), Color(0, 205, 0), Color(205, 205, 0),
    Color(0, 0, 238), Color(205, 0, 205), Color(0, 205, 205), Color(229, 229, 229),
    Color(127, 127, 127), Color(255, 0, 0), Color(0, 255, 0), Color(255, 255, 0),
    Color(92, 92, 255), Color(255, 0, 255), Color(0, 255, 255), Color(255, 255, 255),
  ]
}

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
      self = terminal.includes("256color") ? .palette : .sixteen
    }
  }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The characters that a terminal can display.
package enum Glyphs {
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
