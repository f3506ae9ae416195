internal import PressureKit
internal import PressureProtocol

/// A page of lines, areas and text, independent of the file format.
package struct Drawing {
  /// An element of the page; later ones cover earlier ones.
  package enum Item: Hashable {
    case line([Point], Stroke)
    case area(Rect, fill: String, opacity: Double, Stroke?)
    case polygon([Point], fill: String, Stroke?)
    case circle(Point, radius: Double, fill: String, Stroke?)
    case text(TextLabel)
  }

  package struct Stroke: Hashable {
    var color: String
    var width = 1.0

    /// The lengths of dashes and gaps, alternating; empty for a solid line.
    var dashes: [Double] = []
    var opacity = 1.0
  }

  let width: Double
  let height: Double
  package let title: String

  /// A description for screen readers.
  package let description: String

  private(set) var items: [Item] = []

  package init(width: Double, height: Double, title: String, description: String) {
    self.width = width
    self.height = height
    self.title = title
    self.description = description
  }

  package mutating func add(_ item: Item) { items.append(item) }

  mutating func add(_ label: TextLabel) { items.append(.text(label)) }

  mutating func line(
    _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), _ stroke: Stroke
  ) {
    items.append(.line([Point(x: from.x, y: from.y), Point(x: to.x, y: to.y)], stroke))
  }

  /// Adds the heading of the page, and lines below it, truncated to its width.
  mutating func addHeading(_ text: String, _ lines: [String]) {
    add(TextLabel(text, 24, 36, size: 20, isBold: true).truncated(to: width - 48))
    for (text, y) in zip(lines, [58.0, 76]) where !text.isEmpty {
      add(TextLabel(text, 24, y, size: 12.5, color: Palette.soft).truncated(to: width - 48))
    }
  }

  package var labels: [TextLabel] {
    items.compactMap { item in
      guard case .text(let label) = item else { return nil }
      return label
    }
  }
}

/// A line of text on a drawing.
package struct TextLabel: Hashable {
  /// The part of the text that is at the point.
  enum Anchor: String {
    case start, middle, end
  }

  var text: String

  /// The position of the baseline at the anchor.
  var at: Point
  var size: Double
  var anchor: Anchor
  var color: String
  var isBold: Bool

  /// Whether it is rotated by 90°, to read upwards.
  var isRotated: Bool

  /// Whether it has an outline in the color of the page, to be legible on lines.
  var hasOutline: Bool

  init(
    _ text: String, _ x: Double, _ y: Double, size: Double = 12, anchor: Anchor = .start,
    color: String = Palette.ink, isBold: Bool = false, isRotated: Bool = false,
    hasOutline: Bool = false
  ) {
    (self.text, at, self.size, self.anchor) = (text, Point(x: x, y: y), size, anchor)
    (self.color, self.isBold) = (color, isBold)
    (self.isRotated, self.hasOutline) = (isRotated, hasOutline)
  }

  /// The width of a text in the widest common font.
  static func width(of text: String, size: Double, isBold: Bool = false) -> Double {
    text.reduce(0) { $0 + width(of: $1) } * size * (isBold ? 1.13 : 1)
  }

  /// The width of a letter relative to the font size.
  private static func width(of letter: Character) -> Double {
    switch letter {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", " ": 0.34
    case "f", "t", "r", "(", ")", "-", "[", "]": 0.41
    case "m", "w", "M", "W", "%", "@", "…": 1
    case "A"..."Z", "≈", "±", "+", "\u{2212}": 0.84
    case "\u{0}"..."\u{24F}": 0.64
    default: 1
    }
  }

  /// The bounding box, rather too large than too small.
  var box: Rect {
    let length = TextLabel.width(of: text, size: size, isBold: isBold)
    let fraction =
      switch anchor {
      case .start: 0.0
      case .middle: 0.5
      case .end: 1.0
      }
    let (ascent, height) = (size * 0.85, size * 1.1)
    return isRotated
      ? Rect(
        left: at.x - ascent, top: at.y - length * (1 - fraction), width: height, height: length)
      : Rect(left: at.x - length * fraction, top: at.y - ascent, width: length, height: height)
  }

  /// The label truncated to a width, with an ellipsis if text is omitted.
  func truncated(to width: Double) -> TextLabel {
    guard box.width > width else { return self }
    var label = self
    var rest = width - TextLabel.width(of: "…", size: size, isBold: isBold)
    let kept = text.prefix { letter in
      rest -= TextLabel.width(of: String(letter), size: size, isBold: isBold)
      return rest >= 0
    }
    label.text = kept + "…"
    return label
  }
}

extension Drawing {
  package mutating func frame(_ box: Rect) {
    add(.area(box, fill: "none", opacity: 1, Stroke(color: Palette.soft)))
  }

  package mutating func axis(below box: Rect, _ ticks: Ticks, _ scale: LinearScale, title: String) {
    for tick in ticks.ticks {
      let x = scale.position(of: tick.value)
      line((x, box.top), (x, box.bottom), Stroke(color: Palette.grid))
      line((x, box.bottom), (x, box.bottom + 5), Stroke(color: Palette.soft))
      add(TextLabel(tick.label, x, box.bottom + 17, size: 11, anchor: .middle))
    }
    add(TextLabel(title, box.middle.x, box.bottom + 34, anchor: .middle))
  }

  package mutating func axis(leftOf box: Rect, _ ticks: Ticks, _ scale: LinearScale, title: String)
  {
    for tick in ticks.ticks {
      let y = scale.position(of: tick.value)
      line((box.left, y), (box.right, y), Stroke(color: Palette.grid))
      line((box.left - 5, y), (box.left, y), Stroke(color: Palette.soft))
      add(TextLabel(tick.label, box.left - 8, y + 4, size: 11, anchor: .end))
    }
    let longest = ticks.ticks.map { TextLabel.width(of: $0.label, size: 11) }.max() ?? 0
    let x = box.left - 14 - longest
    add(TextLabel(title, x, box.middle.y, anchor: .middle, isRotated: true))
  }

  /// An axis to the right of a box, without grid lines, as those belong to the left axis.
  package mutating func axis(
    rightOf box: Rect, _ ticks: [(y: Double, label: String)], title: String
  ) {
    for tick in ticks {
      line((box.right, tick.y), (box.right + 5, tick.y), Stroke(color: Palette.soft))
      add(TextLabel(tick.label, box.right + 8, tick.y + 4, size: 11))
    }
    let longest = ticks.map { TextLabel.width(of: $0.label, size: 11) }.max() ?? 0
    let x = box.right + 24 + longest
    add(TextLabel(title, x, box.middle.y, anchor: .middle, isRotated: true))
  }
}

/// A point on a drawing, in its units from the upper left corner.
package struct Point: Hashable {
  package var x: Double
  package var y: Double
}

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

  /// The intersection with a rectangle that overlaps it.
  package func intersection(_ other: Rect) -> Rect {
    let (left, top) = (max(left, other.left), max(top, other.top))
    return Rect(
      left: left, top: top, width: max(min(right, other.right) - left, 0),
      height: max(min(bottom, other.bottom) - top, 0))
  }

  func union(_ other: Rect) -> Rect {
    let (left, top) = (min(left, other.left), min(top, other.top))
    return Rect(
      left: left, top: top, width: max(right, other.right) - left,
      height: max(bottom, other.bottom) - top)
  }

  func expanded(by margin: Double) -> Rect {
    Rect(
      left: left - margin, top: top - margin, width: width + 2 * margin,
      height: height + 2 * margin)
  }
}
