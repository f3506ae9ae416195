internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// A sign on a drawing, known by its shape and not by its color.
enum Mark: Hashable {
  /// The hardest that a contact pressed.
  case peak
  /// A press comes into a stage.
  case up
  /// A press leaves a stage.
  case down
  /// A contact is pressed to the full.
  case full
  /// A contact was no touch, or the recording is over.
  case cancelled

  init(_ kind: ContactTrace.Marker.Kind) {
    self =
      switch kind {
      case .up: .up
      case .down: .down
      case .full: .full
      }
  }

  /// Puts it around a point; `scale` is 1 where there is room.
  func draw(at point: Point, color: String, scale: Double = 1, on drawing: inout Drawing) {
    func corner(_ x: Double, _ y: Double) -> Point {
      Point(x: point.x + scale * x, y: point.y + scale * y)
    }
    let pale = Drawing.Stroke(color: Palette.paper, width: 0.8 * scale)
    let line = Drawing.Stroke(color: color, width: 1.4 * scale)
    switch self {
    case .peak: drawing.add(.circle(point, radius: 3 * scale, fill: Palette.paper, line))
    case .up:
      drawing.add(
        .polygon([corner(0, -5), corner(5, 4), corner(-5, 4)], fill: color, pale))
    case .down:
      drawing.add(
        .polygon(
          [corner(0, 4.5), corner(4.5, -3.5), corner(-4.5, -3.5)], fill: Palette.paper, line))
    case .full:
      drawing.add(
        .polygon(
          [corner(0, -5.5), corner(5.5, 0), corner(0, 5.5), corner(-5.5, 0)], fill: color, pale))
    case .cancelled:
      drawing.line(corner(-3, -3), corner(3, 3), line)
      drawing.line(corner(-3, 3), corner(3, -3), line)
    }
  }
}
