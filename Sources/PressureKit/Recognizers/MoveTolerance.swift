/// How far a finger that is held may stray on one surface.
struct MoveTolerance {
  private let millimeters: Double

  /// The surface's height in widths: without a resolution, the units of both axes are taken to be alike.
  private let heightInWidths: Double

  init(millimeters: Double, on surface: Surface) {
    self.millimeters = millimeters
    let (width, height) = (surface.x.span, surface.y.span)
    heightInWidths = width > 0 && height > 0 ? Double(height) / Double(width) : 1
  }

  /// Whether it is too far from one place to another.
  func isExceeded(from start: Location, to end: Location) -> Bool {
    if let here = start.millimeters, let there = end.millimeters {
      return MoveTolerance.isBeyond(millimeters, there.x - here.x, there.y - here.y)
    }
    let widths = (end.x - start.x, (end.y - start.y) * heightInWidths)
    return MoveTolerance.isBeyond(PressConfiguration.moveToleranceOfWidth, widths.0, widths.1)
  }

  /// What a difference of two decimal fractions may be too large by, as a part.
  private static let rounding = 1e-9

  private static func isBeyond(_ limit: Double, _ x: Double, _ y: Double) -> Bool {
    x * x + y * y > limit * limit * (1 + rounding)
  }
}
