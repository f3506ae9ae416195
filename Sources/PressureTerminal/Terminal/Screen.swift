internal import PressureSystem

struct Screen {
  /// A gap of up to this many unchanged cells is sent again, because moving the cursor takes as many bytes.
  private static let maxGap = 4

  private let depth: ColorDepth
  private var size: TerminalSize?
  private var cells: [Cell] = []
  private var style: Style?
  private var output = ""

  init(depth: ColorDepth) {
    self.depth = depth
  }

  /// Has the next canvas sent completely, because another program may have written to the terminal.
  mutating func invalidate() { size = nil }

  /// Returns the bytes that change the last canvas into this one; empty if they look the same.
  mutating func show(_ canvas: Canvas) -> String {
    output = ""
    style = nil
    let isNew = canvas.size != size
    let wanted = canvas.cells.map { Cell(glyph: $0.glyph, style: $0.style.shown(depth)) }
    if isNew {
      size = canvas.size
      cells = Array(repeating: .blank, count: wanted.count)
    }
    for row in 0..<canvas.size.rows { show(row, of: wanted, canvas.size.columns) }
    cells = wanted
    if isNew { return Screen.begin + Screen.clear + output + Screen.end }
    return output.isEmpty ? "" : Screen.begin + output + Screen.end
  }

  private mutating func show(_ row: Int, of wanted: [Cell], _ columns: Int) {
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
      send(Cell(glyph: glyph, style: wanted[index].style))
      cursor = end
    }
  }

  private mutating func send(_ cell: Cell) {
    guard let glyph = cell.glyph else { return }
    if cell.style != style {
      output += cell.style.sequence(after: style, depth)
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

  /// The style reduced to the colors of a terminal; two are equal if they look the same.
  func shown(_ depth: ColorDepth) -> Style {
    var style = self
    style.foreground = foreground?.shown(depth)
    style.background = background?.shown(depth)
    return style
  }

  /// The SGR sequence that changes `before`, or any style, to this one, as shown at the same depth.
  func sequence(after before: Style? = nil, _ depth: ColorDepth) -> String {
    var kept = self
    (kept.foreground, kept.background) = (before?.foreground, before?.background)
    let text = foreground?.code(30, depth) ?? ""
    let behind = background?.code(40, depth) ?? ""
    // Changed colors alone need no reset, except to the default.
    if let before, kept == before, foreground != nil || before.foreground == nil,
      background != nil || before.background == nil
    {
      let codes =
        (before.foreground == foreground ? "" : text)
        + (before.background == background ? "" : behind)
      return "\u{1b}[\(codes.dropFirst())m"
    }
    var codes = "0"
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isReversed { codes += ";7" }
    return "\u{1b}[\(codes)\(text)\(behind)m"
  }
}

struct Color: Hashable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
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

  /// The color as a terminal shows it; nil for the default.
  func shown(_ depth: ColorDepth) -> Color? {
    switch depth {
    case .none: nil
    case .palette: nearestOfPalette.color
    case .full: self
    }
  }

  /// Its SGR parameters as shown at a depth with colors; the base is 30 for the text, 40 for the background.
  fileprivate func code(_ base: Int, _ depth: ColorDepth) -> String {
    let color = depth == .full ? "2;\(red);\(green);\(blue)" : "5;\(nearestOfPalette.index)"
    return ";\(base + 8);\(color)"
  }

  /// The nearest color of the 256-color palette, without the first sixteen, which terminals define differently.
  var nearestOfPalette: (index: Int, color: Color) {
    let (r, g, b) = (Color.step(red), Color.step(green), Color.step(blue))
    let inCube = Color(Color.steps[r], Color.steps[g], Color.steps[b])
    let mean = (Int(red) + Int(green) + Int(blue)) / 3
    let gray = min(max((mean - 3) / 10, 0), 23)
    let level = UInt8(8 + 10 * gray)
    let inGray = Color(level, level, level)
    return distance(to: inGray) < distance(to: inCube)
      ? (232 + gray, inGray) : (16 + 36 * r + 6 * g + b, inCube)
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
}
