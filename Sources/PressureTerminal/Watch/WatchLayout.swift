struct WatchLayout {
  let model: WatchViewModel
  let glyphs: Glyphs
  let depth: ColorDepth
  static let minimumSize = TerminalSize(columns: 32, rows: 10)
  private static let minimumColumnsForPanel = 60
  private static let minimumColumnsForWidePanel = 100

  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    let minimum = WatchLayout.minimumSize
    guard size.columns >= minimum.columns, size.rows >= minimum.rows else {
      let text = "too small: \(minimum.columns) × \(minimum.rows) is needed"
      put(centered: text.wrapped(to: size.columns), on: &canvas)
      return canvas
    }
    drawHeader(on: &canvas)
    if model.listsKeys {
      drawKeys(on: &canvas)
    } else if let device = model.device {
      draw(device, on: &canvas)
    } else if model.isConnected {
      put(centered: ["There is no touch device.", "New devices appear here."], on: &canvas)
    } else {
      put(centered: model.connectionStatus.wrapped(to: size.columns - 4), on: &canvas)
    }
    if model.message.isEmpty {
      canvas.put(
        keys: [("?", "keys"), ("q", "quit"), ("t", "tare"), ("z", "zero"), ("Tab", "next")])
    } else {
      canvas.put(displayable(" \(model.message)"), 0, size.rows - 1, .bold)
    }
    return canvas
  }

  // MARK: - The device

  private func draw(_ device: WatchedDevice, on canvas: inout Canvas) {
    let size = canvas.size
    let rows = 2..<size.rows - 2
    let panel =
      size.columns >= WatchLayout.minimumColumnsForWidePanel
      ? 34 : size.columns >= WatchLayout.minimumColumnsForPanel ? 28 : 0
    let columns = 1..<size.columns - 1 - (panel > 0 ? panel + 2 : 0)
    draw(SurfaceDrawing(device), in: (columns, rows), on: &canvas)
    guard panel > 0 else { return }
    let lines = Panel(device, width: panel, rows: size.rows - 3).lines
    let right = size.columns - 1
    for (line, row) in zip(lines, 1..<size.rows - 2) {
      var column = right - panel
      for span in line {
        column += canvas.put(
          displayable(span.text), column, row, span.role.style, width: right - column)
      }
    }
  }

  private var hasPixels: Bool { glyphs == .all && depth != .none }

  private func draw(
    _ drawing: SurfaceDrawing, in area: (Range<Int>, Range<Int>), on canvas: inout Canvas
  ) {
    let view = RasterView(drawing, in: area)
    if hasPixels {
      view.drawPixels(drawing.shapes, on: &canvas)
    } else {
      view.drawLetters(drawing.shapes, on: &canvas)
      drawFrame(view, glyphs == .all ? "╭─╮│╰╯" : "+-+|++", on: &canvas)
    }
    // The heaviest contact is labeled first, then the others from front to back.
    let circles = drawing.circles.reversed()
    var used: [LabelFrame] = []
    for circle in circles.filter({ $0.role == .heaviest })
      + circles.filter({ $0.role != .heaviest })
    {
      drawLabel(circle, view, on: &canvas, &used)
    }
  }

  private func drawFrame(_ view: RasterView, _ glyphs: String, on canvas: inout Canvas) {
    let glyphs = Array(glyphs.unicodeScalars)
    let (left, right) = (view.column - 1, view.column + view.columns)
    let (top, bottom) = (view.row - 1, view.row + view.rows)
    for (row, corners) in [(top, (glyphs[0], glyphs[2])), (bottom, (glyphs[4], glyphs[5]))] {
      canvas.put(corners.0, left, row, .dim)
      canvas.fill(view.column..<right, row, glyphs[1], .dim)
      canvas.put(corners.1, right, row, .dim)
    }
    for row in view.row..<bottom {
      for column in [left, right] { canvas.put(glyphs[3], column, row, .dim) }
    }
  }

  private typealias LabelFrame = (columns: Range<Int>, rows: Range<Int>)

  /// The offsets of a label from the center of its circle that are tried, in rows.
  private static let labelOffsets = [0, -1, 1, -2, 2]

  /// Draws a label in the center of its circle, or as near as the edges of the surface and other labels allow.
  ///
  /// If there is no space for all lines, only the first is drawn, or none; the panel has the values of all contacts.
  private func drawLabel(
    _ circle: SurfaceDrawing.Circle, _ view: RasterView, on canvas: inout Canvas,
    _ used: inout [LabelFrame]
  ) {
    for lines in [circle.label, Array(circle.label.prefix(1))] where !lines.isEmpty {
      for offset in WatchLayout.labelOffsets {
        let frame = labelFrame(of: lines, at: circle, offset, view)
        let isFree = !used.contains {
          $0.columns.overlaps(frame.columns) && $0.rows.overlaps(frame.rows)
        }
        guard isFree else { continue }
        used.append(frame)
        for (text, row) in zip(lines, frame.rows) {
          let left = frame.columns.lowerBound + (frame.columns.count - text.columns) / 2
          canvas.put(
            displayable(text), view.column + left, view.row + row, labelStyle(circle.role),
            width: view.columns - left)
        }
        return
      }
    }
  }

  private func labelFrame(
    of lines: [String], at circle: SurfaceDrawing.Circle, _ offset: Int, _ view: RasterView
  ) -> LabelFrame {
    let width = min(lines.map(\.columns).max() ?? 0, view.columns)
    let height = min(lines.count, view.rows)
    let left = (circle.x / view.pitch - Double(width) / 2).rounded()
    let top = (circle.y / view.pitch / 2 - Double(height) / 2).rounded() + Double(offset)
    let column = Int(left.clamped(to: 0...Double(view.columns - width)))
    let row = Int(top.clamped(to: 0...Double(view.rows - height)))
    return (column..<column + width, row..<row + height)
  }

  /// The style of a label, or nil for one that contrasts with the color of the circle behind it.
  private func labelStyle(_ role: SurfaceDrawing.ColorRole) -> Style? {
    guard !hasPixels else { return nil }
    var style = role.style
    style.isBold = true
    style.isReversed = role == .heaviest || role == .saturated
    return style
  }

  static let keys = [
    ("q", "quit"), ("?", "show or hide the keys"), ("Tab, →", "next device"),
    ("⇧Tab, ←", "previous device"), ("1 … 9", "device by number"),
    ("t", "tare: set the present load as zero net weight"), ("u", "clear the tare"),
    ("z", "zero: set the empty reading as zero"), ("h", "hold or release the reading"),
    ("^L", "redraw the screen"), ("^Z", "suspend"),
  ]

  private static let legend: [(SurfaceDrawing.ColorRole, String, String)] = [
    (.heaviest, "yellow", "the heaviest contact"),
    (.saturated, "red edge, +", "sensor saturated: the force may be higher"),
    (.simulated, "violet", "simulated press, by the duration of the touch"),
    (.plain, "outer ring", "force of the heaviest contact, of its maximum"),
    (.plain, "inner ring", "progress of its press within the stage"),
  ]

  private func drawHeader(on canvas: inout Canvas) {
    canvas.put(" pressured watch", 0, 0, .bold)
    let count = model.devices.count
    let number = count > 1 ? "device \(model.number) of \(count)  " : ""
    let text = model.isConnected ? "\(number)\(model.connectionStatus) " : "waiting for a daemon "
    // A path is truncated at its start, as its end is the most specific.
    let width = canvas.size.columns - 18
    let end = text.columns > width ? "…" + text.suffix(width - 1) : text
    let column = canvas.size.columns - end.columns
    canvas.put(
      displayable(end), column, 0,
      model.isConnected ? .dim : SurfaceDrawing.ColorRole.saturated.style)
  }

  private func drawKeys(on canvas: inout Canvas) {
    let left = max((canvas.size.columns - 60) / 2, 1)
    let legend = WatchLayout.legend.map { role, name, meaning in (name, meaning, role.style) }
    let keys = WatchLayout.keys.map { key, action in (key, action, Style.bold) }
    let rows = keys + [("", "", Style.plain)] + legend
    let top = max((canvas.size.rows - rows.count) / 2, 1)
    for ((term, meaning, style), row) in zip(rows, top..<max(canvas.size.rows - 1, top)) {
      canvas.put(displayable(term), left, row, style)
      canvas.put(displayable(meaning), left + 12, row)
    }
  }

  private func put(centered lines: [String], on canvas: inout Canvas) {
    let top = max((canvas.size.rows - lines.count) / 2, 0)
    for (line, text) in lines.enumerated() {
      let left = max((canvas.size.columns - text.columns) / 2, 0)
      canvas.put(displayable(text), left, top + line)
    }
  }

  /// The text with ASCII replacements if the terminal has no Unicode.
  private func displayable(_ text: String) -> String {
    guard glyphs == .ascii else { return text }
    let replacements: [Unicode.Scalar: String] = [
      "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "=", "▍": "=", "▎": "-", "▏": "-", "…": "...",
      "±": "+-", "≈": "~", "×": "x", "→": "right", "←": "left", "⇧": "Shift-", "–": "-",
    ]
    return text.unicodeScalars.reduce(into: "") { result, glyph in
      result += glyph.isASCII ? String(glyph) : replacements[glyph] ?? "?"
    }
  }
}
