internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The whole screen of a scale: what it reads in large digits, its state, what it has read, and the keys.
struct WeighLayout {
  let scene: WeighViewModel
  let glyphs: Glyphs

  private static let margin = 2
  private static let keys =
    "t tare  u untare  z zero  h hold  n unit  g grab  Tab device  q quit"

  private static let estimate = "≈ is an estimate: pressured calibrate makes it a measurement"

  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    canvas.put(heading, WeighLayout.margin, 0, .dim, room: size.columns - 2 * WeighLayout.margin)
    if let scale = scene.scale, let reading = scale.latest {
      let below = show(reading, of: scale.device, on: &canvas)
      let lines = words(on: reading, of: scale)
      for (row, line) in lines.enumerated() {
        canvas.put(line.text, WeighLayout.margin, below + row, line.style)
      }
    } else {
      canvas.put(
        absence, WeighLayout.margin, top(of: BigText.rows, size), .bold,
        room: size.columns - WeighLayout.margin)
    }
    canvas.put(scene.remark, WeighLayout.margin, size.rows - 2, .bold)
    canvas.put(WeighLayout.keys, WeighLayout.margin, size.rows - 1, .dim)
    return canvas
  }

  /// Rows of words below the number, the empty one between them included.
  private static let wordRows = 9

  /// Where a number of so many rows begins, so that it and its words are in the middle.
  private func top(of rows: Int, _ size: TerminalSize) -> Int {
    max((size.rows - rows - WeighLayout.wordRows) / 2, 2)
  }

  private var heading: String {
    let device = scene.scale.map { "\($0.device.name) (\($0.device.device))  " } ?? ""
    return "\(device)\(scene.place)\(scene.isGrabbed ? "  grabbed: it does not click" : "")"
  }

  private var absence: String {
    if let scale = scene.scale { return "\(scale.device.name) has not been read yet" }
    return scene.chosen.map { "\($0) is not there; it is shown as soon as it comes" }
      ?? "no device is read; one that comes is shown at once"
  }

  /// Draws the number as large as there is room for; gives the row below it.
  private func show(
    _ reading: ReceivedScale, of device: ReceivedDevice, on canvas: inout Canvas
  ) -> Int {
    let left = WeighLayout.margin
    let number = (reading.number(in: scene.unit) ?? "-").estimated(device.isEstimate)
    let unit = " \(scene.unit.rawValue)\(reading.doubt(in: scene.unit) ?? "")"
    let style = Style.bold
    let size = canvas.size
    // A digit more or a sign must not make all of them smaller while something is laid on.
    let usual = max(BigText.columns(of: number), BigText.columns(of: "≈ -000.0+"))
    let times = min(
      (size.columns - 2 * left - unit.count) / usual,
      (size.rows - WeighLayout.wordRows - 3) / BigText.rows)
    let isSmall = times < 1
    let width = BigText.columns(of: number) * max(times, 1)
    let rows = BigText.rows * max(times, 1)
    let row = top(of: rows, size)
    guard !isSmall || left + width + unit.count < size.columns, size.rows > 12 else {
      let text = reading.text(in: scene.unit, isEstimate: device.isEstimate)
      canvas.put(text, left, row, style)
      return row + 2
    }
    canvas.put(big: number, left, row, style, glyphs: glyphs, times: max(times, 1))
    canvas.put(unit, left + width, row + rows - 1, style)
    return row + rows + 1
  }

  private func words(
    on reading: ReceivedScale, of scale: WeighViewModel.Scale
  ) -> [(text: String, style: Style)] {
    let unit = scene.unit
    let isEstimate = scale.device.isEstimate
    // Nothing is nothing, however it was measured.
    func text(_ grams: Double) -> String {
      "\(unit.text(grams)) \(unit.rawValue)".estimated(isEstimate && grams != 0)
    }
    let isReached = reading.target?.within == true && reading.isStableReading
    let more = [
      reading.grossGrams.map { "gross \(text($0))" }, "tare \(text(reading.tareGrams))",
      reading.rate.map { "\(text($0))/s" },
    ]
    let history = scale.history.prefix(8).map { unit.text($0).estimated(isEstimate) }
      .joined(separator: "  ")
    return [
      (reading.advice, Style(isBold: true, isReversed: isReached)),
      (
        reading.target?.words(at: reading.grams, in: unit, isEstimate: isEstimate) ?? "", .plain
      ),
      (more.compactMap(\.self).joined(separator: " · "), .plain),
      (scale.device.isEstimate ? WeighLayout.estimate : "", .plain),
      (history.isEmpty ? "nothing has come to rest yet" : "before: \(history)", .dim),
      (scene.log, .dim),
    ]
  }
}
