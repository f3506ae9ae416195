internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// A sign on a drawing, known by its shape and not by its color.
enum MarkerStyle: Hashable {
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

/// Colors that people tell apart who do not see red and green apart, and that print in different grays.
///
/// They are those of Okabe and Ito, without their yellow, which no paper shows. As seven colors and
/// five dashings have no common divisor, 35 contacts in a row look different, two of one color are
/// dashed otherwise, and without any color five in a row still are.
enum Palette {
  static let ink = "#1a1a1a"
  static let soft = "#595959"
  static let grid = "#dcdcdc"
  static let paper = "#ffffff"

  private static let colors = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9",
  ]

  private static let dashings: [[Double]] = [[], [8, 3], [2.5, 2.5], [10, 3, 2.5, 3], [16, 4]]

  static func color(of index: Int) -> String { colors[index % colors.count] }

  static func dashes(of index: Int) -> [Double] { dashings[index % dashings.count] }
}
