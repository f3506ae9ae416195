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
