/// What a terminal shows, and what has to be sent to it to show something else.
struct Screen {
  private struct Shown: Equatable {
    var glyph: Unicode.Scalar?
    var style: ShownStyle
  }

  /// Unchanged cells that are sent again, as to go around them takes as many bytes.
  private static let bridge = 4

  private let depth: ColorDepth
  private var size: TerminalSize?
  private var cells: [Shown] = []
  private var style: ShownStyle?
  private var output = ""

  init(depth: ColorDepth) {
    self.depth = depth
  }

  /// Forgets what the terminal shows, as somebody else has written on it: the next picture is sent whole.
  mutating func forget() {
    size = nil
  }

  /// Gives what turns the last picture into this one; nothing where they look the same.
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
    /// The column that the cursor stands at, if it stands in this row.
    var cursor: Int?
    while column < columns {
      let index = start + column
      let end = column + 1 < columns && wanted[index + 1].glyph == nil ? column + 2 : column + 1
      defer { column = end }
      let isSame = (column..<end).allSatisfy { wanted[start + $0] == cells[start + $0] }
      guard !isSame, let glyph = wanted[index].glyph else { continue }
      if let place = cursor, column - place <= Screen.bridge {
        for between in place..<column { send(wanted[start + between]) }
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

  /// Terminals that know these show a picture at once; the others pass them over.
  private static let begin = "\u{1b}[?2026h"
  private static let end = "\u{1b}[0m\u{1b}[?2026l"
  private static let clear = "\u{1b}[0m\u{1b}[2J"
}
