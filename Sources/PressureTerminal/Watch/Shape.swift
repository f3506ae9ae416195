internal import Glibc
internal import PressureKit

/// Something round on a surface; lengths are millimeters.
struct Shape: Equatable {
  var x: Double
  var y: Double
  var radius: Double

  /// How thick its line is; nil where it is filled.
  var line: Double?

  /// How much of the line there is, from its top on, clockwise, 0…1.
  var part = 1.0

  /// How much it hides of what is behind, 0…1.
  var opacity: Double

  var ink: SurfaceDrawing.ColorRole

  /// Whether it is the edge of something filled.
  var isRim = false

  /// How far outside its edge a place is, in millimeters; negative inside.
  func distance(x: Double, y: Double) -> Double {
    let (right, down) = (x - self.x, y - self.y)
    let fromCenter = (right * right + down * down).squareRoot()
    guard let line else { return fromCenter - radius }
    let fromLine = (fromCenter - radius).magnitude - line / 2
    return part >= 1 || Shape.turn(right, down) < part ? fromLine : .infinity
  }

  /// The direction from the center, as a part of a turn from the top on, clockwise, 0…1.
  private static func turn(_ right: Double, _ down: Double) -> Double {
    let turn = atan2(right, -down) / (2 * .pi)
    return turn < 0 ? turn + 1 : turn
  }
}

extension SurfaceDrawing {
  /// All that is drawn, what is behind first.
  var shapes: [Shape] {
    guard let middle = dialCircle else { return circles.flatMap(shapes) }
    let rings = [
      ring(around: middle, 3, dial.force, dial.forceInk),
      ring(around: middle, 1, dial.press, dial.pressInk),
    ]
    return rings.flatMap(\.self) + circles.flatMap(shapes)
  }

  /// A ring so many of its widths outside a circle.
  private func ring(
    around circle: Circle, _ distance: Double, _ part: Double, _ ink: ColorRole
  ) -> [Shape] {
    let line = min(width, height) * 0.025
    // In steps, as it need not be drawn anew for each gram.
    let step = 2 * line
    let radius = (circle.width / 2 / step).rounded(.up) * step + (distance + 0.5) * line
    let whole = Shape(
      x: circle.x, y: circle.y, radius: radius, line: line, opacity: 0.9, ink: .faint)
    guard part > 0 else { return [whole] }
    var lit = whole
    (lit.part, lit.opacity, lit.ink) = (part, 0.75, ink)
    return [whole, lit]
  }

  private func shapes(of circle: Circle) -> [Shape] {
    let opacity = ForceMapping.Circle.opacity
    let disc = Shape(
      x: circle.x, y: circle.y, radius: circle.width / 2, opacity: opacity, ink: circle.ink)
    var rim = disc
    (rim.line, rim.radius, rim.opacity) = (
      SurfaceDrawing.rim, disc.radius - SurfaceDrawing.rim / 2, 0.5
    )
    rim.ink = circle.rim
    rim.isRim = true
    return [disc, rim]
  }

  /// Millimeters of a circle's edge, which keeps circles apart that lie over each other.
  private static let rim = 0.9
}
