internal import PressureKit

/// A part of the screen on which shapes are drawn, in one of three ways.
///
/// | way | where | a cell is |
/// |---|---|---|
/// | paint | 256 colors or more | two square pixels, one above the other, mixed with what is behind |
/// | dots | fewer | eight dots of Braille in one color, of which a shape sets some |
/// | letters | no Braille | a letter |
struct RasterView {
  /// Where it is on the screen.
  let column: Int
  let row: Int
  let columns: Int
  let rows: Int

  /// Millimeters of a column's width; a row is twice as high.
  let pitch: Double

  /// Places the largest plate of a surface's proportions in the middle of an area.
  ///
  /// - Parameters:
  ///   - picture: whose proportions.
  ///   - area: columns and rows that there are.
  init(_ picture: SurfaceDrawing, in area: (columns: Range<Int>, rows: Range<Int>)) {
    let wide = Double(area.columns.count)
    let high = Double(area.rows.count)
    pitch = max(picture.width / max(wide, 1), picture.height / max(2 * high, 1))
    columns = min(max(Int((picture.width / pitch).rounded()), 1), area.columns.count)
    rows = min(max(Int((picture.height / pitch / 2).rounded()), 1), area.rows.count)
    column = area.columns.lowerBound + (area.columns.count - columns) / 2
    row = area.rows.lowerBound + (area.rows.count - rows) / 2
  }

  /// How finely it is divided.
  struct Grain {
    /// Pixels in a cell.
    var across: Int
    var down: Int
  }

  /// Calls the body with the index of each pixel that a shape may cover, and how far outside it its middle is.
  func visit(_ shape: Shape, _ grain: Grain, _ body: (Int, Double) -> Void) {
    let size = (x: pitch / Double(grain.across), y: 2 * pitch / Double(grain.down))
    let width = columns * grain.across
    let height = rows * grain.down
    let reach = shape.radius + (shape.line ?? 0) + max(size.x, size.y)
    let right = range(shape.x, reach, size.x, width)
    for y in range(shape.y, reach, size.y, height) {
      for x in right {
        let distance = shape.distance(x: (Double(x) + 0.5) * size.x, y: (Double(y) + 0.5) * size.y)
        body(y * width + x, distance)
      }
    }
  }

  private func range(_ middle: Double, _ reach: Double, _ size: Double, _ count: Int) -> Range<Int>
  {
    let limits = 0...Double(count)
    let first = ((middle - reach) / size).rounded(.down)
    let last = ((middle + reach) / size).rounded(.up)
    func clamped(_ place: Double) -> Int {
      Int(min(max(place, limits.lowerBound), limits.upperBound))
    }
    return clamped(first)..<max(clamped(last), clamped(first))
  }
}
