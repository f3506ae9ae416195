internal import PressureDesktop
internal import PressureKit

/// The screen of `pressured pen --test`: the sheet, and what a program gets now.
struct PenLayout {
  var sheet: PenSheet

  /// What the pen does now, and where on the sheet in parts of its width and height.
  let frame: PenFrame?
  let position: (x: Double, y: Double)

  let title: String

  /// What the user should know, while the pen is away.
  let message: String

  let glyphs: Glyphs
  let depth: ColorDepth

  private static let paper = Color(244, 242, 236)
  private static let ink = Color(24, 32, 72)
  private static let shades: [Unicode.Scalar] = [" ", ".", ":", "o", "#"]

  /// Draws the canvas, and returns the sheet with its new pixels.
  mutating func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    canvas.put(" pressured pen --test", 0, 0, .bold)
    canvas.put(title, 23, 0, .dim, width: size.columns - 24)
    let (columns, rows) = (size.columns - 2, size.rows - 3)
    if columns > 0, rows > 0 {
      sheet.draw(columns: columns, rows: rows)
      drawSheet(columns, rows, on: &canvas)
    }
    let isAway = frame?.isNear != true && !message.isEmpty
    canvas.put(
      isAway ? message : PenLayout.status(of: frame), 1, size.rows - 2, .plain,
      width: size.columns - 2)
    canvas.put(keys: [("c", "clear"), ("q", "quit")])
    return canvas
  }

  private func drawSheet(_ columns: Int, _ rows: Int, on canvas: inout Canvas) {
    let hasPixels = glyphs == .all && depth >= .palette
    for row in 0..<rows {
      for column in 0..<columns {
        let (upper, lower) = (
          sheet.coverage(column, 2 * row), sheet.coverage(column, 2 * row + 1)
        )
        if hasPixels {
          canvas.put(upper: shade(upper), lower: shade(lower), 1 + column, 1 + row)
        } else {
          let most = PenLayout.shades.count - 1
          let index = Int(((upper + lower) / 2 * Double(most)).rounded(.up))
          canvas.put(PenLayout.shades[min(index, most)], 1 + column, 1 + row, .plain)
        }
      }
    }
    drawCursor(columns, rows, on: &canvas)
  }

  private func shade(_ coverage: Double) -> Color {
    let part = depth == .full ? coverage : coverage < 0.5 ? 0 : 1
    return PenLayout.paper.under(PenLayout.ink, opacity: part)
  }

  private func drawCursor(_ columns: Int, _ rows: Int, on canvas: inout Canvas) {
    guard let frame, frame.isNear, !frame.isTouching else { return }
    let column = min(Int(position.x * Double(columns)), columns - 1)
    let row = min(Int(position.y * Double(rows)), rows - 1)
    canvas.put("+", 1 + column, 1 + row, .bold)
  }

  /// What a program gets, on one line.
  static func status(of frame: PenFrame?) -> String {
    guard let frame, frame.isNear else { return "the pen is away" }
    let pressure = frame.isTouching ? frame.programPressure : 0
    let width = (pressure * 8).decimals(1)
    let button = frame.isButtonDown ? ", button pressed" : ""
    return "tip \(frame.isTouching ? "down" : "up"), pressure \(pressure.decimals(3)), "
      + "a brush of 8 px draws \(width) px\(button)"
  }
}

extension Double {
  /// The number with at most this many decimals.
  func decimals(_ count: Int) -> String {
    var scale = 1.0
    for _ in 0..<count { scale *= 10 }
    return ((self * scale).rounded() / scale).shortDescription
  }
}
