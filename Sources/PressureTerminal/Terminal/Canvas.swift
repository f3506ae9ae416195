internal import CTerminal

struct TerminalSize: Hashable {
  var columns: Int
  var rows: Int

  /// The cells of an 8K screen with a font of 8 by 16 pixels.
  ///
  /// Cells beyond it stay blank: a canvas of any size that a window claims could exhaust memory.
  private static let largest = TerminalSize(columns: 960, rows: 270)
}

extension TerminalSize {
  /// The size of a terminal; if it does not report one, as a serial line, the conventional 80 × 24.
  init(of descriptor: Int32) {
    var (width, height): (Int32, Int32) = (0, 0)
    _ = pressured_terminal_size(descriptor, &width, &height)
    columns = width > 0 ? min(Int(width), TerminalSize.largest.columns) : 80
    rows = height > 0 ? min(Int(height), TerminalSize.largest.rows) : 24
  }
}

struct Cell: Hashable {
  /// Its character; nil in the second half of a character that takes two cells.
  var glyph: Unicode.Scalar? = " "

  var style = Style.plain

  static let blank = Cell()

  /// The background of a text in this cell; for a half block, the mean of both halves.
  fileprivate var behind: Color? {
    guard let background = style.background else { return nil }
    guard glyph == "▀", let upper = style.foreground else { return background }
    return background.under(upper, opacity: 0.5)
  }
}

/// A drawing made of cells.
///
/// Drawing outside its bounds has no effect.
struct Canvas: Equatable {
  let size: TerminalSize
  private(set) var cells: [Cell]

  init(_ size: TerminalSize) {
    self.size = TerminalSize(columns: max(size.columns, 0), rows: max(size.rows, 0))
    cells = Array(repeating: .blank, count: self.size.columns * self.size.rows)
  }

  private func index(_ column: Int, _ row: Int) -> Int? {
    guard (0..<size.columns).contains(column), (0..<size.rows).contains(row) else { return nil }
    return row * size.columns + column
  }

  func cell(_ column: Int, _ row: Int) -> Cell? { index(column, row).map { cells[$0] } }

  /// Draws a character of one column; the other half of a wide character that it overwrites becomes blank.
  mutating func put(_ glyph: Unicode.Scalar, _ column: Int, _ row: Int, _ style: Style) {
    set(Cell(glyph: glyph, style: style), column, row)
  }

  private mutating func set(_ cell: Cell, _ column: Int, _ row: Int) {
    guard let index = index(column, row) else { return }
    if cells[index].glyph == nil, column > 0 { cells[index - 1].glyph = " " }
    if column + 1 < size.columns, cells[index + 1].glyph == nil { cells[index + 1].glyph = " " }
    cells[index] = cell
  }

  /// Draws a text in a row, clipped to `width` columns.
  ///
  /// Control characters are omitted, and a character of two columns is never cut. Without a style, the text keeps
  /// the background of the cells and gets a contrasting color.
  ///
  /// - Returns: the number of columns that were drawn.
  @discardableResult
  mutating func put(
    _ text: some StringProtocol, _ column: Int, _ row: Int, _ style: Style? = .plain,
    width: Int? = nil
  ) -> Int {
    let end = min(column + (width ?? size.columns), size.columns)
    var position = column
    let contrast = style == nil ? contrast(to: column..<min(column + text.columns, end), row) : nil
    for glyph in text.unicodeScalars {
      let columns = glyph.columns
      guard columns > 0 else { continue }
      guard position + columns <= end else { break }
      let style = style ?? legible(position, row, contrast)
      put(glyph, position, row, style)
      if columns == 2, position >= 0 { set(Cell(glyph: nil, style: style), position + 1, row) }
      position += columns
    }
    return position - column
  }

  mutating func put(keys: [(key: String, action: String)]) {
    var column = 1
    for (key, action) in keys {
      column += put(key, column, size.rows - 1, .bold) + 1
      column += put(action, column, size.rows - 1, .dim) + 3
    }
  }

  mutating func put(upper: Color, lower: Color, _ column: Int, _ row: Int) {
    let isOne = upper == lower
    put(isOne ? " " : "▀", column, row, Style(foreground: isOne ? nil : upper, background: lower))
  }

  mutating func fill(_ columns: Range<Int>, _ row: Int, _ glyph: Unicode.Scalar, _ style: Style) {
    for column in columns { put(glyph, column, row, style) }
  }

  /// Draws a large text of digits and signs, clipped to the canvas.
  ///
  /// `times` scales its dots.
  mutating func put(
    big text: String, _ column: Int, _ row: Int, _ style: Style, glyphs: Glyphs, times: Int = 1
  ) {
    let block: Unicode.Scalar = glyphs == .all ? "█" : "#"
    let dotColumns = BigText.dotColumns * times
    var position = column
    for glyph in text.unicodeScalars {
      let lines = BigText.dots(glyph)
      for (line, dots) in lines.enumerated() {
        for (number, dot) in dots.enumerated() where dot == "#" {
          let left = position + number * dotColumns
          for below in 0..<times {
            fill(left..<left + dotColumns, row + line * times + below, block, style)
          }
        }
      }
      position += (lines[0].count + 1) * dotColumns
    }
  }

  private func legible(_ column: Int, _ row: Int, _ text: Color?) -> Style {
    guard let background = cell(column, row)?.behind else { return .bold }
    return Style(foreground: text, background: background, isBold: true)
  }

  /// Black or white for a whole text, by the average luminance of its background.
  private func contrast(to columns: Range<Int>, _ row: Int) -> Color {
    let behind = columns.compactMap { cell($0, row)?.behind?.luminance }
    let isBright = behind.reduce(0, +) > 0.5 * Double(behind.count)
    return isBright ? Color(0, 0, 0) : Color(255, 255, 255)
  }
}

/// Large digits drawn with block characters.
///
/// Most glyphs are three dots wide, and all are five dots high, with a dot between two glyphs; a dot is two columns
/// wide and one row high, so that it is about square.
enum BigText {
  static let rows = 5

  fileprivate static let dotColumns = 2

  static func columns(of text: String) -> Int {
    let width = text.unicodeScalars.reduce(0) { $0 + dots($1)[0].count + 1 }
    return max(width - 1, 0) * dotColumns
  }

  /// The rows of a glyph, with `#` for a dot; blank if the font lacks the glyph.
  fileprivate static func dots(_ glyph: Unicode.Scalar) -> [String] {
    (font[glyph] ?? "   /   /   /   /   ").split(separator: "/").map(String.init)
  }

  private static let font: [Unicode.Scalar: String] = [
    "0": "###/# #/# #/# #/###", "1": " # /## / # / # /###", "2": "###/  #/###/#  /###",
    "3": "###/  #/###/  #/###", "4": "# #/# #/###/  #/  #", "5": "###/#  /###/  #/###",
    "6": "###/#  /###/# #/###", "7": "###/  #/  #/  #/  #", "8": "###/# #/###/# #/###",
    "9": "###/# #/###/  #/###", "-": "   /   /###/   /   ", "+": "   / # /###/ # /   ",
    ".": " / / / /#", " ": " / / / / ", "≈": " ##  #/#  ## /      / ##  #/#  ## ",
    "?": "###/  #/ ##/   / # ",
  ]
}

extension Unicode.Scalar {
  /// A locale with the widths of all Unicode characters, independent of the user's locale.
  ///
  /// It is created once and never changes.
  nonisolated(unsafe) private static let unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

  /// Its width according to wcwidth(3): 0 for a combining character, 1, 2, or -1 if it is not printable.
  var columns: Int {
    // The common case needs no call into the C library.
    if (0x20..<0x7f).contains(value) { return 1 }
    guard let locale = Unicode.Scalar.unicode else { return value < 0xa0 ? -1 : 1 }
    let before = uselocale(locale)
    defer { uselocale(before) }
    return Int(wcwidth(wchar_t(value)))
  }
}

extension StringProtocol {
  var columns: Int { unicodeScalars.reduce(0) { $0 + Swift.max($1.columns, 0) } }
}

extension String {
  /// A number of blanks; none if it is negative.
  static func blanks(_ count: Int) -> String { String(repeating: " ", count: Swift.max(count, 0)) }

  /// The text in lines of a maximum number of columns, broken at spaces; all have its indentation.
  func wrapped(to width: Int) -> [String] {
    guard columns > width else { return [self] }
    let indentation = prefix { $0 == " " }
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, last.columns + 1 + word.columns <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append("\(indentation)\(word)")
      }
    }
    return lines
  }
}
