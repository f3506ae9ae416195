internal import PressureKit

/// Force over time.
extension RecordingPage {
  func addCourses(to drawing: inout Drawing) {
    var placement = Placement(in: layout.chart)
    addStages(to: &drawing, &placement)
    let courses = subject.story.courses
    for (index, course) in courses.enumerated() {
      let stroke = Drawing.Stroke(
        colour: Palette.colour(of: index), width: courses.count > 12 ? 1.2 : 1.8,
        dashes: Palette.dashes(of: index))
      drawing.add(.line(line(of: course), stroke))
    }
    for (index, course) in courses.enumerated() {
      addMarks(of: course, Palette.colour(of: index), to: &drawing)
    }
    for course in courses where course.peak.force > 0 {
      let place = Point(x: x(course.peak.time), y: y(course.peak.force))
      placement.take(Box(left: place.x - 3, top: place.y - 3, width: 6, height: 6))
    }
    // The hardest press has the first choice of room.
    let order = courses.indices.sorted { left, right in
      let (one, other) = (courses[left].peak.force, courses[right].peak.force)
      return one == other ? left < right : one > other
    }
    for index in order where courses[index].peak.force > 0 {
      if let words = placement.place(labels(of: courses[index], index)) {
        drawing.add(.words(words))
      }
    }
  }

  /// The thresholds, named at the left edge.
  private func addStages(to drawing: inout Drawing, _ placement: inout Placement) {
    let stroke = Drawing.Stroke(colour: Palette.soft, width: 1, dashes: [2, 3])
    var lines = subject.stages.compactMap { stage in
      subject.force(of: stage).map { (name: stage.name.onOneLine, force: $0) }
    }
    if subject.maximum <= top { lines.append(("the full", subject.maximum)) }
    for (name, force) in lines where force > 0 && force <= top {
      let y = y(force)
      drawing.line(
        Point(x: layout.chart.left, y: y), Point(x: layout.chart.right, y: y), stroke)
      let text = "\(name), \(force.reading)"
      let words = Words(
        text: text, at: Point(x: layout.chart.left + 5, y: y - 4), size: 11, colour: Palette.soft,
        hasEdge: true)
      var below = words
      below.at.y = y + 13
      var right = words
      (right.at.x, right.anchor) = (layout.chart.right - 5, .end)
      if let words = placement.place([words, below, right]) { drawing.add(.words(words)) }
    }
  }

  /// A contact holds its force until the device says another one; it comes from nothing and goes to it.
  private func line(of course: Course) -> [Point] {
    let span = max(1, subject.story.duration / Int64(layout.chart.width))
    var points = [Point(x: x(course.begin), y: y(0))]
    for sample in course.samples.decimated(every: span) {
      let next = Point(x: x(sample.time), y: y(sample.force))
      if let last = points.last { points.append(Point(x: next.x, y: last.y)) }
      points.append(next)
    }
    let end = x(course.end)
    if let last = points.last { points.append(Point(x: end, y: last.y)) }
    points.append(Point(x: end, y: y(0)))
    return points
  }

  /// Where marks would lie upon each other, the first stands for all.
  private func addMarks(of course: Course, _ colour: String, to drawing: inout Drawing) {
    var last: [Mark: Double] = [:]
    for happening in course.happenings {
      let mark = Mark(happening.kind)
      let place = Point(x: x(happening.time), y: y(happening.force))
      if let before = last[mark], place.x - before < 4 { continue }
      last[mark] = place.x
      mark.draw(at: place, colour: colour, on: &drawing)
    }
    guard course.peak.force > 0 else { return }
    let peak = Point(x: x(course.peak.time), y: y(course.peak.force))
    Mark.peak.draw(at: peak, colour: colour, on: &drawing)
  }

  /// From the longest to the shortest, around the peak.
  private func labels(of course: Course, _ index: Int) -> [Words] {
    let peak = Point(x: x(course.peak.time), y: y(course.peak.force))
    let isMany = subject.story.courses.count > 8
    var texts = ["\(course.number)"]
    let force = "\(course.number): \(course.peak.force.reading)"
    if !isMany { texts.insert(force, at: 0) }
    if !isMany, let grams = course.peakGrams {
      let about = subject.surface.weightSource == .nominal ? "≈" : ""
      let more = course.isSaturated ? "+" : ""
      texts.insert("\(force) (\(about)\(grams.reading) g\(more))", at: 0)
    }
    return texts.flatMap { text in
      let words = Words(
        text: text, at: peak, size: isMany ? 10 : 11.5, colour: Palette.ink, isBold: true,
        hasEdge: true)
      return Placement.around(peak, words, distance: 7)
    }
  }
}
