internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The shape of a marker; markers differ by shape, not by color.
enum MarkerStyle: Hashable {
  /// The maximum force of a contact.
  case peak
  /// A press enters a stage.
  case stageEntered
  /// A press leaves a stage.
  case stageLeft
  /// A contact reaches the maximum force.
  case maximumReached
  /// A contact was cancelled, or was still down at the end of the recording.
  case cancelled

  init(_ kind: ContactTrace.Marker.Kind) {
    self =
      switch kind {
      case .stageEntered: .stageEntered
      case .stageLeft: .stageLeft
      case .maximumReached: .maximumReached
      }
  }

  /// Draws it around a point; `scale` is less than 1 in dense charts.
  func draw(at point: Point, color: String, scale: Double = 1, on drawing: inout Drawing) {
    func corner(_ x: Double, _ y: Double) -> Point {
      Point(x: point.x + scale * x, y: point.y + scale * y)
    }
    let outline = Drawing.Stroke(color: Palette.paper, width: 0.8 * scale)
    let line = Drawing.Stroke(color: color, width: 1.4 * scale)
    switch self {
    case .peak: drawing.add(.circle(point, radius: 3 * scale, fill: Palette.paper, line))
    case .stageEntered:
      drawing.add(
        .polygon([corner(0, -5), corner(5, 4), corner(-5, 4)], fill: color, outline))
    case .stageLeft:
      drawing.add(
        .polygon(
          [corner(0, 4.5), corner(4.5, -3.5), corner(-4.5, -3.5)], fill: Palette.paper, line))
    case .maximumReached:
      drawing.add(
        .polygon(
          [corner(0, -5.5), corner(5.5, 0), corner(0, 5.5), corner(-5.5, 0)], fill: color, outline))
    case .cancelled:
      drawing.line(corner(-3, -3), corner(3, 3), line)
      drawing.line(corner(-3, 3), corner(3, -3), line)
    }
  }
}

/// Colors that are distinguishable with color blindness and in grayscale print.
///
/// They are the palette of Okabe and Ito, without its yellow, which is illegible on white. Seven colors and five dash
/// patterns have no common divisor: 35 successive contacts look different, contacts of the same color differ in their
/// dashes, and without color five successive contacts still differ.
enum Palette {
  static let ink = "#1a1a1a"
  static let soft = "#595959"
  static let grid = "#dcdcdc"
  static let paper = "#ffffff"

  private static let colors = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9",
  ]

  private static let dashPatterns: [[Double]] = [
    [], [8, 3], [2.5, 2.5], [10, 3, 2.5, 3], [16, 4],
  ]

  static func color(of index: Int) -> String { colors[index % colors.count] }

  static func dashes(of index: Int) -> [Double] { dashPatterns[index % dashPatterns.count] }
}
