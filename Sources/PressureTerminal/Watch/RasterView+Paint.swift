internal import PressureKit

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
