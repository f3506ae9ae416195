package import PressureKit
internal import PressureSystem

package struct CalibrationPage {
  private let device: String
  private let fit: CalibrationFit

  private let height: Double
  private let chart = Rect(left: 92, top: 98, width: 770, height: 324)
  private let residuals = Rect(left: 92, top: 482, width: 770, height: 130)
  private let checks = Rect(left: 92, top: 672, width: 770, height: 130)

  private let grams: LinearScale
  private let raw: LinearScale
  private let residual: LinearScale
  private let deviation: LinearScale

  package init(device: String, fit: CalibrationFit) {
    self.device = device
    self.fit = fit
    let heaviest = (fit.points.last?.grams ?? 1) * 1.06
    grams = LinearScale(range: 0...heaviest, start: chart.left, end: chart.right)
    let values = fit.points.flatMap { [$0.raw - 2 * $0.spread, $0.raw + 2 * $0.spread] }
    let (low, high) = (values.min() ?? 0, values.max() ?? 1)
    let margin = (high - low) * 0.08
    raw = LinearScale(range: low - margin...high + margin, start: chart.bottom, end: chart.top)
    let errors = (0...32).compactMap { fit.error(atGrams: heaviest * Double($0) / 32) }
    let most = max(errors.max() ?? 0, fit.worstResidual, 0.1) * 1.15
    residual = LinearScale(range: -most...most, start: residuals.bottom, end: residuals.top)
    let largest = fit.checks.reduce(most / 1.15) { max($0, $1.deviation.magnitude) } * 1.15
    deviation = LinearScale(range: -largest...largest, start: checks.bottom, end: checks.top)
    height = fit.checks.isEmpty ? 700 : 890
  }

  package var drawing: Drawing {
    var drawing = Drawing(
      width: 900, height: height, title: "Calibration of \(device)",
      description: "Known weights, the sensor's value for each, and the residuals of the fit."
    )
    let shape =
      "\(fit.points.count) points, including the empty surface; linear between the points, residuals are relative to their neighbors"
    let accuracy =
      "Worst residual \(fit.worstResidual.reading) g, at \(fit.worstResidualAt.weight); "
      + "95 of 100 readings are within ±\(fit.greatestError.reading) g."
    drawing.addHeading("Calibration of \(device.onOneLine)", [shape, accuracy])
    addCurve(to: &drawing)
    addResiduals(to: &drawing)
    if !fit.checks.isEmpty { addChecks(to: &drawing) }
    addLegend(to: &drawing)
    return drawing
  }

  // MARK: - Curve

  private func addCurve(to drawing: inout Drawing) {
    drawing.axis(below: chart, grams, atMost: 10, title: "")
    drawing.axis(leftOf: chart, raw, atMost: 8, title: "raw value of the sensor")
    drawing.add(.line(curve, Drawing.Stroke(color: Palette.color(of: 0), width: 2)))
    for point in fit.points {
      let x = grams.position(of: point.grams)
      let ends = [point.raw - point.spread, point.raw + point.spread].map { raw.position(of: $0) }
      let bar = Drawing.Stroke(color: Palette.ink, width: 1.2)
      drawing.line((x, ends[0]), (x, ends[1]), bar)
      for y in ends { drawing.line((x - 4, y), (x + 4, y), bar) }
      let center = Point(x: x, y: raw.position(of: point.raw))
      let edge = Drawing.Stroke(color: Palette.ink, width: 1.6)
      drawing.add(.circle(center, radius: 4, fill: Palette.paper, edge))
    }
    addLabels(to: &drawing)
    drawing.frame(chart)
  }

  private func addLabels(to drawing: inout Drawing) {
    var placer = LabelPlacer(in: chart)
    let centers = fit.points.map {
      Point(x: grams.position(of: $0.grams), y: raw.position(of: $0.raw))
    }
    for center in centers { placer.reserve(.around(center, 5)) }
    for (point, center) in zip(fit.points, centers) {
      let label = TextLabel(
        point.grams.weight, center.x, center.y, size: 11.5, isBold: true, hasOutline: true)
      // A rising curve leaves space at the upper left and the lower right.
      let candidates = LabelPlacer.candidates(around: center, label, distance: 8)
      if let label = placer.place([candidates[2], candidates[6]] + candidates) {
        drawing.add(label)
      }
    }
  }

  /// The curve from edge to edge; its last piece is extrapolated beyond the last point.
  private var curve: [Point] {
    var vertices = fit.breakpoints.map { (grams: $0.grams, raw: $0.raw) }
    guard let last = vertices.last, vertices.count > 1 else { return [] }
    let before = vertices[vertices.count - 2]
    let slope = (last.raw - before.raw) / (last.grams - before.grams)
    let end = min(grams.range.upperBound, last.grams + (raw.range.upperBound - last.raw) / slope)
    if end > last.grams { vertices.append((end, last.raw + (end - last.grams) * slope)) }
    return vertices.map { Point(x: grams.position(of: $0.grams), y: raw.position(of: $0.raw)) }
  }

  // MARK: - Residuals

  private func addResiduals(to drawing: inout Drawing) {
    drawing.axis(below: residuals, grams, atMost: 10, title: "known weight (g)")
    drawing.axis(leftOf: residuals, residual, atMost: 6, title: "residual (g)")
    let errors = (0...256).compactMap { step -> (x: Double, grams: Double)? in
      let weight = grams.range.upperBound * Double(step) / 256
      return fit.error(atGrams: weight).map { (x: grams.position(of: weight), grams: $0) }
    }
    let deviations = fit.pointResiduals.map { (x: grams.position(of: $0), grams: $1) }
    add(deviations, errors, in: residuals, residual, to: &drawing)
  }

  /// Adds deviations as stems with circles, and the stated errors on both sides of zero.
  private func add(
    _ deviations: [(x: Double, grams: Double)], _ errors: [(x: Double, grams: Double)],
    in box: Rect, _ scale: LinearScale, to drawing: inout Drawing
  ) {
    for sign in [1.0, -1] {
      let line = errors.map { Point(x: $0.x, y: scale.position(of: sign * $0.grams)) }
      drawing.add(.line(line, CalibrationPage.errorStroke))
    }
    let zero = scale.position(of: 0)
    let axis = Drawing.Stroke(color: Palette.color(of: 0), width: 1.6)
    drawing.line((box.left, zero), (box.right, zero), axis)
    let stroke = Drawing.Stroke(color: Palette.ink, width: 1.6)
    for (x, grams) in deviations {
      let point = Point(x: x, y: scale.position(of: grams))
      drawing.line((x, zero), (x, point.y), stroke)
      drawing.add(.circle(point, radius: 3.5, fill: Palette.paper, stroke))
    }
    drawing.frame(box)
  }

  private static let errorStroke = Drawing.Stroke(
    color: Palette.color(of: 1), width: 1.6, dashes: [7, 3])

  // MARK: - Checks

  /// A control chart: the deviations of the checks in their order, and the error that is stated for these weights.
  private func addChecks(to drawing: inout Drawing) {
    drawing.axis(leftOf: checks, deviation, atMost: 6, title: "deviation (g)")
    let step = checks.width / Double(fit.checks.count)
    let centers = fit.checks.indices.map { checks.left + (Double($0) + 0.5) * step }
    let errors = zip(fit.checks, centers).flatMap { check, x -> [(x: Double, grams: Double)] in
      guard let error = fit.error(atGrams: check.grams) else { return [] }
      return [(x - step / 2, error), (x + step / 2, error)]
    }
    let deviations = zip(fit.checks, centers).map { (x: $1, grams: $0.deviation) }
    add(deviations, errors, in: checks, deviation, to: &drawing)
    var (labelEnd, lastDay) = (checks.left - 40, "")
    for (check, x) in zip(fit.checks, centers) {
      let day = check.date.map { LocalDay.text(of: $0) } ?? ""
      let text = day == lastDay ? check.grams.weight : "\(check.grams.weight) \(day)"
      let label = TextLabel(text, x, checks.bottom + 17, size: 11, anchor: .middle)
      guard label.box.left > labelEnd else { continue }
      drawing.add(label)
      (labelEnd, lastDay) = (label.box.right + 6, day)
    }
    drawing.add(
      TextLabel("checks, the oldest first", checks.middle.x, checks.bottom + 34, anchor: .middle))
  }

  private func addLegend(to drawing: inout Drawing) {
    let y = height - 22
    let entries: [(String, Drawing.Stroke)] = [
      ("fitted curve", Drawing.Stroke(color: Palette.color(of: 0), width: 2)),
      ("spread of the sensor's values", Drawing.Stroke(color: Palette.ink, width: 1.2)),
      ("95 of 100 readings are between", CalibrationPage.errorStroke),
    ]
    var x = chart.left
    for (text, stroke) in entries {
      drawing.line((x, y - 4), (x + 26, y - 4), stroke)
      x = drawing.addEntry(text, x + 33, y) + 22
    }
  }
}

extension Double {
  /// A known weight, with a decimal only if it is not whole.
  fileprivate var weight: String { "\(label(decimals: rounded() == self ? 0 : 1)) g" }
}
