internal import PressureKit
internal import PressureProtocol

/// Finds positions for labels, so that they do not overlap, and seldom cover lines.
///
/// The area is divided into small cells. Each stores the bounding rectangle of what is reserved in it, so that the cost
/// of a search does not depend on the number of reservations.
struct LabelPlacer {
  private let area: Rect
  private let columns: Int
  private let rows: Int
  private var reserved: [Rect?]

  /// Whether a line passes through each cell; a label covers lines only if there is no other position.
  private var hasLine: [Bool]

  private static let cellSize = 5.0

  init(in area: Rect) {
    self.area = area
    columns = max(Int((area.width / LabelPlacer.cellSize).rounded(.up)), 1)
    rows = max(Int((area.height / LabelPlacer.cellSize).rounded(.up)), 1)
    reserved = Array(repeating: nil, count: columns * rows)
    hasLine = Array(repeating: false, count: columns * rows)
  }

  mutating func reserve(_ box: Rect) {
    let cells = cells(of: box)
    for index in cells.rows.flatMap({ row in cells.columns.map { row * columns + $0 } }) {
      let part = box.intersection(cell(index))
      guard part.width > 0, part.height > 0 else { continue }
      reserved[index] = reserved[index].map { $0.union(part) } ?? part
    }
  }

  /// Marks the cells of a line, which labels should not cover.
  mutating func avoid(_ line: [Point]) {
    guard var last = line.first else { return }
    for point in line {
      let (width, height) = (point.x - last.x, point.y - last.y)
      let steps = Int((max(width.magnitude, height.magnitude) / LabelPlacer.cellSize).rounded(.up))
      for step in 0...max(steps, 1) {
        let fraction = Double(step) / Double(max(steps, 1))
        let (x, y) = (last.x + fraction * width, last.y + fraction * height)
        let cells = cells(of: Rect(left: x, top: y, width: 0, height: 0))
        if let column = cells.columns.first, let row = cells.rows.first {
          hasLine[row * columns + column] = true
        }
      }
      last = point
    }
  }

  /// Reserves and returns the first free candidate, preferably one that covers no line; nil if none is free.
  mutating func place(_ candidates: [TextLabel]) -> TextLabel? {
    let free = candidates.filter { label in
      let box = label.box.expanded(by: 1)
      return area.contains(box) && !isReserved(box)
    }
    guard
      let label = free.first(where: { label in !contains(label.box) { hasLine[$0] } })
        ?? free.first
    else { return nil }
    reserve(label.box.expanded(by: 1))
    return label
  }

  private func isReserved(_ box: Rect) -> Bool {
    contains(box) { reserved[$0].map(box.overlaps) ?? false }
  }

  private func contains(_ box: Rect, where condition: (Int) -> Bool) -> Bool {
    let cells = cells(of: box)
    return cells.rows.contains { row in
      cells.columns.contains { condition(row * columns + $0) }
    }
  }

  private func cells(of box: Rect) -> (columns: Range<Int>, rows: Range<Int>) {
    guard box.right >= area.left, box.left <= area.right, box.bottom >= area.top,
      box.top <= area.bottom
    else { return (0..<0, 0..<0) }
    func index(_ position: Double, _ count: Int) -> Int {
      Int(min(max((position / LabelPlacer.cellSize).rounded(.down), 0), Double(count - 1)))
    }
    let (left, right) = (
      index(box.left - area.left, columns), index(box.right - area.left, columns)
    )
    let (top, bottom) = (index(box.top - area.top, rows), index(box.bottom - area.top, rows))
    return (left..<right + 1, top..<bottom + 1)
  }

  private func cell(_ index: Int) -> Rect {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    let size = LabelPlacer.cellSize
    return Rect(
      left: area.left + Double(column) * size, top: area.top + Double(row) * size, width: size,
      height: size)
  }

  /// A label at positions above, beside and below a point, the best first.
  static func candidates(
    around point: Point, _ label: TextLabel, distance: Double
  ) -> [TextLabel] {
    let (rise, middle) = (label.size * 0.85, label.size * 0.35)
    func at(_ x: Double, _ y: Double, _ anchor: TextLabel.Anchor) -> TextLabel {
      var label = label
      (label.at, label.anchor) = (Point(x: point.x + x, y: point.y + y), anchor)
      return label
    }
    return [
      at(0, -distance - 3, .middle), at(distance, -distance, .start),
      at(-distance, -distance, .end),
      at(distance + 2, middle, .start), at(-distance - 2, middle, .end),
      at(0, distance + rise, .middle), at(distance, distance + rise, .start),
      at(-distance, distance + rise, .end),
    ]
  }
}
