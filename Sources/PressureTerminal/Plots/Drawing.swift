internal import PressureKit

package struct Drawing {
  /// An element of the page; later ones cover earlier ones.
  enum Item: Hashable {
    case line([Point], Stroke)
    case area(Rect, fill: String, opacity: Double, Stroke?)
    case polygon([Point], fill: String, Stroke?)
    case circle(Point, radius: Double, fill: String, Stroke?)
    case text(TextLabel)
  }

  struct Stroke: Hashable {
    var color: String
    var width = 1.0

    /// The lengths of dashes and gaps, alternating; empty for a solid line.
    var dashes: [Double] = []
  }

  let width: Double
  let height: Double
  let title: String

  /// A description for screen readers.
  let description: String

  private(set) var items: [Item] = []

  mutating func add(_ item: Item) { items.append(item) }

  mutating func add(_ label: TextLabel) { items.append(.text(label)) }

  mutating func line(
    _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), _ stroke: Stroke
  ) {
    add(.line([Point(x: from.x, y: from.y), Point(x: to.x, y: to.y)], stroke))
  }

  mutating func addHeading(_ text: String, _ lines: [String]) {
    add(TextLabel(text, 24, 36, size: 20, isBold: true).truncated(to: width - 48))
    for (text, y) in zip(lines, [58.0, 76]) where !text.isEmpty {
      add(TextLabel(text, 24, y, size: 12.5, color: Palette.soft).truncated(to: width - 48))
    }
  }

  /// Adds a text of a legend; returns its right edge.
  mutating func addEntry(_ text: String, _ x: Double, _ y: Double) -> Double {
    let label = TextLabel(text, x, y, size: 11, color: Palette.soft)
    add(label)
    return label.box.right
  }

  mutating func frame(_ box: Rect) {
    add(.area(box, fill: "none", opacity: 1, Stroke(color: Palette.soft)))
  }

  mutating func axis(below box: Rect, _ scale: LinearScale, atMost most: Int, title: String) {
    for tick in scale.range.ticks(atMost: most) {
      let x = scale.position(of: tick.value)
      line((x, box.top), (x, box.bottom), Stroke(color: Palette.grid))
      line((x, box.bottom), (x, box.bottom + 5), Stroke(color: Palette.soft))
      add(TextLabel(tick.label, x, box.bottom + 17, size: 11, anchor: .middle))
    }
    add(TextLabel(title, box.middle.x, box.bottom + 34, anchor: .middle))
  }

  mutating func axis(leftOf box: Rect, _ scale: LinearScale, atMost most: Int, title: String) {
    let ticks = scale.range.ticks(atMost: most)
    for tick in ticks {
      let y = scale.position(of: tick.value)
      line((box.left, y), (box.right, y), Stroke(color: Palette.grid))
      line((box.left - 5, y), (box.left, y), Stroke(color: Palette.soft))
      add(TextLabel(tick.label, box.left - 8, y + 4, size: 11, anchor: .end))
    }
    let x = box.left - 14 - Drawing.longest(ticks.map(\.label))
    add(TextLabel(title, x, box.middle.y, anchor: .middle, isRotated: true))
  }

  /// An axis to the right of a box, without grid lines, as those belong to the left axis.
  mutating func axis(rightOf box: Rect, _ ticks: [(y: Double, label: String)], title: String) {
    for tick in ticks {
      line((box.right, tick.y), (box.right + 5, tick.y), Stroke(color: Palette.soft))
      add(TextLabel(tick.label, box.right + 8, tick.y + 4, size: 11))
    }
    let x = box.right + 24 + Drawing.longest(ticks.map(\.label))
    add(TextLabel(title, x, box.middle.y, anchor: .middle, isRotated: true))
  }

  private static func longest(_ labels: [String]) -> Double {
    labels.map { TextLabel.width(of: $0, size: 11) }.max() ?? 0
  }
}

struct TextLabel: Hashable {
  enum Anchor: String {
    case start, middle, end
  }

  var text: String
  var at: Point
  var size: Double
  var anchor: Anchor
  var color: String
  var isBold: Bool
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

struct Point: Hashable {
  var x: Double
  var y: Double
}

struct Rect: Hashable {
  var left: Double
  var top: Double
  var width: Double
  var height: Double

  var right: Double { left + width }
  var bottom: Double { top + height }
  var middle: Point { Point(x: left + width / 2, y: top + height / 2) }

  func contains(_ other: Rect) -> Bool {
    left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom
  }

  func expanded(by margin: Double) -> Rect {
    Rect(
      left: left - margin, top: top - margin, width: width + 2 * margin,
      height: height + 2 * margin)
  }

  /// A square around a point, whose sides have this distance from it.
  static func around(_ point: Point, _ distance: Double) -> Rect {
    Rect(left: point.x, top: point.y, width: 0, height: 0).expanded(by: distance)
  }
}

/// Finds positions for labels, so that they do not overlap, and seldom cover lines.
///
/// The area is divided into small cells, so that the cost of a search does not depend on the number of reservations.
struct LabelPlacer {
  private enum Cell {
    case free
    /// A line passes through it; a label covers lines only if there is no other position.
    case line
    case reserved
  }

  private let area: Rect
  private let columns: Int
  private let rows: Int
  private var cells: [Cell]

  private static let cellSize = 2.0

  init(in area: Rect) {
    self.area = area
    columns = max(Int((area.width / LabelPlacer.cellSize).rounded(.up)), 1)
    rows = max(Int((area.height / LabelPlacer.cellSize).rounded(.up)), 1)
    cells = Array(repeating: .free, count: columns * rows)
  }

  mutating func reserve(_ box: Rect) {
    let (columns, rows) = range(of: box)
    for row in rows {
      for column in columns { cells[row * self.columns + column] = .reserved }
    }
  }

  mutating func avoid(_ line: [Point]) {
    for (start, end) in zip(line, line.dropFirst()) {
      let (width, height) = (end.x - start.x, end.y - start.y)
      let length = max(width.magnitude, height.magnitude)
      let steps = max((length / LabelPlacer.cellSize).rounded(.up), 1)
      for step in 0...Int(steps) {
        let fraction = Double(step) / steps
        let point = Point(x: start.x + fraction * width, y: start.y + fraction * height)
        let range = range(of: .around(point, 0))
        guard let column = range.columns.first, let row = range.rows.first else { continue }
        let index = row * columns + column
        if cells[index] == .free { cells[index] = .line }
      }
    }
  }

  /// Reserves and returns the first free candidate, preferably one that covers no line; nil if none is free.
  mutating func place(_ candidates: [TextLabel]) -> TextLabel? {
    let free = candidates.filter { label in
      let box = label.box.expanded(by: 1)
      return area.contains(box) && !has(.reserved, in: box)
    }
    guard let label = free.first(where: { !has(.line, in: $0.box) }) ?? free.first else {
      return nil
    }
    reserve(label.box.expanded(by: 1))
    return label
  }

  private func has(_ cell: Cell, in box: Rect) -> Bool {
    let (columns, rows) = range(of: box)
    return rows.contains { row in
      columns.contains { cells[row * self.columns + $0] == cell }
    }
  }

  private func range(of box: Rect) -> (columns: Range<Int>, rows: Range<Int>) {
    guard box.right >= area.left, box.left <= area.right, box.bottom >= area.top,
      box.top <= area.bottom
    else { return (0..<0, 0..<0) }
    func index(_ position: Double, _ count: Int) -> Int {
      Int((position / LabelPlacer.cellSize).clamped(to: 0...Double(count - 1)))
    }
    let (left, right) = (box.left - area.left, box.right - area.left)
    let (top, bottom) = (box.top - area.top, box.bottom - area.top)
    return (
      index(left, columns)..<index(right, columns) + 1, index(top, rows)..<index(bottom, rows) + 1
    )
  }

  /// A label at positions above, beside and below a point, the best first.
  static func candidates(around point: Point, _ label: TextLabel, distance: Double) -> [TextLabel] {
    let (rise, middle) = (label.size * 0.85, label.size * 0.35)
    let offsets: [(x: Double, y: Double, anchor: TextLabel.Anchor)] = [
      (0, -distance - 3, .middle), (distance, -distance, .start), (-distance, -distance, .end),
      (distance + 2, middle, .start), (-distance - 2, middle, .end), (0, distance + rise, .middle),
      (distance, distance + rise, .start), (-distance, distance + rise, .end),
    ]
    return offsets.map { offset in
      var label = label
      label.at = Point(x: point.x + offset.x, y: point.y + offset.y)
      label.anchor = offset.anchor
      return label
    }
  }
}

extension ClosedRange<Double> {
  /// At most a number of ticks, 2 or more, for an axis, at multiples of 1, 2 or 5 times a power of ten.
  func ticks(atMost most: Int) -> [(value: Double, label: String)] {
    let span = upperBound - lowerBound
    guard span > 1e-9, span.isFinite, upperBound.magnitude < 1e12 else { return [] }
    for exponent in -12...13 {
      let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
      for mantissa in [1, 2, 5] {
        // Steps below one divide instead of multiplying, so that 3 tenths are exactly 0.3.
        func value(of number: Int) -> Double {
          let whole = Double(number * mantissa)
          return exponent < 0 ? whole / power : whole * power
        }
        let width = value(of: 1)
        guard width >= span / Double(most) else { continue }
        // The tolerance includes ticks that miss an end by a rounding error.
        let low = (lowerBound / width - 1e-9).rounded(.up)
        let high = Swift.max(low, (upperBound / width + 1e-9).rounded(.down))
        guard Int(high - low) < most else { continue }
        return (Int(low)...Int(high)).map {
          (value: value(of: $0), label: value(of: $0).label(decimals: Swift.max(0, -exponent)))
        }
      }
    }
    return []
  }
}

extension Double {
  /// The number with a fixed number of decimals, 0…9, and a typographic minus sign.
  func label(decimals: Int) -> String {
    let text = text(decimals: decimals)
    return text.hasPrefix("-") ? "\u{2212}\(text.dropFirst())" : text
  }

  /// The number with about three significant digits.
  var reading: String { label(decimals: magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2) }
}

struct LinearScale {
  let range: ClosedRange<Double>

  /// The coordinates of the two ends; `start` may be the greater one.
  let start: Double
  let end: Double

  func position(of value: Double) -> Double {
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return start }
    return start + (value - range.lowerBound) / span * (end - start)
  }
}

struct TimeUnit {
  let name: String
  let length: Double

  /// Selects the unit for a duration in microseconds.
  init(for duration: Int64) {
    (name, length) =
      switch duration {
      case ..<1_000_000: ("ms", 1e3)
      case ..<600_000_000: ("s", 1e6)
      case ..<18_000_000_000: ("min", 60e6)
      default: ("h", 3600e6)
      }
  }

  static func text(_ duration: Int64) -> String {
    let unit = TimeUnit(for: duration)
    return "\((Double(duration) / unit.length).reading) \(unit.name)"
  }
}
