internal import PressureKit

extension RecordingPage {
  private static let widths = 1.2...14.0
  private static let minimumDistance = 0.6

  func addSurface(to drawing: inout Drawing) {
    let box = layout.surface
    let plane = SurfacePlane(model.surface)
    let x = LinearScale(range: plane.x, start: box.left, end: box.right)
    let y = LinearScale(range: plane.y, start: box.top, end: box.bottom)
    let (columns, rows) = (max(2, Int(box.width / 50)), max(2, Int(box.height / 40)))
    drawing.axis(below: box, x, atMost: columns, title: "x (\(plane.unit))")
    let title = plane.unit == "mm" ? "y (mm)" : "y (units)"
    drawing.axis(leftOf: box, y, atMost: rows, title: title)
    drawing.add(TextLabel("Paths on the surface", box.left, box.top - 8))
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

  private func point(_ sample: Sample) -> Point? {
    let box = layout.surface
    // The only value of an axis without a range is in the middle.
    let x = model.surface.x.span > 0 ? sample.x : 0.5
    let y = model.surface.y.span > 0 ? sample.y : 0.5
    guard !x.isNaN, !y.isNaN else { return nil }
    return Point(x: box.left + x * box.width, y: box.top + y * box.height)
  }

  /// The width of a path, in steps of half a point, so that successive samples often have the same.
  private func width(_ force: Double?) -> Double {
    let fraction = min(max((force ?? 0) / top, 0), 1)
    let (least, most) = (RecordingPage.widths.lowerBound, RecordingPage.widths.upperBound)
    return ((least + fraction * (most - least)) * 2).rounded() / 2
  }

  private func runs(of contact: ContactTrace) -> [(width: Double, points: [Point])] {
    var runs: [(width: Double, points: [Point])] = []
    for sample in contact.samples {
      guard let point = point(sample) else { continue }
      let width = width(sample.force)
      guard let before = runs.last?.points.last else {
        runs.append((width, [point]))
        continue
      }
      let isNear = abs(point.x - before.x) + abs(point.y - before.y) < RecordingPage.minimumDistance
      let current = runs.count - 1
      if runs[current].width != width {
        // At the same position a lower force would be hidden.
        if isNear && width < runs[current].width { continue }
        runs.append((width, [before, point]))
      } else if !isNear {
        runs[current].points.append(point)
      }
    }
    return runs
  }

  private func addNames(to drawing: inout Drawing) {
    var placer = LabelPlacer(in: layout.surface)
    let contacts = model.trace.contacts
    let size = contacts.count > 12 ? 9.5 : 11.5
    let starts = contacts.map { $0.samples.lazy.compactMap(point).first }
    for (index, contact) in contacts.enumerated() {
      guard let point = starts[index] else { continue }
      // The dot must be smaller than the path of a contact that does not move.
      let radius = min(2.4, max(0.8, width(contact.peakForce) / 4))
      let ring = Drawing.Stroke(color: Palette.color(of: index), width: 1)
      drawing.add(.circle(point, radius: radius, fill: Palette.paper, ring))
      placer.reserve(.around(point, 2))
      for run in runs(of: contact) { placer.avoid(run.points) }
    }
    for case (let contact, let point?) in zip(contacts, starts) {
      let label = TextLabel(
        "\(contact.number)", point.x, point.y, size: size, isBold: true, hasOutline: true)
      let distance = 4 + width(contact.peakForce) / 2
      let candidates = [distance, distance + 8].flatMap { distance in
        LabelPlacer.candidates(around: point, label, distance: distance)
      }
      if let label = placer.place(candidates) { drawing.add(label) }
    }
  }

  private func addWidths(to drawing: inout Drawing) {
    let y = layout.surface.bottom + 58
    var x = layout.surface.left
    let ring = Drawing.Stroke(color: Palette.soft, width: 1.4)
    drawing.add(.circle(Point(x: x + 3, y: y - 4), radius: 2.4, fill: Palette.paper, ring))
    x = drawing.addEntry("start", x + 11, y) + 16
    x = drawing.addEntry("force", x, y) + 6
    for tick in (0...top).ticks(atMost: 5) {
      let stroke = Drawing.Stroke(color: Palette.soft, width: width(tick.value))
      drawing.line((x + 7, y - 4), (x + 21, y - 4), stroke)
      x = drawing.addEntry(tick.label, x + 32, y) + 12
    }
  }
}

/// The dimensions of a surface in millimeters, or in device units if it reports no resolution.
struct SurfacePlane {
  let x: ClosedRange<Double>
  let y: ClosedRange<Double>
  let unit: String

  init(_ surface: Surface) {
    if let width = surface.x.millimeters, let height = surface.y.millimeters {
      (x, y, unit) = (0...width, 0...height, "mm")
    } else {
      (x, y) = (SurfacePlane.units(of: surface.x), SurfacePlane.units(of: surface.y))
      unit = "units; no resolution reported"
    }
  }

  var proportion: Double { (y.upperBound - y.lowerBound) / (x.upperBound - x.lowerBound) }

  private static func units(of axis: Axis) -> ClosedRange<Double> {
    let minimum = Double(axis.minimum)
    return axis.span > 0 ? minimum...Double(axis.maximum) : minimum - 0.5...minimum + 0.5
  }
}
