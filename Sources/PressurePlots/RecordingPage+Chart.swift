internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// Force over time.
extension RecordingPage {
  func addChart(to drawing: inout Drawing) {
    var placement = Placement(in: layout.chart)
    let contacts = model.trace.contacts
    let stages = addStages(to: &drawing)
    for (index, contact) in contacts.enumerated() {
      let stroke = Drawing.Stroke(
        color: Palette.color(of: index), width: contacts.count > 12 ? 1.2 : 1.8,
        dashes: Palette.dashes(of: index))
      let line = line(of: contact)
      placement.avoid(line)
      drawing.add(.line(line, stroke))
    }
    for (index, contact) in contacts.enumerated() {
      addMarks(of: contact, Palette.color(of: index), to: &drawing, &placement)
    }
    for candidates in stages + labels() {
      if let words = placement.place(candidates) { drawing.add(.words(words)) }
    }
  }

  /// The thresholds; gives where each one's name may stand.
  private func addStages(to drawing: inout Drawing) -> [[TextLabel]] {
    let stroke = Drawing.Stroke(color: Palette.soft, width: 1, dashes: [2, 3])
    var lines = model.stages.compactMap { stage in
      model.force(of: stage).map { (name: stage.name.onOneLine, force: $0) }
    }
    if model.maximum <= top { lines.append(("the full", model.maximum)) }
    return lines.filter { $0.force > 0 && $0.force <= top }.map { name, force in
      let (left, right, y) = (layout.chart.left, layout.chart.right, y(force))
      drawing.line(Point(x: left, y: y), Point(x: right, y: y), stroke)
      let words = TextLabel(
        text: "\(name), \(force.reading)", at: Point(x: left + 5, y: y - 4), size: 11,
        color: Palette.soft, hasEdge: true)
      return along(words, y, room: right - left - 10 - words.box.width)
    }
  }

  /// Above a line or below it, at either end or anywhere between them.
  private func along(_ words: TextLabel, _ y: Double, room: Double) -> [TextLabel] {
    var places: [TextLabel] = []
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
  private func line(of contact: ContactTrace) -> [Point] {
    let span = max(1, model.trace.duration / Int64(layout.chart.width))
    var points = [Point(x: x(contact.begin), y: y(0))]
    for sample in contact.samples.decimated(every: span) {
      let next = Point(x: x(sample.time), y: y(sample.force))
      if let last = points.last { points.append(Point(x: next.x, y: last.y)) }
      points.append(next)
    }
    let end = x(contact.end)
    if let last = points.last { points.append(Point(x: end, y: last.y)) }
    points.append(Point(x: end, y: y(0)))
    return points
  }

  /// Where marks would lie upon each other, the first stands for all.
  private func addMarks(
    of contact: ContactTrace, _ color: String, to drawing: inout Drawing,
    _ placement: inout Placement
  ) {
    let scale = model.trace.contacts.count > 24 ? 0.6 : 1
    var last: [MarkerStyle: Double] = [:]
    func add(_ mark: MarkerStyle, _ time: Int64, _ force: Double) {
      let place = Point(x: x(time), y: y(force))
      if let before = last[mark], place.x - before < 8 * scale { return }
      last[mark] = place.x
      mark.draw(at: place, color: color, scale: scale, on: &drawing)
      placement.take(
        Rect(left: place.x, top: place.y, width: 0, height: 0).grown(by: 5 * scale))
    }
    for marker in contact.markers {
      add(MarkerStyle(marker.kind), marker.time, marker.force)
    }
    // The hardest press of who presses to the full is marked already.
    guard contact.peak.force > 0, last[.full] == nil else { return }
    add(.peak, contact.peak.time, contact.peak.force)
  }

  /// Where the words of each peak may stand; the hardest press has the first choice.
  private func labels() -> [[TextLabel]] {
    let contacts = model.trace.contacts.filter { $0.peak.force > 0 }
    return contacts.sorted { left, right in
      left.peak.force == right.peak.force
        ? left.number < right.number : left.peak.force > right.peak.force
    }.map(labels)
  }

  /// From the longest to the shortest, around the peak.
  private func labels(of contact: ContactTrace) -> [TextLabel] {
    let peak = Point(x: x(contact.peak.time), y: y(contact.peak.force))
    let isMany = model.trace.contacts.count > 8
    var texts = ["\(contact.number)"]
    let force = "\(contact.number): \(contact.peak.force.reading)"
    if !isMany { texts.insert(force, at: 0) }
    if !isMany, let grams = contact.peakGrams {
      let more = contact.isSaturated ? "+" : ""
      let weight = "\(grams.reading)\(more) g".estimated(model.surface.isEstimate)
      texts.insert("\(force) (\(weight))", at: 0)
    }
    return texts.flatMap { text in
      let words = TextLabel(
        text: text, at: peak, size: isMany ? 10 : 11.5, isBold: true, hasEdge: true)
      let near = Placement.around(peak, words, distance: 7)
      return isMany ? near : near + Placement.around(peak, words, distance: 16)
    }
  }
}

/// Who is the heaviest, and who is down when.
extension RecordingPage {
  func addLanes(to drawing: inout Drawing) {
    addHeaviest(to: &drawing)
    let isWordy = layout.laneHeight >= PageLayout.wordyLane
    for (index, slot) in slots.enumerated() {
      let lane = layout.lane(index)
      if isWordy || index == 0 || index == slots.count - 1 {
        addName("slot \(slot)", of: lane, to: &drawing)
      }
    }
    for (index, contact) in model.trace.contacts.enumerated() {
      guard let place = slots.firstIndex(of: contact.slot) else { continue }
      add(contact, index, in: layout.lane(place), to: &drawing)
    }
  }

  private func addName(_ name: String, of box: Rect, to drawing: inout Drawing) {
    let at = Point(x: box.left - 8, y: box.middle.y + 3.8)
    drawing.add(
      .words(TextLabel(text: name, at: at, size: 10.5, anchor: .end, color: Palette.soft)))
  }

  private func addHeaviest(to drawing: inout Drawing) {
    addName("heaviest", of: layout.heaviest, to: &drawing)
    let span = max(1, model.trace.duration / Int64(layout.heaviest.width))
    for interval in model.trace.intervals.merged(every: span) {
      let box = bar(from: interval.begin, to: interval.end, in: layout.heaviest)
      let color = Palette.color(of: interval.contact)
      drawing.add(
        .area(box, fill: color, opacity: 0.45, Drawing.Stroke(color: color, width: 0.8)))
      addNumber(model.trace.contacts[interval.contact].number, in: box, to: &drawing)
    }
  }

  /// A pale bar, and in it the line that stands for the contact in the chart.
  private func add(_ contact: ContactTrace, _ index: Int, in lane: Rect, to drawing: inout Drawing)
  {
    let box = bar(from: contact.begin, to: contact.end, in: lane)
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
    addNumber(contact.number, in: box, to: &drawing)
    if contact.isCancelled, box.width > 16 {
      MarkerStyle.cancelled.draw(
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
    let words = TextLabel(
      text: "\(number)", at: Point(x: box.middle.x, y: box.middle.y + 3.6), size: 10,
      anchor: .middle, isBold: true, hasEdge: true)
    guard words.box.width + 2 <= box.width else { return }
    drawing.add(.words(words))
  }
}
