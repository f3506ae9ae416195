internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The whole screen of a scale: what it reads in large digits, its state, what it has read, and the keys.
struct WeighLayout {
  let model: WeighViewModel
  let glyphs: Glyphs

  private static let margin = 2
  private static let keys =
    "t tare  u untare  z zero  h hold  n unit  g grab  Tab device  q quit"

  private static let estimate = "≈ is an estimate: pressured calibrate makes it a measurement"

  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    canvas.put(heading, WeighLayout.margin, 0, .dim, width: size.columns - 2 * WeighLayout.margin)
    if let scale = model.scale, let reading = scale.latest {
      let below = show(reading, of: scale.device, on: &canvas)
      let lines = words(on: reading, of: scale)
      for (row, line) in lines.enumerated() {
        canvas.put(line.text, WeighLayout.margin, below + row, line.style)
      }
    } else {
      canvas.put(
        absence, WeighLayout.margin, top(of: BigText.rows, size), .bold,
        width: size.columns - WeighLayout.margin)
    }
    canvas.put(model.remark, WeighLayout.margin, size.rows - 2, .bold)
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
    let device = model.scale.map { "\($0.device.name) (\($0.device.device))  " } ?? ""
    return "\(device)\(model.place)\(model.isGrabbed ? "  grabbed: it does not click" : "")"
  }

  private var absence: String {
    if let scale = model.scale { return "\(scale.device.name) has not been read yet" }
    return model.chosen.map { "\($0) is not there; it is shown as soon as it comes" }
      ?? "no device is read; one that comes is shown at once"
  }

  /// Draws the number as large as there is room for; gives the row below it.
  private func show(
    _ reading: ReceivedScale, of device: ReceivedDevice, on canvas: inout Canvas
  ) -> Int {
    let left = WeighLayout.margin
    let number = (reading.number(in: model.unit) ?? "-").estimated(device.isEstimate)
    let unit = " \(model.unit.rawValue)\(reading.doubt(in: model.unit) ?? "")"
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
      let text = reading.text(in: model.unit, isEstimate: device.isEstimate)
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
    let unit = model.unit
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
      (model.log, .dim),
    ]
  }
}

/// What somebody who weighs sees: changed by lines and keys, and drawn by `WeighLayout`.
struct WeighViewModel: Equatable {
  /// A scale, and what it has read.
  struct Scale: Equatable {
    var device: ReceivedDevice
    var latest: ReceivedScale?
    var history: [Double] = []
  }

  /// More scales than these are not remembered, as nobody has so many.
  private static let maxScales = 64

  private(set) var scales: [Scale] = []

  /// The name of the device that is looked at; it may be gone, and come again.
  var chosen: String?

  var unit: MassUnit

  /// Whose daemon it is, or why there is none.
  var place = ""

  /// The last answer, until the next key.
  var remark = ""

  /// Whether its touches reach nobody else.
  var isGrabbed = false

  /// What is written to a file, in words.
  var log = ""

  init(unit: MassUnit, chosen: String?) {
    self.unit = unit
    self.chosen = chosen
  }

  /// The scale that is looked at: the chosen one, or the first that can weigh.
  var scale: Scale? {
    if let chosen { return scales.first { $0.device.device == chosen } }
    return scales.first { $0.device.weightSource != .none } ?? scales.first
  }

  mutating func hear(_ device: ReceivedDevice) {
    let index = scales.firstIndex { $0.device.device == device.device }
    switch (device.change, index) {
    case (.known(.removed), let index?): scales.remove(at: index)
    case (.known(.removed), nil): break
    case (_, let index?): scales[index].device = device
    case (_, nil) where scales.count < WeighViewModel.maxScales:
      scales.append(Scale(device: device))
    case (_, nil): break
    }
  }

  /// Takes what a scale says, and what it has read at rest so far.
  mutating func take(_ reading: ReceivedScale, of name: String, _ history: [Double]) {
    guard let index = scales.firstIndex(where: { $0.device.device == name }) else { return }
    scales[index].latest = reading
    scales[index].history = history
  }

  /// All that was known came through a connection that is no more.
  mutating func forget() { (scales, isGrabbed) = ([], false) }

  /// Looks at the next device.
  mutating func step() {
    guard let scale, let index = scales.firstIndex(of: scale) else { return }
    chosen = scales[(index + 1) % scales.count].device.device
  }
}
