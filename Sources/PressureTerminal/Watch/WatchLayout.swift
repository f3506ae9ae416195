internal import PressureConnection
internal import PressureKit

/// The whole screen: a heading, the surface, the panel beside it, and a line of keys.
struct WatchLayout {
  let model: WatchViewModel
  let glyphs: Glyphs
  let depth: ColorDepth

  /// With less there is nothing to be seen.
  static let smallest = TerminalSize(columns: 32, rows: 10)

  /// Columns from which on there is room for a panel, and for a wide one.
  private static let panelFrom = 60
  private static let widePanelFrom = 100

  /// Draws it.
  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    guard size.columns >= WatchLayout.smallest.columns, size.rows >= WatchLayout.smallest.rows
    else {
      let smallest = "\(WatchLayout.smallest.columns) × \(WatchLayout.smallest.rows)"
      let words = "too small: \(smallest) is needed"
      put(middle: words.wrapped(to: size.columns), on: &canvas)
      return canvas
    }
    heading(on: &canvas)
    if model.listsKeys {
      listKeys(on: &canvas)
    } else if let device = model.device {
      show(device, on: &canvas)
    } else {
      put(middle: absence(size.columns - 4), on: &canvas)
    }
    footing(on: &canvas)
    return canvas
  }

  private func absence(_ width: Int) -> [String] {
    model.isConnected
      ? ["There is no touch device.", "One that comes is shown at once."]
      : model.place.wrapped(to: width)
  }
}

// MARK: - The device

extension WatchLayout {
  private func show(_ device: WatchedDevice, on canvas: inout Canvas) {
    let size = canvas.size
    let rows = 2..<size.rows - 2
    let panel =
      size.columns >= WatchLayout.widePanelFrom
      ? 34 : size.columns >= WatchLayout.panelFrom ? 28 : 0
    let columns = 1..<size.columns - 1 - (panel > 0 ? panel + 2 : 0)
    draw(SurfaceDrawing(device), in: (columns, rows), on: &canvas)
    guard panel > 0 else { return }
    let lines = Panel(device, width: panel, rows: size.rows - 3).lines
    for (line, row) in zip(lines, 1..<size.rows - 2) {
      put(line, size.columns - panel - 1, row, room: panel, on: &canvas)
    }
  }

  private func draw(
    _ picture: SurfaceDrawing, in area: (Range<Int>, Range<Int>), on canvas: inout Canvas
  ) {
    let plate = RasterView(picture, in: area)
    switch (glyphs, depth) {
    case (.all, .palette), (.all, .full):
      plate.paint(picture.shapes, hasSoftEdges: depth == .full, on: &canvas)
    case (.all, .none), (.all, .sixteen):
      plate.dot(picture.shapes, on: &canvas)
      frame(plate, "╭─╮│╰╯", on: &canvas)
    case (.ascii, _):
      plate.letter(picture.shapes, on: &canvas)
      frame(plate, "+-+|++", on: &canvas)
    }
    // The heaviest has the first choice, and then those that lie above the others.
    let circles = picture.circles.reversed()
    var taken: [LabelPlace] = []
    for circle in circles.filter({ $0.ink == .heaviest }) + circles.filter({ $0.ink != .heaviest })
    {
      label(circle, plate, on: &canvas, &taken)
    }
  }

  private func frame(_ plate: RasterView, _ glyphs: String, on canvas: inout Canvas) {
    let glyphs = Array(glyphs.unicodeScalars)
    let (left, right) = (plate.column - 1, plate.column + plate.columns)
    let (top, bottom) = (plate.row - 1, plate.row + plate.rows)
    canvas.fill(plate.column..<right, top, glyphs[1], .dim)
    canvas.fill(plate.column..<right, bottom, glyphs[1], .dim)
    for row in plate.row..<bottom {
      canvas.put(glyphs[3], left, row, .dim)
      canvas.put(glyphs[3], right, row, .dim)
    }
    for (glyph, place) in [
      (glyphs[0], (left, top)), (glyphs[2], (right, top)), (glyphs[4], (left, bottom)),
      (glyphs[5], (right, bottom)),
    ] { canvas.put(glyph, place.0, place.1, .dim) }
  }

  /// Columns and rows of the plate that a label covers.
  private struct LabelPlace {
    var columns: Range<Int>
    var rows: Range<Int>

    func overlaps(_ other: LabelPlace) -> Bool {
      columns.overlaps(other.columns) && rows.overlaps(other.rows)
    }
  }

  /// Rows from the middle of a circle at which its label may stand, the best first.
  private static let labelRows = [0, -1, 1, -2, 2]

  /// Writes in a circle's middle, or as near to it as the edges of the surface and other labels allow.
  ///
  /// Where there is room for its first line alone, that one is written; what has none is in the panel.
  private func label(
    _ circle: SurfaceDrawing.Circle, _ plate: RasterView, on canvas: inout Canvas,
    _ taken: inout [LabelPlace]
  ) {
    guard !circle.label.isEmpty else { return }
    for lines in [circle.label, Array(circle.label.prefix(1))] {
      for rise in WatchLayout.labelRows {
        let place = place(of: lines, at: circle, rise, plate)
        guard !taken.contains(where: place.overlaps) else { continue }
        taken.append(place)
        for (text, row) in zip(lines, place.rows) {
          let left = place.columns.lowerBound + (place.columns.count - text.columns) / 2
          canvas.put(
            shown(text), plate.column + left, plate.row + row, labelStyle(circle.ink),
            room: plate.columns - left)
        }
        return
      }
    }
  }

  private func place(
    of lines: [String], at circle: SurfaceDrawing.Circle, _ rise: Int, _ plate: RasterView
  ) -> LabelPlace {
    let width = min(lines.map(\.columns).max() ?? 0, plate.columns)
    let height = min(lines.count, plate.rows)
    let left = (circle.x / plate.pitch - Double(width) / 2).rounded()
    let top = (circle.y / plate.pitch / 2 - Double(height) / 2).rounded() + Double(rise)
    let column = Int(left.clamped(to: 0...Double(plate.columns - width)))
    let row = Int(top.clamped(to: 0...Double(plate.rows - height)))
    return LabelPlace(columns: column..<column + width, rows: row..<row + height)
  }

  /// Painted, a label lies on the circle; among dots it needs its own contrast.
  private func labelStyle(_ ink: SurfaceDrawing.ColorRole) -> Style? {
    guard glyphs == .ascii || depth < .palette else { return nil }
    var style = ink.style
    style.isBold = true
    style.isReversed = ink == .heaviest || ink == .saturated
    return style
  }
}

/// The heading, the keys, and what else is words.
extension WatchLayout {
  /// The keys, and what each does.
  static let keys = [
    ("q", "quit"), ("?", "list the keys, or not"), ("Tab, →", "look at the next device"),
    ("⇧Tab, ←", "look at the one before"), ("1 … 9", "look at the device of that number"),
    ("t", "tare: what lies there does not count"), ("u", "untare: all counts again"),
    ("z", "zero: what is read now is nothing"), ("h", "hold the reading, or let it go"),
    ("^L", "draw all anew"), ("^Z", "suspend"),
  ]

  /// What the picture means.
  private static let legend: [(SurfaceDrawing.ColorRole, String, String)] = [
    (.heaviest, "yellow", "the heaviest contact"),
    (.saturated, "red edge, +", "the sensor is at its end: it may be more"),
    (.simulated, "violet", "a press made up from the time that a finger rests"),
    (.plain, "outer ring", "the heaviest contact's part of its maximum"),
    (.plain, "inner ring", "how far its press is in its stage"),
  ]

  func heading(on canvas: inout Canvas) {
    canvas.put(" pressured watch", 0, 0, .bold)
    let count = model.devices.count
    let which = count > 1 ? "device \(model.number) of \(count)  " : ""
    let text = model.isConnected ? "\(which)\(model.place) " : "waiting for a daemon "
    // Of a path, the end says most.
    let room = canvas.size.columns - 18
    let end = text.columns > room ? "…" + text.suffix(room - 1) : text
    let column = canvas.size.columns - end.columns
    canvas.put(
      shown(end), column, 0, model.isConnected ? .dim : SurfaceDrawing.ColorRole.saturated.style)
  }

  func footing(on canvas: inout Canvas) {
    let row = canvas.size.rows - 1
    guard model.remark.isEmpty else {
      canvas.put(shown(" \(model.remark)"), 0, row, .bold)
      return
    }
    var column = 1
    for (key, deed) in [
      ("?", "keys"), ("q", "quit"), ("t", "tare"), ("z", "zero"), ("Tab", "next"),
    ] {
      column += canvas.put(key, column, row, .bold) + 1
      column += canvas.put(deed, column, row, .dim) + 3
    }
  }

  func listKeys(on canvas: inout Canvas) {
    let left = max((canvas.size.columns - 60) / 2, 1)
    let rows = WatchLayout.keys.count + WatchLayout.legend.count + 1
    let top = max((canvas.size.rows - rows) / 2, 1)
    for (line, (key, deed)) in WatchLayout.keys.enumerated() {
      put(key, deed, Style.bold, left, top + line, on: &canvas)
    }
    for (line, (ink, word, meaning)) in WatchLayout.legend.enumerated() {
      put(word, meaning, ink.style, left, top + WatchLayout.keys.count + 1 + line, on: &canvas)
    }
  }

  private func put(
    _ word: String, _ meaning: String, _ style: Style, _ column: Int, _ row: Int,
    on canvas: inout Canvas
  ) {
    guard row < canvas.size.rows - 1 else { return }
    canvas.put(shown(word), column, row, style)
    canvas.put(shown(meaning), column + 12, row)
  }

  func put(middle lines: [String], on canvas: inout Canvas) {
    let top = max((canvas.size.rows - lines.count) / 2, 0)
    for (line, text) in lines.enumerated() {
      let left = max((canvas.size.columns - text.columns) / 2, 0)
      canvas.put(shown(text), left, top + line)
    }
  }

  func put(
    _ line: Panel.Line, _ column: Int, _ row: Int, room: Int, on canvas: inout Canvas
  ) {
    var place = column
    for words in line {
      place += canvas.put(
        shown(words.text), place, row, words.ink.style, room: room - (place - column))
    }
  }

  /// What a terminal without Unicode shows instead.
  func shown(_ text: String) -> String {
    guard glyphs == .ascii else { return text }
    let known: [Unicode.Scalar: String] = [
      "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "=", "▍": "=", "▎": "-", "▏": "-", "…": "...",
      "±": "+-", "≈": "~", "×": "x", "→": "right", "←": "left", "⇧": "Shift-", "—": "-",
    ]
    return text.unicodeScalars.reduce(into: "") { result, glyph in
      result += glyph.isASCII ? String(glyph) : known[glyph] ?? "?"
    }
  }
}
