internal import PressureKit
internal import PressureProtocol

extension RecordingPage {
  func addChart(to drawing: inout Drawing) {
    var placer = LabelPlacer(in: layout.chart)
    let contacts = model.trace.contacts
    let stages = addStages(to: &drawing)
    for (index, contact) in contacts.enumerated() {
      let stroke = Drawing.Stroke(
        color: Palette.color(of: index), width: contacts.count > 12 ? 1.2 : 1.8,
        dashes: Palette.dashes(of: index))
      for line in lines(of: contact) {
        placer.avoid(line)
        drawing.add(.line(line, stroke))
      }
    }
    for (index, contact) in contacts.enumerated() {
      addMarkers(of: contact, Palette.color(of: index), to: &drawing, &placer)
    }
    // The labels of higher peaks have the choice of places.
    let peaks = contacts.filter { $0.peakForce > 0 }
      .sorted { ($0.peakForce, $1.number) > ($1.peakForce, $0.number) }
    for candidates in stages + peaks.map(labels) {
      if let label = placer.place(candidates) { drawing.add(label) }
    }
  }

  /// Draws the thresholds; returns the candidate labels of each.
  private func addStages(to drawing: inout Drawing) -> [[TextLabel]] {
    let stroke = Drawing.Stroke(color: Palette.soft, width: 1, dashes: [2, 3])
    let lines = model.thresholds + [("maximum", model.maximum)]
    return lines.filter { $0.force > 0 && $0.force <= top }.map { name, force in
      let (left, right, y) = (layout.chart.left, layout.chart.right, y(force))
      drawing.line((left, y), (right, y), stroke)
      let label = TextLabel(
        "\(name), \(force.reading)", left + 5, y - 4, size: 11, color: Palette.soft,
        hasOutline: true)
      return candidates(along: y, label, width: right - left - 10 - label.box.width)
    }
  }

  /// A label above and below a horizontal line, at either end and at positions between.
  private func candidates(along y: Double, _ label: TextLabel, width: Double) -> [TextLabel] {
    var candidates: [TextLabel] = []
    for step in 0...16 {
      let fraction = Double(step % 2 == 0 ? step / 2 : 16 - step / 2) / 16
      for offset in [-4.0, 13] {
        var label = label
        label.at = Point(x: label.at.x + fraction * width, y: y + offset)
        candidates.append(label)
      }
    }
    return candidates
  }

  /// The force of a contact as steps, since it holds until the next report, from 0 and back to 0 wherever it is known.
  private func lines(of contact: ContactTrace) -> [[Point]] {
    let span = max(1, model.trace.duration / Int64(layout.chart.width))
    var lines: [[Point]] = []
    var line: [Point] = []
    func add(_ force: Double?, at x: Double) {
      if let last = line.last { line.append(Point(x: x, y: last.y)) }
      if line.isEmpty != (force == nil) { line.append(Point(x: x, y: y(0))) }
      if let force { line.append(Point(x: x, y: y(force))) }
      if force == nil, !line.isEmpty {
        lines.append(line)
        line = []
      }
    }
    for sample in contact.samples.decimated(every: span) { add(sample.force, at: x(sample.time)) }
    add(nil, at: x(contact.end))
    return lines
  }

  /// Draws the markers of a contact, and of overlapping ones of the same style only the first.
  private func addMarkers(
    of contact: ContactTrace, _ color: String, to drawing: inout Drawing,
    _ placer: inout LabelPlacer
  ) {
    let scale = model.trace.contacts.count > 24 ? 0.6 : 1
    var markers = contact.markers
    // The peak of a contact that reaches the maximum has a marker already.
    if contact.peakForce > 0, !markers.contains(where: { $0.style == .maximumReached }) {
      let (time, force) = (contact.peak.time, contact.peakForce)
      markers.append(ContactTrace.Marker(style: .peak, time: time, force: force))
    }
    var last: [MarkerStyle: Double] = [:]
    for marker in markers {
      let point = Point(x: x(marker.time), y: y(marker.force))
      if let before = last[marker.style], point.x - before < 8 * scale { continue }
      last[marker.style] = point.x
      marker.style.draw(at: point, color: color, scale: scale, on: &drawing)
      placer.reserve(.around(point, 4 * scale))
    }
  }

  private func labels(of contact: ContactTrace) -> [TextLabel] {
    let peak = Point(x: x(contact.peak.time), y: y(contact.peakForce))
    let isMany = model.trace.contacts.count > 8
    let force = "\(contact.number): \(contact.peakForce.reading)"
    var texts = isMany ? ["\(contact.number)"] : [force, "\(contact.number)"]
    if !isMany, let grams = contact.peakGrams {
      let more = contact.isSaturated ? "+" : ""
      let isEstimate = model.surface.weightSource == .nominal
      let weight = "\(grams.reading)\(more) g".estimated(isEstimate)
      texts.insert("\(force) (\(weight))", at: 0)
    }
    return texts.flatMap { text in
      let label = TextLabel(
        text, peak.x, peak.y, size: isMany ? 10 : 11.5, isBold: true, hasOutline: true)
      let near = LabelPlacer.candidates(around: peak, label, distance: 7)
      return isMany ? near : near + LabelPlacer.candidates(around: peak, label, distance: 16)
    }
  }

  func addLanes(to drawing: inout Drawing) {
    addHeaviest(to: &drawing)
    let hasLabels = layout.laneHeight >= PageLayout.minLabeledLaneHeight
    for (index, slot) in slots.enumerated()
    where hasLabels || index == 0 || index == slots.count - 1 {
      addName("slot \(slot)", of: layout.lane(index), to: &drawing)
    }
    for (index, contact) in model.trace.contacts.enumerated() {
      guard let lane = slots.firstIndex(of: contact.slot) else { continue }
      add(contact, index, in: layout.lane(lane), to: &drawing)
    }
  }

  private func addName(_ name: String, of box: Rect, to drawing: inout Drawing) {
    let (x, y) = (box.left - 8, box.middle.y + 3.8)
    drawing.add(TextLabel(name, x, y, size: 10.5, anchor: .end, color: Palette.soft))
  }

  private func addHeaviest(to drawing: inout Drawing) {
    addName("heaviest", of: layout.heaviest, to: &drawing)
    let span = max(1, model.trace.duration / Int64(layout.heaviest.width))
    for interval in model.trace.intervals.merged(every: span) {
      let box = bar(from: interval.begin, to: interval.end, in: layout.heaviest)
      let color = Palette.color(of: interval.contact)
      drawing.add(.area(box, fill: color, opacity: 0.45, Drawing.Stroke(color: color, width: 0.8)))
      addNumber(model.trace.contacts[interval.contact].number, in: box, to: &drawing)
    }
  }

  private func add(_ contact: ContactTrace, _ index: Int, in lane: Rect, to drawing: inout Drawing)
  {
    let box = bar(from: contact.begin, to: contact.end, in: lane)
    let color = Palette.color(of: index)
    drawing.add(.area(box, fill: color, opacity: 0.18, nil))
    let middle = box.middle.y
    drawing.line(
      (box.left, middle), (box.right, middle),
      Drawing.Stroke(color: color, width: min(2, box.height / 2), dashes: Palette.dashes(of: index))
    )
    let edge = Drawing.Stroke(color: color, width: 1.5)
    for x in [box.left, box.right] {
      drawing.line((x, box.top), (x, box.bottom), edge)
    }
    guard layout.laneHeight >= PageLayout.minLabeledLaneHeight else { return }
    addNumber(contact.number, in: box, to: &drawing)
    if contact.isCancelled, box.width > 16 {
      MarkerStyle.cancelled.draw(
        at: Point(x: box.right - 7, y: middle), color: Palette.ink, on: &drawing)
    }
  }

  /// The bar of a time interval, with a minimum width, so that short taps are visible.
  private func bar(from begin: Int64, to end: Int64, in lane: Rect) -> Rect {
    let left = x(begin)
    let right = max(x(end), left + 0.8)
    let margin = min(1.5, lane.height / 8)
    return Rect(
      left: left, top: lane.top + margin, width: right - left, height: lane.height - 2 * margin)
  }

  private func addNumber(_ number: Int, in box: Rect, to drawing: inout Drawing) {
    let label = TextLabel(
      "\(number)", box.middle.x, box.middle.y + 3.6, size: 10, anchor: .middle, isBold: true,
      hasOutline: true)
    if label.box.width + 2 <= box.width { drawing.add(label) }
  }
}

/// The shape of a marker; markers differ by shape, not by color.
enum MarkerStyle: String, CaseIterable {
  case peak
  case stageEntered = "enters a stage"
  /// The force fell below that of a stage, or the press ended.
  case stageLeft = "leaves a stage"
  case maximumReached = "maximum reached"
  /// A contact was cancelled, or was still down at the end of the recording.
  case cancelled

  /// Draws it around a point; `scale` is less than 1 in dense charts.
  func draw(at point: Point, color: String, scale: Double = 1, on drawing: inout Drawing) {
    func points(_ corners: (x: Double, y: Double)...) -> [Point] {
      corners.map { Point(x: point.x + scale * $0.x, y: point.y + scale * $0.y) }
    }
    let outline = Drawing.Stroke(color: Palette.paper, width: 0.8 * scale)
    let line = Drawing.Stroke(color: color, width: 1.4 * scale)
    switch self {
    case .peak: drawing.add(.circle(point, radius: 3 * scale, fill: Palette.paper, line))
    case .stageEntered:
      drawing.add(.polygon(points((0, -5), (5, 4), (-5, 4)), fill: color, outline))
    case .stageLeft:
      let corners = points((0, 4.5), (4.5, -3.5), (-4.5, -3.5))
      drawing.add(.polygon(corners, fill: Palette.paper, line))
    case .maximumReached:
      let corners = points((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0))
      drawing.add(.polygon(corners, fill: color, outline))
    case .cancelled:
      drawing.add(.line(points((-3, -3), (3, 3)), line))
      drawing.add(.line(points((-3, 3), (3, -3)), line))
    }
  }
}

/// Colors that are distinguishable with color blindness and in grayscale print.
///
/// They are the palette of Okabe and Ito, without its yellow, which is illegible on white. Seven colors and five dash
/// patterns have no common divisor: 35 successive contacts look different, contacts of the same color differ in their
/// dashes, and without color five successive contacts still differ.
enum Palette {
  static let ink = "#1a1a1a"
  static let soft = "#595959"
  static let grid = "#dcdcdc"
  static let paper = "#ffffff"

  private static let colors = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9",
  ]

  private static let dashPatterns: [[Double]] = [
    [], [8, 3], [2.5, 2.5], [10, 3, 2.5, 3], [16, 4],
  ]

  static func color(of index: Int) -> String { colors[index % colors.count] }

  static func dashes(of index: Int) -> [Double] { dashPatterns[index % dashPatterns.count] }
}
