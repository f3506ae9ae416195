internal import PressureKit
internal import PressureProtocol

/// Finds room for words, so that none lie upon each other, and few upon lines.
///
/// The room is divided into small squares, each of which knows the rectangle around all that is taken of it: a
/// search costs the same however much was taken before.
struct Placement {
  private let room: Rect
  private let columns: Int
  private let rows: Int

  /// What is taken of each square.
  private var taken: [Rect?]

  /// Where lines are, which words may cover if there is no other place.
  private var lined: [Bool]

  private static let cell = 5.0

  /// Room for words within a box.
  init(in room: Rect) {
    self.room = room
    columns = max(Int((room.width / Placement.cell).rounded(.up)), 1)
    rows = max(Int((room.height / Placement.cell).rounded(.up)), 1)
    taken = Array(repeating: nil, count: columns * rows)
    lined = Array(repeating: false, count: columns * rows)
  }

  /// Takes room whatever is there.
  mutating func take(_ box: Rect) {
    let (across, down) = squares(of: box)
    for index in down.flatMap({ row in across.map { row * columns + $0 } }) {
      let part = box.part(in: square(index))
      guard part.width > 0, part.height > 0 else { continue }
      taken[index] = taken[index].map { $0.around(part) } ?? part
    }
  }

  /// Notes where a line runs.
  mutating func avoid(_ line: [Point]) {
    guard var last = line.first else { return }
    for point in line {
      let (width, height) = (point.x - last.x, point.y - last.y)
      let steps = Int((max(width.magnitude, height.magnitude) / Placement.cell).rounded(.up))
      for step in 0...max(steps, 1) {
        let part = Double(step) / Double(max(steps, 1))
        let (x, y) = (last.x + part * width, last.y + part * height)
        let (across, down) = squares(of: Rect(left: x, top: y, width: 0, height: 0))
        if let column = across.first, let row = down.first { lined[row * columns + column] = true }
      }
      last = point
    }
  }

  /// Takes the first place that is free, if need be one upon a line, and gives it; nil where none is.
  mutating func place(_ candidates: [TextLabel]) -> TextLabel? {
    let free = candidates.filter { words in
      let box = words.box.grown(by: 1)
      return room.contains(box) && !isTaken(box)
    }
    guard
      let words = free.first(where: { words in !touches(words.box) { lined[$0] } }) ?? free.first
    else { return nil }
    take(words.box.grown(by: 1))
    return words
  }

  private func isTaken(_ box: Rect) -> Bool {
    touches(box) { taken[$0].map(box.overlaps) ?? false }
  }

  /// Whether there is a square of a kind among those that a box touches.
  private func touches(_ box: Rect, _ isMeant: (Int) -> Bool) -> Bool {
    let (across, down) = squares(of: box)
    return down.contains { row in across.contains { isMeant(row * columns + $0) } }
  }

  /// The squares that a box touches, as far as it is in the room.
  private func squares(of box: Rect) -> (across: Range<Int>, down: Range<Int>) {
    guard box.right >= room.left, box.left <= room.right, box.bottom >= room.top,
      box.top <= room.bottom
    else { return (0..<0, 0..<0) }
    func number(_ place: Double, _ count: Int) -> Int {
      Int(min(max((place / Placement.cell).rounded(.down), 0), Double(count - 1)))
    }
    let (left, right) = (
      number(box.left - room.left, columns), number(box.right - room.left, columns)
    )
    let (top, bottom) = (number(box.top - room.top, rows), number(box.bottom - room.top, rows))
    return (left..<right + 1, top..<bottom + 1)
  }

  private func square(_ index: Int) -> Rect {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    return Rect(
      left: room.left + Double(column) * Placement.cell,
      top: room.top + Double(row) * Placement.cell, width: Placement.cell, height: Placement.cell)
  }

  /// A text above, below and beside a point, the best place first.
  static func around(_ point: Point, _ words: TextLabel, distance: Double) -> [TextLabel] {
    let (rise, middle) = (words.size * 0.85, words.size * 0.35)
    func at(_ x: Double, _ y: Double, _ anchor: TextLabel.Anchor) -> TextLabel {
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
