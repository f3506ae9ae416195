internal import PressureKit
internal import PressureProtocol

/// Who is the heaviest, and who is down when.
extension RecordingPage {
  func addLanes(to drawing: inout Drawing) {
    addCrown(to: &drawing)
    let isWordy = layout.laneHeight >= PageLayout.wordyLane
    for (index, slot) in slots.enumerated() {
      let lane = layout.lane(index)
      if isWordy || index == 0 || index == slots.count - 1 {
        addName("slot \(slot)", of: lane, to: &drawing)
      }
    }
    for (index, course) in subject.story.courses.enumerated() {
      guard let place = slots.firstIndex(of: course.slot) else { continue }
      add(course, index, in: layout.lane(place), to: &drawing)
    }
  }

  private func addName(_ name: String, of box: Rect, to drawing: inout Drawing) {
    let at = Point(x: box.left - 8, y: box.middle.y + 3.8)
    drawing.add(.words(Words(text: name, at: at, size: 10.5, anchor: .end, color: Palette.soft)))
  }

  private func addCrown(to drawing: inout Drawing) {
    addName("heaviest", of: layout.crown, to: &drawing)
    let span = max(1, subject.story.duration / Int64(layout.crown.width))
    for reign in subject.story.reigns.merged(every: span) {
      let box = bar(from: reign.begin, to: reign.end, in: layout.crown)
      let color = Palette.color(of: reign.course)
      drawing.add(
        .area(box, fill: color, opacity: 0.45, Drawing.Stroke(color: color, width: 0.8)))
      addNumber(subject.story.courses[reign.course].number, in: box, to: &drawing)
    }
  }

  /// A pale bar, and in it the line that stands for the contact in the chart.
  private func add(_ course: ContactTrace, _ index: Int, in lane: Rect, to drawing: inout Drawing) {
    let box = bar(from: course.begin, to: course.end, in: lane)
    let color = Palette.color(of: index)
    drawing.add(.area(box, fill: color, opacity: 0.18, nil))
    let middle = box.middle.y
    drawing.line(
      Point(x: box.left, y: middle), Point(x: box.right, y: middle),
      Drawing.Stroke(
        color: color, width: min(2, box.height / 2), dashes: Palette.dashes(of: index)))
    let edge = Drawing.Stroke(color: color, width: 1.5)
    for x in [box.left, box.right] {
      drawing.line(Point(x: x, y: box.top), Point(x: x, y: box.bottom), edge)
    }
    guard layout.laneHeight >= PageLayout.wordyLane else { return }
    addNumber(course.number, in: box, to: &drawing)
    if course.isCancelled, box.width > 16 {
      Mark.cancelled.draw(
        at: Point(x: box.right - 7, y: middle), color: Palette.ink, on: &drawing)
    }
  }

  /// At least a hair wide, as also the shortest tap was there.
  private func bar(from begin: Int64, to end: Int64, in lane: Rect) -> Rect {
    let left = x(begin)
    let right = max(x(end), left + 0.8)
    let margin = min(1.5, lane.height / 8)
    return Rect(
      left: left, top: lane.top + margin, width: right - left, height: lane.height - 2 * margin)
  }

  private func addNumber(_ number: Int, in box: Rect, to drawing: inout Drawing) {
    let words = Words(
      text: "\(number)", at: Point(x: box.middle.x, y: box.middle.y + 3.6), size: 10,
      anchor: .middle, isBold: true, hasEdge: true)
    guard words.box.width + 2 <= box.width else { return }
    drawing.add(.words(words))
  }
}
