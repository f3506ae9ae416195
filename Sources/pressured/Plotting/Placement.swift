/// Finds room for words, so that none lie upon each other.
struct Placement {
  private let room: Box
  private var taken: [Box]

  /// Room for words within a box, except where something is already.
  init(in room: Box, taken: [Box] = []) {
    self.room = room
    self.taken = taken
  }

  /// Takes room whatever is there.
  mutating func take(_ box: Box) { taken.append(box) }

  /// Takes the first place that is free, and gives it; nil where none is.
  mutating func place(_ candidates: [Words]) -> Words? {
    for words in candidates {
      let box = words.box.grown(by: 1)
      guard room.contains(box), !taken.contains(where: box.overlaps) else { continue }
      taken.append(box)
      return words
    }
    return nil
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
      at(0, -distance, .middle), at(distance, -distance, .start), at(-distance, -distance, .end),
      at(distance + 2, middle, .start), at(-distance - 2, middle, .end),
      at(0, distance + rise, .middle), at(distance, distance + rise, .start),
      at(-distance, distance + rise, .end),
    ]
  }
}
