/// The whole screen: a heading, the surface, the panel beside it, and a line of keys.
struct Sheet {
  let scene: Scene
  let glyphs: Glyphs
  let depth: ColourDepth

  /// With less there is nothing to be seen.
  static let smallest = TerminalSize(columns: 32, rows: 10)

  /// Columns from which on there is room for a panel, and for a wide one.
  private static let panelFrom = 60
  private static let widePanelFrom = 100

  /// The keys, and what each does.
  static let keys = [
    ("q", "quit"), ("?", "list the keys, or not"), ("Tab, →", "look at the next device"),
    ("⇧Tab, ←", "look at the one before"), ("1 … 9", "look at the device of that number"),
    ("t", "tare: what lies there does not count"), ("u", "untare: all counts again"),
    ("z", "zero: what is read now is nothing"), ("h", "hold the reading, or let it go"),
    ("^L", "draw all anew"), ("^Z", "suspend"),
  ]

  /// What the picture means.
  private static let legend: [(Picture.Ink, String, String)] = [
    (.heaviest, "yellow", "the heaviest contact"),
    (.saturated, "red, +", "the sensor is at its end: it may be more"),
    (.simulated, "violet", "a press made up from the time that a finger rests"),
    (.plain, "outer ring", "the heaviest contact's part of its maximum"),
    (.plain, "inner ring", "how far its press is in its stage"),
  ]

  /// Draws it.
  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    guard size.columns >= Sheet.smallest.columns, size.rows >= Sheet.smallest.rows else {
      let smallest = "\(Sheet.smallest.columns) × \(Sheet.smallest.rows)"
      let words = "too small: \(smallest) is needed"
      put(middle: words.wrapped(to: size.columns), on: &canvas)
      return canvas
    }
    heading(on: &canvas)
    if scene.listsKeys {
      listKeys(on: &canvas)
    } else if let device = scene.device {
      show(device, on: &canvas)
    } else {
      put(middle: absence(size.columns - 4), on: &canvas)
    }
    footing(on: &canvas)
    return canvas
  }

  private func absence(_ width: Int) -> [String] {
    scene.isConnected
      ? ["There is no touch device.", "One that comes is shown at once."]
      : scene.place.wrapped(to: width)
  }
}

// MARK: - The device

extension Sheet {
  private func show(_ device: WatchedDevice, on canvas: inout Canvas) {
    let size = canvas.size
    let rows = 2..<size.rows - 2
    let panel = size.columns >= Sheet.widePanelFrom ? 34 : size.columns >= Sheet.panelFrom ? 28 : 0
    let columns = 1..<size.columns - 1 - (panel > 0 ? panel + 2 : 0)
    draw(Picture(device), in: (columns, rows), on: &canvas)
    guard panel > 0 else { return }
    let lines = Panel(device, width: panel, rows: size.rows - 3).lines
    for (line, row) in zip(lines, 1..<size.rows - 2) {
      put(line, size.columns - panel - 1, row, room: panel, on: &canvas)
    }
  }

  private func draw(
    _ picture: Picture, in area: (Range<Int>, Range<Int>), on canvas: inout Canvas
  ) {
    let plate = Plate(picture, in: area)
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
    for circle in picture.circles { label(circle, plate, on: &canvas) }
  }

  private func frame(_ plate: Plate, _ glyphs: String, on canvas: inout Canvas) {
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

  /// Writes in a circle's middle, or as near to it as the edges of the surface allow.
  private func label(_ circle: Picture.Circle, _ plate: Plate, on canvas: inout Canvas) {
    let middle = (column: circle.x / plate.pitch, row: circle.y / plate.pitch / 2)
    let height = circle.label.count
    let top = Int((middle.row - Double(height) / 2).rounded())
    for (line, text) in circle.label.enumerated() where line < plate.rows {
      let left = Int((middle.column - Double(text.columns) / 2).rounded())
      let column = min(max(left, 0), max(plate.columns - text.columns, 0))
      let row = min(max(top, 0), max(plate.rows - height, 0)) + line
      canvas.put(
        shown(text), plate.column + column, plate.row + row, labelStyle(circle.ink),
        room: plate.columns - column)
    }
  }

  /// Painted, a label lies on the circle; among dots it needs its own contrast.
  private func labelStyle(_ ink: Picture.Ink) -> Style? {
    guard glyphs == .ascii || depth < .palette else { return nil }
    var style = ink.style
    style.isBold = true
    style.isReversed = ink == .heaviest || ink == .saturated
    return style
  }
}

// MARK: - Words

extension Sheet {
  private func heading(on canvas: inout Canvas) {
    canvas.put(" pressured watch", 0, 0, .bold)
    let count = scene.devices.count
    let which = count > 1 ? "device \(scene.number) of \(count)  " : ""
    let text = scene.isConnected ? "\(which)\(scene.place) " : "waiting for a daemon "
    let column = max(canvas.size.columns - text.columns, 18)
    canvas.put(shown(text), column, 0, scene.isConnected ? .dim : Picture.Ink.saturated.style)
  }

  private func footing(on canvas: inout Canvas) {
    let row = canvas.size.rows - 1
    guard scene.remark.isEmpty else {
      canvas.put(shown(" \(scene.remark)"), 0, row, .bold)
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

  private func listKeys(on canvas: inout Canvas) {
    let left = max((canvas.size.columns - 60) / 2, 1)
    let rows = Sheet.keys.count + Sheet.legend.count + 1
    let top = max((canvas.size.rows - rows) / 2, 1)
    for (line, (key, deed)) in Sheet.keys.enumerated() {
      put(key, deed, Style.bold, left, top + line, on: &canvas)
    }
    for (line, (ink, word, meaning)) in Sheet.legend.enumerated() {
      put(word, meaning, ink.style, left, top + Sheet.keys.count + 1 + line, on: &canvas)
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

  private func put(middle lines: [String], on canvas: inout Canvas) {
    let top = max((canvas.size.rows - lines.count) / 2, 0)
    for (line, text) in lines.enumerated() {
      let left = max((canvas.size.columns - text.columns) / 2, 0)
      canvas.put(shown(text), left, top + line)
    }
  }

  private func put(
    _ line: Panel.Line, _ column: Int, _ row: Int, room: Int, on canvas: inout Canvas
  ) {
    var place = column
    for words in line {
      place += canvas.put(
        shown(words.text), place, row, words.ink.style, room: room - (place - column))
    }
  }

  /// What a terminal without Unicode shows instead.
  private func shown(_ text: String) -> String {
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
