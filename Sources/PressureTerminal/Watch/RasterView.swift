internal import PressureKit

/// A rectangle of the screen into which shapes are rasterized, in one of two modes.
///
/// | mode | terminal | a cell is |
/// |---|---|---|
/// | pixels | 256 colors or more | two square pixels, one above the other, blended with the background |
/// | letters | fewer colors, or only ASCII | a letter |
struct RasterView {
  let column: Int
  let row: Int
  let columns: Int
  let rows: Int

  /// The width of a column in millimeters; a row is twice as high.
  let pitch: Double

  /// Centers the largest rectangle with the aspect ratio of a surface in an area.
  init(_ drawing: SurfaceDrawing, in area: (columns: Range<Int>, rows: Range<Int>)) {
    let width = Double(area.columns.count)
    let height = Double(area.rows.count)
    pitch = max(drawing.width / max(width, 1), drawing.height / max(2 * height, 1))
    columns = min(max(Int((drawing.width / pitch).rounded()), 1), area.columns.count)
    rows = min(max(Int((drawing.height / pitch / 2).rounded()), 1), area.rows.count)
    column = area.columns.lowerBound + (area.columns.count - columns) / 2
    row = area.rows.lowerBound + (area.rows.count - rows) / 2
  }

  struct Resolution {
    var horizontal: Int
    var vertical: Int
  }

  /// Calls `body` for each pixel that a shape may cover, with its index and the distance of its center from the edge.
  func visit(_ shape: Shape, _ resolution: Resolution, _ body: (Int, Double) -> Void) {
    let size = (
      x: pitch / Double(resolution.horizontal), y: 2 * pitch / Double(resolution.vertical)
    )
    let width = columns * resolution.horizontal
    let height = rows * resolution.vertical
    let extent = shape.radius + (shape.line ?? 0) + max(size.x, size.y)
    let xRange = range(shape.x, extent, size.x, width)
    for y in range(shape.y, extent, size.y, height) {
      for x in xRange {
        let distance = shape.distance(x: (Double(x) + 0.5) * size.x, y: (Double(y) + 0.5) * size.y)
        body(y * width + x, distance)
      }
    }
  }

  private func range(
    _ center: Double, _ extent: Double, _ size: Double, _ count: Int
  ) -> Range<Int> {
    let limits = 0...Double(count)
    let first = ((center - extent) / size).rounded(.down)
    let last = ((center + extent) / size).rounded(.up)
    func clamped(_ pixel: Double) -> Int {
      Int(min(max(pixel, limits.lowerBound), limits.upperBound))
    }
    return clamped(first)..<max(clamped(last), clamped(first))
  }
}

extension SurfaceDrawing.ColorRole {
  var color: Color {
    switch self {
    case .faint: Color(58, 68, 84)
    case .plain, .strong: Color(224, 228, 236)
    case .contact: Color(60, 150, 255)
    case .heaviest: Color(255, 220, 40)
    case .saturated: Color(255, 72, 66)
    case .press: Color(70, 220, 90)
    case .simulated: Color(190, 130, 255)
    }
  }

  /// The style of text: the terminal's default colors if they are sufficient.
  var style: Style {
    switch self {
    case .faint: .dim
    case .plain: .plain
    case .strong: .bold
    case .contact, .heaviest, .saturated, .press, .simulated: Style(foreground: color, isBold: true)
    }
  }
}

extension RasterView {
  private static let background = Color(20, 24, 31)

  private static let halfBlocks = Resolution(horizontal: 1, vertical: 2)

  /// Draws the shapes, from back to front, as pixels whose edges are blended if there are enough colors.
  func drawPixels(_ shapes: [Shape], isAntialiased: Bool, on canvas: inout Canvas) {
    var pixels = Array(repeating: RasterView.background, count: columns * rows * 2)
    for shape in shapes {
      visit(shape, RasterView.halfBlocks) { index, distance in
        // An edge is blended over the width of a pixel.
        let blended = min(max(0.5 - distance / pitch, 0), 1)
        // Without blending, a line that is thinner than a pixel would have gaps.
        let widening = max(pitch - (shape.line ?? pitch), 0) / 2
        let coverage = isAntialiased ? blended : distance < widening ? 1 : 0
        guard coverage > 0 else { return }
        pixels[index] = pixels[index].under(shape.role.color, opacity: coverage * shape.opacity)
      }
    }
    for y in 0..<rows {
      for x in 0..<columns {
        let (upper, lower) = (pixels[2 * y * columns + x], pixels[(2 * y + 1) * columns + x])
        canvas.put(upper: upper, lower: lower, column + x, row + y)
      }
    }
  }
}

extension SurfaceDrawing.ColorRole {
  /// The letter that fills a circle in the mode `letters`.
  fileprivate var letter: Unicode.Scalar {
    switch self {
    case .faint, .plain, .strong, .press, .simulated: "."
    case .contact: "o"
    case .heaviest: "#"
    case .saturated: "@"
    }
  }
}

extension RasterView {
  private static let letters = Resolution(horizontal: 1, vertical: 1)

  /// Draws the shapes as letters, one over the other.
  func drawLetters(_ shapes: [Shape], on canvas: inout Canvas) {
    // The rim would be wider than the circle.
    for shape in shapes where !shape.isRim {
      visit(shape, RasterView.letters) { index, distance in
        // A cell is twice as high as wide, so a line covers cells whose centers are farther away.
        guard distance < (shape.line == nil ? 0 : pitch * 0.7) else { return }
        let cell = (x: column + index % columns, y: row + index / columns)
        let line: Unicode.Scalar = shape.role == .faint ? "." : "*"
        let letter = shape.line == nil ? shape.role.letter : line
        canvas.put(letter, cell.x, cell.y, shape.role.style)
      }
    }
  }
}
