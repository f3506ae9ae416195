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

extension SurfaceDrawing.ColorRole {
  /// Its color.
  var color: Color {
    switch self {
    case .faint: Color(58, 68, 84)
    case .plain, .strong: Color(224, 228, 236)
    case .usual: Color(60, 150, 255)
    case .heaviest: Color(255, 220, 40)
    case .saturated: Color(255, 72, 66)
    case .press: Color(70, 220, 90)
    case .simulated: Color(190, 130, 255)
    }
  }

  /// How words look in it: the terminal's own color where that says enough.
  var style: Style {
    switch self {
    case .faint: .dim
    case .plain: .plain
    case .strong: .bold
    case .usual, .heaviest, .saturated, .press, .simulated: Style(foreground: color, isBold: true)
    }
  }
}

extension RasterView {
  /// What a surface looks like that nobody touches.
  private static let ground = Color(20, 24, 31)

  private static let halves = Grain(across: 1, down: 2)

  /// Paints the shapes one over the other.
  ///
  /// - Parameters:
  ///   - shapes: what is behind comes first.
  ///   - hasSoftEdges: whether there are enough colors to mix a shape with what is around it.
  ///   - canvas: where.
  func paint(_ shapes: [Shape], hasSoftEdges: Bool, on canvas: inout Canvas) {
    var pixels = Array(repeating: RasterView.ground, count: columns * rows * 2)
    for shape in shapes {
      visit(shape, RasterView.halves) { index, distance in
        // An edge is as soft as a pixel is wide.
        let soft = min(max(0.5 - distance / pitch, 0), 1)
        // A line that is thinner than a pixel would have holes without soft edges.
        let reach = max(pitch - (shape.line ?? pitch), 0) / 2
        let cover = hasSoftEdges ? soft : distance < reach ? 1 : 0
        guard cover > 0 else { return }
        pixels[index] = pixels[index].under(shape.ink.color, opacity: cover * shape.opacity)
      }
    }
    for y in 0..<rows {
      for x in 0..<columns {
        let (upper, lower) = (pixels[2 * y * columns + x], pixels[(2 * y + 1) * columns + x])
        let glyph: Unicode.Scalar = upper == lower ? " " : "▀"
        let style = Style(foreground: upper == lower ? nil : upper, background: lower)
        canvas.put(glyph, column + x, row + y, style)
      }
    }
  }
}

extension SurfaceDrawing.ColorRole {
  /// Which dots of four by four a filled shape sets, so that shapes differ also without colors.
  fileprivate func isSet(_ x: Int, _ y: Int) -> Bool {
    switch self {
    case .saturated: (x + y) % 2 == 0 || y % 2 == 0
    case .heaviest: (x + y) % 2 == 0
    case .faint, .plain, .strong, .usual, .press, .simulated: x % 2 == 0 && (x / 2 + y) % 2 == 0
    }
  }

  /// The letter that a circle is filled with where there are no dots.
  fileprivate var letter: Unicode.Scalar {
    switch self {
    case .faint, .plain, .strong, .press, .simulated: "."
    case .usual: "o"
    case .heaviest: "#"
    case .saturated: "@"
    }
  }
}

extension RasterView {
  private static let braille = Grain(across: 2, down: 4)
  private static let letters = Grain(across: 1, down: 1)

  /// The bits of the dots of a cell, row by row.
  private static let bits: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

  /// Draws the shapes one over the other in dots; each cell has the color of the uppermost.
  func dot(_ shapes: [Shape], on canvas: inout Canvas) {
    let width = columns * 2
    var dots = Array(repeating: false, count: width * rows * 4)
    var inks = Array(repeating: SurfaceDrawing.ColorRole.faint, count: columns * rows)
    for shape in shapes {
      visit(shape, RasterView.braille) { index, distance in
        guard distance < pitch / 4 else { return }
        let (x, y) = (index % width, index / width)
        dots[index] = shape.line != nil || shape.ink.isSet(x, y)
        inks[y / 4 * columns + x / 2] = shape.ink
      }
    }
    for cell in inks.indices {
      let (x, y) = (cell % columns, cell / columns)
      let set = RasterView.bits.indices.filter { dots[(4 * y + $0 / 2) * width + 2 * x + $0 % 2] }
      let bits = set.reduce(0) { $0 | RasterView.bits[$1] }
      guard bits > 0, let glyph = Unicode.Scalar(0x2800 + bits) else { continue }
      canvas.put(glyph, column + x, row + y, inks[cell].style)
    }
  }

  /// Draws the shapes one over the other in letters.
  func letter(_ shapes: [Shape], on canvas: inout Canvas) {
    // The rim of a circle would be wider than the circle.
    for shape in shapes where !shape.isRim {
      visit(shape, RasterView.letters) { index, distance in
        // A cell is twice as high as wide: a line is met from farther away.
        guard distance < (shape.line == nil ? 0 : pitch * 0.7) else { return }
        let place = (x: column + index % columns, y: row + index / columns)
        let line: Unicode.Scalar = shape.ink == .faint ? "." : "*"
        let letter = shape.line == nil ? shape.ink.letter : line
        canvas.put(letter, place.x, place.y, shape.ink.style)
      }
    }
  }
}
