/// Finds room for words, so that none lie upon each other, and few upon lines.
struct Placement {
  /// A small square of the drawing.
  private struct Cell: Hashable {
    var column: Int
    var row: Int
  }

  private let room: Box
  private var taken: [Box] = []

  /// Where lines are, which words may cover if there is no other place.
  private var lined: Set<Cell> = []

  private static let cell = 5.0

  /// Room for words within a box.
  init(in room: Box) {
    self.room = room
  }

  /// Takes room whatever is there.
  mutating func take(_ box: Box) { taken.append(box) }

  /// Notes where a line runs.
  mutating func avoid(_ line: [Point]) {
    guard var last = line.first else { return }
    for point in line {
      let (width, height) = (point.x - last.x, point.y - last.y)
      let steps = Int((max(width.magnitude, height.magnitude) / Placement.cell).rounded(.up))
      for step in 0...max(steps, 1) {
        let part = Double(step) / Double(max(steps, 1))
        lined.insert(cell(last.x + part * width, last.y + part * height))
      }
      last = point
    }
  }

  /// Takes the first place that is free, if need be one upon a line, and gives it; nil where none is.
  mutating func place(_ candidates: [Words]) -> Words? {
    let free = candidates.filter { words in
      let box = words.box.grown(by: 1)
      return room.contains(box) && !taken.contains(where: box.overlaps)
    }
    guard let words = free.first(where: { !isLined($0.box) }) ?? free.first else { return nil }
    taken.append(words.box.grown(by: 1))
    return words
  }

  private func cell(_ x: Double, _ y: Double) -> Cell {
    Cell(column: Int(x / Placement.cell), row: Int(y / Placement.cell))
  }

  private func isLined(_ box: Box) -> Bool {
    let (first, last) = (cell(box.left, box.top), cell(box.right, box.bottom))
    return (first.row...last.row).contains { row in
      (first.column...last.column).contains { lined.contains(Cell(column: $0, row: row)) }
    }
  }

  /// A text above, below and beside a point, the best place first.
  static func around(_ point: Point, _ words: Words, distance: Double) -> [Words] {
    let (rise, middle) = (words.size * 0.85, words.size * 0.35)
    func at(_ x: Double, _ y: Double, _ anchor: Words.Anchor) -> Words {
      var words = words
      (words.at, words.anchor) = (Point(x: point.x + x, y: point.y + y), anchor)
      return words
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
