/// How many cells a terminal has.
package struct TerminalSize: Hashable {
  var columns: Int
  var rows: Int
}

/// One place of the screen.
struct Cell: Hashable {
  /// What is in it; nil in the second half of a character that takes two.
  var glyph: Unicode.Scalar? = " "

  var style = Style.plain

  static let blank = Cell()
}

/// A picture made of cells.
///
/// What lies outside is not drawn; nothing traps.
package struct Canvas: Equatable {
  package let size: TerminalSize
  private(set) var cells: [Cell]

  init(_ size: TerminalSize) {
    self.size = TerminalSize(columns: max(size.columns, 0), rows: max(size.rows, 0))
    cells = Array(repeating: .blank, count: self.size.columns * self.size.rows)
  }

  private func index(_ column: Int, _ row: Int) -> Int? {
    guard (0..<size.columns).contains(column), (0..<size.rows).contains(row) else { return nil }
    return row * size.columns + column
  }

  /// What is in a cell, or nil outside.
  func cell(_ column: Int, _ row: Int) -> Cell? { index(column, row).map { cells[$0] } }

  /// Puts a character of one column into a cell; one half of a wider one that was there is blanked.
  package mutating func put(_ glyph: Unicode.Scalar, _ column: Int, _ row: Int, _ style: Style) {
    guard let index = index(column, row) else { return }
    tear(index, column)
    cells[index] = Cell(glyph: glyph, style: style)
  }

  /// Puts a text into a row, as far as there is room; gives how many columns it takes.
  ///
  /// What cannot be shown is left out, and a character of two columns is never cut. Without a style, what
  /// is behind the text stays, and the text is legible on it.
  @discardableResult
  package mutating func put(
    _ text: some StringProtocol, _ column: Int, _ row: Int, _ style: Style? = .plain,
    room: Int? = nil
  ) -> Int {
    let end = min(column + (room ?? size.columns), size.columns)
    var place = column
    let contrast = style == nil ? contrast(to: column..<min(column + text.columns, end), row) : nil
    for glyph in text.unicodeScalars {
      let columns = glyph.columns
      guard columns > 0 else { continue }
      guard place + columns <= end else { break }
      put(glyph, place, row, style ?? legible(place, row, contrast))
      if columns == 2 { cover(place + 1, row) }
      place += columns
    }
    return place - column
  }

  /// Fills a part of a row.
  mutating func fill(_ columns: Range<Int>, _ row: Int, _ glyph: Unicode.Scalar, _ style: Style) {
    for column in columns { put(glyph, column, row, style) }
  }

  /// The second half of what is in the cell before.
  private mutating func cover(_ column: Int, _ row: Int) {
    guard let index = index(column, row), index > 0 else { return }
    tear(index, column)
    cells[index] = Cell(glyph: nil, style: cells[index - 1].style)
  }

  /// Half a character cannot stay where the other half is taken.
  private mutating func tear(_ index: Int, _ column: Int) {
    if cells[index].glyph == nil, column > 0 { cells[index - 1].glyph = " " }
    if column + 1 < size.columns, cells[index + 1].glyph == nil { cells[index + 1].glyph = " " }
  }

  private func legible(_ column: Int, _ row: Int, _ text: Color?) -> Style {
    guard let background = cell(column, row)?.behind else { return .bold }
    return Style(foreground: text, background: background, isBold: true)
  }

  /// Black or white, for a whole text: what most of it stands on decides.
  private func contrast(to columns: Range<Int>, _ row: Int) -> Color {
    let behind = columns.compactMap { cell($0, row)?.behind?.luminance }
    let isBright = behind.reduce(0, +) > 0.5 * Double(behind.count)
    return isBright ? Color(0, 0, 0) : Color(255, 255, 255)
  }
}

extension Cell {
  /// The color that a text in its place has behind it: of half a block, both halves mixed.
  fileprivate var behind: Color? {
    guard let background = style.background else { return nil }
    guard glyph == "▀", let upper = style.foreground else { return background }
    return background.under(upper, opacity: 0.5)
  }
}
