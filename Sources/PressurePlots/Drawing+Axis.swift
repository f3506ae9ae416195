internal import PressureKit
internal import PressureProtocol

extension Drawing {
  /// The frame of a chart.
  package mutating func frame(_ box: Rect) {
    add(.area(box, fill: "none", opacity: 1, Stroke(color: Palette.soft)))
  }

  /// Numbers below a box, with lines through it.
  package mutating func axis(below box: Rect, _ ticks: Ticks, _ ruler: LinearScale, title: String) {
    for tick in ticks.ticks {
      let x = ruler.place(of: tick.value)
      line(Point(x: x, y: box.top), Point(x: x, y: box.bottom), Stroke(color: Palette.grid))
      line(Point(x: x, y: box.bottom), Point(x: x, y: box.bottom + 5), Stroke(color: Palette.soft))
      add(
        .words(
          Words(text: tick.label, at: Point(x: x, y: box.bottom + 17), size: 11, anchor: .middle)))
    }
    add(
      .words(
        Words(text: title, at: Point(x: box.middle.x, y: box.bottom + 34), anchor: .middle)))
  }

  /// Numbers left of a box, with lines through it.
  package mutating func axis(leftOf box: Rect, _ ticks: Ticks, _ ruler: LinearScale, title: String)
  {
    for tick in ticks.ticks {
      let y = ruler.place(of: tick.value)
      line(Point(x: box.left, y: y), Point(x: box.right, y: y), Stroke(color: Palette.grid))
      line(Point(x: box.left - 5, y: y), Point(x: box.left, y: y), Stroke(color: Palette.soft))
      add(
        .words(
          Words(text: tick.label, at: Point(x: box.left - 8, y: y + 4), size: 11, anchor: .end)))
    }
    let longest = ticks.ticks.map { Words.width(of: $0.label, size: 11) }.max() ?? 0
    let at = Point(x: box.left - 14 - longest, y: box.middle.y)
    add(.words(Words(text: title, at: at, anchor: .middle, isUpright: true)))
  }

  /// Numbers right of a box, whose lines would only confuse.
  package mutating func axis(
    rightOf box: Rect, _ ticks: [(y: Double, label: String)], title: String
  ) {
    for tick in ticks {
      line(
        Point(x: box.right, y: tick.y), Point(x: box.right + 5, y: tick.y),
        Stroke(color: Palette.soft))
      add(.words(Words(text: tick.label, at: Point(x: box.right + 8, y: tick.y + 4), size: 11)))
    }
    let longest = ticks.map { Words.width(of: $0.label, size: 11) }.max() ?? 0
    let at = Point(x: box.right + 24 + longest, y: box.middle.y)
    add(.words(Words(text: title, at: at, anchor: .middle, isUpright: true)))
  }
}
