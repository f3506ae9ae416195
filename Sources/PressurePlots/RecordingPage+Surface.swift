internal import PressureKit
internal import PressureProtocol

/// The paths on the surface, the wider the harder.
extension RecordingPage {
  /// Points.
  private static let thinnest = 1.2
  private static let widest = 14.0

  /// Points that are nearer to each other than this show nothing new.
  private static let nearest = 0.6

  func addSurface(to drawing: inout Drawing) {
    let box = layout.surface
    addSides(of: box, to: &drawing)
    for (index, contact) in model.trace.contacts.enumerated() {
      for run in runs(of: contact) {
        let stroke = Drawing.Stroke(color: Palette.color(of: index), width: run.width)
        drawing.add(.line(run.points, stroke))
      }
    }
    addNames(to: &drawing)
    drawing.frame(box)
    addWidths(to: &drawing)
  }

  private func addSides(of box: Rect, to drawing: inout Drawing) {
    let plane = SurfacePlane(model.surface)
    let (width, height) = (plane.width, plane.height)
    let x = LinearScale(
      range: width.start...width.start + width.span, start: box.left, end: box.right)
    let y = LinearScale(
      range: height.start...height.start + height.span, start: box.top, end: box.bottom)
    let most = max(2, Int(box.width / 50))
    drawing.axis(below: box, Ticks(x.range, atMost: most), x, title: "x (\(plane.unit))")
    let rows = max(2, Int(box.height / 40))
    let title = plane.unit == "mm" ? "y (mm)" : "y (units)"
    drawing.axis(leftOf: box, Ticks(y.range, atMost: rows), y, title: title)
    let words = TextLabel(
      text: "On the surface", at: Point(x: box.left, y: box.top - 8), size: 12, color: Palette.ink)
    drawing.add(.words(words))
  }

  private func place(_ sample: Sample) -> Point {
    let box = layout.surface
    return Point(x: box.left + sample.x * box.width, y: box.top + sample.y * box.height)
  }

  /// In steps of half a point, so that a run has one width.
  private func width(_ force: Double) -> Double {
    let part = min(max(force / top, 0), 1)
    let width = RecordingPage.thinnest + part * (RecordingPage.widest - RecordingPage.thinnest)
    return (width * 2).rounded() / 2
  }

  /// The path in pieces of one width, each beginning where the last one ends.
  private func runs(of contact: ContactTrace) -> [(width: Double, points: [Point])] {
    var runs: [(width: Double, points: [Point])] = []
    var last: Point?
    for sample in contact.samples {
      let (point, width) = (place(sample), width(sample.force))
      guard let before = last else {
        runs.append((width, [point]))
        last = point
        continue
      }
      let isNear = abs(point.x - before.x) + abs(point.y - before.y) < RecordingPage.nearest
      let current = runs.count - 1
      if runs[current].width != width {
        // On the spot only what is harder than all before leaves a trace.
        if isNear && width < runs[current].width { continue }
        runs.append((width, [before, point]))
        last = point
      } else if !isNear {
        runs[current].points.append(point)
        last = point
      }
    }
    return runs
  }

  /// Each contact's number where it came down.
  private func addNames(to drawing: inout Drawing) {
    var placement = Placement(in: layout.surface)
    let contacts = model.trace.contacts
    let size = contacts.count > 12 ? 9.5 : 11.5
    for (index, contact) in contacts.enumerated() {
      guard let first = contact.samples.first else { continue }
      let point = place(first)
      // The eye of a contact that stays on its spot must not hide how hard it presses.
      let eye = min(2.4, max(0.8, width(contact.peak.force) / 4))
      let ring = Drawing.Stroke(color: Palette.color(of: index), width: 1)
      drawing.add(.circle(point, radius: eye, fill: Palette.paper, ring))
      placement.take(Rect(left: point.x, top: point.y, width: 0, height: 0).grown(by: 2))
      for run in runs(of: contact) { placement.avoid(run.points) }
    }
    for contact in contacts {
      guard let first = contact.samples.first else { continue }
      let point = place(first)
      let words = TextLabel(
        text: "\(contact.number)", at: point, size: size, isBold: true, hasEdge: true)
      let distance = 4 + width(contact.peak.force) / 2
      let candidates = [distance, distance + 8].flatMap { distance in
        Placement.around(point, words, distance: distance)
      }
      if let words = placement.place(candidates) {
        drawing.add(.words(words))
      }
    }
  }

  /// What the widths mean.
  private func addWidths(to drawing: inout Drawing) {
    let y = layout.surface.bottom + 58
    var x = layout.surface.left
    let ring = Drawing.Stroke(color: Palette.soft, width: 1.4)
    drawing.add(.circle(Point(x: x + 3, y: y - 4), radius: 2.4, fill: Palette.paper, ring))
    let begin = TextLabel(text: "begins", at: Point(x: x + 11, y: y), size: 11, color: Palette.soft)
    drawing.add(.words(begin))
    x = begin.box.right + 16
    let name = TextLabel(text: "force", at: Point(x: x, y: y), size: 11, color: Palette.soft)
    drawing.add(.words(name))
    x = name.box.right + 6
    for tick in Ticks(0...top, atMost: 5).ticks {
      let stroke = Drawing.Stroke(color: Palette.soft, width: width(tick.value))
      drawing.line(Point(x: x + 7, y: y - 4), Point(x: x + 21, y: y - 4), stroke)
      let words = TextLabel(
        text: tick.label, at: Point(x: x + 32, y: y), size: 11, color: Palette.soft)
      drawing.add(.words(words))
      x = words.box.right + 12
    }
  }
}

/// A surface in its own lengths: millimeters, or where the device does not say, its units.
struct SurfacePlane {
  /// The two ends of a side.
  struct Side {
    var start: Double
    var span: Double
  }

  let width: Side
  let height: Side

  /// What its lengths are in.
  let unit: String

  init(_ surface: Surface) {
    if let width = surface.x.millimeters, let height = surface.y.millimeters {
      self.width = Side(start: 0, span: width)
      self.height = Side(start: 0, span: height)
      unit = "mm"
    } else {
      width = SurfacePlane.units(of: surface.x)
      height = SurfacePlane.units(of: surface.y)
      unit = "units; no resolution is stated"
    }
  }

  private static func units(of axis: Axis) -> Side {
    Side(start: Double(axis.minimum), span: Double(max(axis.span, 1)))
  }
}
