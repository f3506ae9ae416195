internal import PressureKit

/// The whole screen: a heading, the surface, the panel beside it, and a line of keys.
struct WatchLayout {
  let scene: WatchViewModel
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
