package import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The page of a calibration: known weights and the law that they teach, and how far they lie from it.
package struct CalibrationPage {
  package let device: String
  package let fit: CalibrationFit

  private let width = 900.0
  private let height = 700.0
  private let law = Rect(left: 92, top: 98, width: 770, height: 324)
  private let residuals = Rect(left: 92, top: 482, width: 770, height: 130)

  private let grams: LinearScale
  private let raw: LinearScale
  private let residual: LinearScale

  package init(device: String, fit: CalibrationFit) {
    self.device = device
    self.fit = fit
    let heaviest = (fit.points.last?.grams ?? 1) * 1.06
    grams = LinearScale(range: 0...heaviest, start: law.left, end: law.right)
    let values = fit.points.flatMap { [$0.raw - 2 * $0.spread, $0.raw + 2 * $0.spread] }
    let (low, high) = (values.min() ?? 0, values.max() ?? 1)
    let margin = (high - low) * 0.08
    raw = LinearScale(range: low - margin...high + margin, start: law.bottom, end: law.top)
    let errors = (0...32).compactMap { fit.error(atGrams: heaviest * Double($0) / 32) }
    let most = max(errors.max() ?? 0, fit.worstResidual, 0.1) * 1.15
    residual = LinearScale(range: -most...most, start: residuals.bottom, end: residuals.top)
  }

  /// The whole page.
  package var drawing: Drawing {
    var drawing = Drawing(
      width: width, height: height, title: "Calibration of \(device)",
      description: "Known weights, what the sensor said of each, and how far they lie from the law."
    )
    addTitle(to: &drawing)
    addLaw(to: &drawing)
    addResiduals(to: &drawing)
    addLegend(to: &drawing)
    return drawing
  }

  private func addTitle(to drawing: inout Drawing) {
    let title = TextLabel(
      text: "Calibration of \(device.onOneLine)", at: Point(x: 24, y: 36), size: 20, isBold: true)
    drawing.add(.words(title.cut(to: width - 48)))
    for (text, y) in zip([shape, trust], [58.0, 76]) {
      let words = TextLabel(text: text, at: Point(x: 24, y: y), size: 12.5, color: Palette.soft)
      drawing.add(.words(words.cut(to: width - 48)))
    }
  }

  private var shape: String {
    let points = "\(fit.points.count) points, one of them the bare surface"
    return switch fit.shape {
    case .line: "\(points); the law is a straight line"
    case .pieces:
      "\(points); the law is straight pieces from point to point, a residual is from a point's neighbors"
    }
  }

  private var trust: String {
    "Worst residual \(fit.worstResidual.reading) g, at \(fit.worstResidualAt.weight); "
      + "95 of 100 readings lie within ±\(fit.greatestError.reading) g."
  }
}

extension Double {
  /// A known weight, with a decimal only where there is one.
  fileprivate var weight: String { "\(label(decimals: rounded() == self ? 0 : 1)) g" }
}

// MARK: - The law

extension CalibrationPage {
  private func addLaw(to drawing: inout Drawing) {
    drawing.axis(below: law, Ticks(grams.range, atMost: 10), grams, title: "")
    drawing.axis(leftOf: law, Ticks(raw.range, atMost: 8), raw, title: "raw value of the sensor")
    drawing.add(.line(corners, Drawing.Stroke(color: Palette.color(of: 0), width: 2)))
    for point in fit.points {
      let x = grams.place(of: point.grams)
      let ends = [point.raw - point.spread, point.raw + point.spread].map { raw.place(of: $0) }
      let bar = Drawing.Stroke(color: Palette.ink, width: 1.2)
      drawing.line(Point(x: x, y: ends[0]), Point(x: x, y: ends[1]), bar)
      for y in ends { drawing.line(Point(x: x - 4, y: y), Point(x: x + 4, y: y), bar) }
      let place = Point(x: x, y: raw.place(of: point.raw))
      drawing.add(
        .circle(
          place, radius: 4, fill: Palette.paper, Drawing.Stroke(color: Palette.ink, width: 1.6))
      )
    }
    addLabels(to: &drawing)
    drawing.frame(law)
  }

  private func addLabels(to drawing: inout Drawing) {
    var placement = Placement(in: law)
    let places = fit.points.map {
      Point(x: grams.place(of: $0.grams), y: raw.place(of: $0.raw))
    }
    for place in places {
      placement.take(Rect(left: place.x - 5, top: place.y - 5, width: 10, height: 10))
    }
    for (point, place) in zip(fit.points, places) {
      let words = TextLabel(
        text: point.grams.weight, at: place, size: 11.5, isBold: true, hasEdge: true)
      // A rising line leaves room above at the left, and below at the right.
      let around = Placement.around(place, words, distance: 8)
      if let words = placement.place([around[2], around[6]] + around) {
        drawing.add(.words(words))
      }
    }
  }

  /// The law from edge to edge; beyond the last point it goes on as it was.
  private var corners: [Point] {
    var corners = fit.breakpoints
    guard let last = corners.last, corners.count > 1 else { return [] }
    let before = corners[corners.count - 2]
    let slope = (last.raw - before.raw) / (last.grams - before.grams)
    let end = min(
      grams.range.upperBound, last.grams + (raw.range.upperBound - last.raw) / slope)
    if end > last.grams { corners.append((end, last.raw + (end - last.grams) * slope)) }
    return corners.map { Point(x: grams.place(of: $0.grams), y: raw.place(of: $0.raw)) }
  }
}

// MARK: - The residuals

extension CalibrationPage {
  private func addResiduals(to drawing: inout Drawing) {
    drawing.axis(
      below: residuals, Ticks(grams.range, atMost: 10), grams, title: "what was laid on (g)")
    drawing.axis(
      leftOf: residuals, Ticks(residual.range, atMost: 6), residual, title: "residual (g)")
    let dashed = Drawing.Stroke(color: Palette.color(of: 1), width: 1.6, dashes: [7, 3])
    for sign in [1.0, -1] {
      let line = (0...256).compactMap { step -> Point? in
        let weight = grams.range.upperBound * Double(step) / 256
        return fit.error(atGrams: weight).map {
          Point(x: grams.place(of: weight), y: residual.place(of: sign * $0))
        }
      }
      drawing.add(.line(line, dashed))
    }
    let zero = residual.place(of: 0)
    drawing.line(
      Point(x: residuals.left, y: zero), Point(x: residuals.right, y: zero),
      Drawing.Stroke(color: Palette.color(of: 0), width: 1.6))
    for (weight, miss) in fit.pointResiduals {
      let place = Point(x: grams.place(of: weight), y: residual.place(of: miss))
      let stroke = Drawing.Stroke(color: Palette.ink, width: 1.6)
      drawing.line(Point(x: place.x, y: zero), place, stroke)
      drawing.add(.circle(place, radius: 3.5, fill: Palette.paper, stroke))
    }
    drawing.frame(residuals)
  }

  private func addLegend(to drawing: inout Drawing) {
    let y = height - 22
    let entries: [(String, Drawing.Stroke)] = [
      ("the law", Drawing.Stroke(color: Palette.color(of: 0), width: 2)),
      ("spread of the sensor's values", Drawing.Stroke(color: Palette.ink, width: 1.2)),
      (
        "95 of 100 readings lie between",
        Drawing.Stroke(color: Palette.color(of: 1), width: 1.6, dashes: [7, 3])
      ),
    ]
    var x = law.left
    for (text, stroke) in entries {
      drawing.line(Point(x: x, y: y - 4), Point(x: x + 26, y: y - 4), stroke)
      let words = TextLabel(text: text, at: Point(x: x + 33, y: y), size: 11, color: Palette.soft)
      drawing.add(.words(words))
      x = words.box.right + 22
    }
  }
}
