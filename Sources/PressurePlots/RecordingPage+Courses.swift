internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// Force over time.
extension RecordingPage {
  func addCourses(to drawing: inout Drawing) {
    var placement = Placement(in: layout.chart)
    let courses = subject.story.courses
    let stages = addStages(to: &drawing)
    for (index, course) in courses.enumerated() {
      let stroke = Drawing.Stroke(
        color: Palette.color(of: index), width: courses.count > 12 ? 1.2 : 1.8,
        dashes: Palette.dashes(of: index))
      let line = line(of: course)
      placement.avoid(line)
      drawing.add(.line(line, stroke))
    }
    for (index, course) in courses.enumerated() {
      addMarks(of: course, Palette.color(of: index), to: &drawing, &placement)
    }
    for candidates in stages + labels() {
      if let words = placement.place(candidates) { drawing.add(.words(words)) }
    }
  }

  /// The thresholds; gives where each one's name may stand.
  private func addStages(to drawing: inout Drawing) -> [[Words]] {
    let stroke = Drawing.Stroke(color: Palette.soft, width: 1, dashes: [2, 3])
    var lines = subject.stages.compactMap { stage in
      subject.force(of: stage).map { (name: stage.name.onOneLine, force: $0) }
    }
    if subject.maximum <= top { lines.append(("the full", subject.maximum)) }
    return lines.filter { $0.force > 0 && $0.force <= top }.map { name, force in
      let (left, right, y) = (layout.chart.left, layout.chart.right, y(force))
      drawing.line(Point(x: left, y: y), Point(x: right, y: y), stroke)
      let words = Words(
        text: "\(name), \(force.reading)", at: Point(x: left + 5, y: y - 4), size: 11,
        color: Palette.soft, hasEdge: true)
      return along(words, y, room: right - left - 10 - words.box.width)
    }
  }

  /// Above a line or below it, at either end or anywhere between them.
  private func along(_ words: Words, _ y: Double, room: Double) -> [Words] {
    var places: [Words] = []
    for step in 0...16 {
      let part = Double(step % 2 == 0 ? step / 2 : 16 - step / 2) / 16
      for rise in [-4.0, 13] {
        var words = words
        words.at = Point(x: words.at.x + part * room, y: y + rise)
        places.append(words)
      }
    }
    return places
  }

  /// A contact holds its force until the device says another one; it comes from nothing and goes to it.
  private func line(of course: ContactTrace) -> [Point] {
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
  private func addMarks(
    of course: ContactTrace, _ color: String, to drawing: inout Drawing,
    _ placement: inout Placement
  ) {
    let scale = subject.story.courses.count > 24 ? 0.6 : 1
    var last: [Mark: Double] = [:]
    func add(_ mark: Mark, _ time: Int64, _ force: Double) {
      let place = Point(x: x(time), y: y(force))
      if let before = last[mark], place.x - before < 8 * scale { return }
      last[mark] = place.x
      mark.draw(at: place, color: color, scale: scale, on: &drawing)
      placement.take(
        Rect(left: place.x, top: place.y, width: 0, height: 0).grown(by: 5 * scale))
    }
    for happening in course.happenings {
      add(Mark(happening.kind), happening.time, happening.force)
    }
    // The hardest press of who presses to the full is marked already.
    guard course.peak.force > 0, last[.full] == nil else { return }
    add(.peak, course.peak.time, course.peak.force)
  }

  /// Where the words of each peak may stand; the hardest press has the first choice.
  private func labels() -> [[Words]] {
    let courses = subject.story.courses.filter { $0.peak.force > 0 }
    return courses.sorted { left, right in
      left.peak.force == right.peak.force
        ? left.number < right.number : left.peak.force > right.peak.force
    }.map(labels)
  }

  /// From the longest to the shortest, around the peak.
  private func labels(of course: ContactTrace) -> [Words] {
    let peak = Point(x: x(course.peak.time), y: y(course.peak.force))
    let isMany = subject.story.courses.count > 8
    var texts = ["\(course.number)"]
    let force = "\(course.number): \(course.peak.force.reading)"
    if !isMany { texts.insert(force, at: 0) }
    if !isMany, let grams = course.peakGrams {
      let more = course.isSaturated ? "+" : ""
      let weight = "\(grams.reading)\(more) g".estimated(subject.surface.isEstimate)
      texts.insert("\(force) (\(weight))", at: 0)
    }
    return texts.flatMap { text in
      let words = Words(
        text: text, at: peak, size: isMany ? 10 : 11.5, isBold: true, hasEdge: true)
      let near = Placement.around(peak, words, distance: 7)
      return isMany ? near : near + Placement.around(peak, words, distance: 16)
    }
  }
}
