internal import PressureKit
internal import PressureProtocol

/// A place on a drawing, in its own units from the upper left corner.
package struct Point: Hashable {
  package var x: Double
  package var y: Double
}

/// An upright rectangle on a drawing.
package struct Rect: Hashable {
  package var left: Double
  var top: Double
  var width: Double
  var height: Double

  package var right: Double { left + width }
  var bottom: Double { top + height }
  var middle: Point { Point(x: left + width / 2, y: top + height / 2) }

  func overlaps(_ other: Rect) -> Bool {
    left < other.right && other.left < right && top < other.bottom && other.top < bottom
  }

  package func contains(_ other: Rect) -> Bool {
    left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom
  }

  /// What of it is in another one, which it touches.
  package func part(in other: Rect) -> Rect {
    let (left, top) = (max(left, other.left), max(top, other.top))
    return Rect(
      left: left, top: top, width: max(min(right, other.right) - left, 0),
      height: max(min(bottom, other.bottom) - top, 0))
  }

  /// The smallest box around both.
  func around(_ other: Rect) -> Rect {
    let (left, top) = (min(left, other.left), min(top, other.top))
    return Rect(
      left: left, top: top, width: max(right, other.right) - left,
      height: max(bottom, other.bottom) - top)
  }

  func grown(by margin: Double) -> Rect {
    Rect(
      left: left - margin, top: top - margin, width: width + 2 * margin,
      height: height + 2 * margin)
  }
}
