internal import PressureKit

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
