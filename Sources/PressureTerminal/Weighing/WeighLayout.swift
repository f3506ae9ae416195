internal import PressureKit
internal import PressureProtocol

struct WeighLayout {
  let model: WeighViewModel
  let glyphs: Glyphs

  private static let margin = 2
  private static let keys =
    "t tare  u clear  z zero  h hold  c check  n unit  g grab  Tab next  q quit"

  private static let question = "What does it weigh? (a weight, undo, or Esc)"

  private static let estimate = "≈ marks an estimate: pressured calibrate makes it a measurement"

  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    let device = model.scale.map { "\($0.device.name) (\($0.device.device))  " } ?? ""
    let grab = model.isGrabbed ? "  grabbed: no clicks" : ""
    canvas.put(
      "\(device)\(model.connectionStatus)\(grab)", WeighLayout.margin, 0, .dim,
      width: size.columns - 2 * WeighLayout.margin)
    if let scale = model.scale, let reading = scale.scale {
      let below = draw(reading, of: scale.device, on: &canvas)
      let lines = textLines(reading, of: scale)
      for (row, line) in lines.enumerated() {
        canvas.put(line.text, WeighLayout.margin, below + row, line.style)
      }
    } else {
      let placeholder =
        model.scale.map { "no reading of \($0.device.name) yet" }
        ?? model.list.selectedName.map { "\($0) is not connected; waiting for it" }
        ?? "there is no touch device; new devices appear here"
      canvas.put(
        placeholder, WeighLayout.margin, top(of: BigText.rows, size), .bold,
        width: size.columns - WeighLayout.margin)
    }
    let lines = model.entry.map { ["\(WeighLayout.question) \($0)_"] }
    let messages = lines ?? model.message.split(separator: "\n").map(String.init)
    for (row, line) in messages.enumerated() {
      canvas.put(line, WeighLayout.margin, size.rows - 1 - messages.count + row, .bold)
    }
    canvas.put(WeighLayout.keys, WeighLayout.margin, size.rows - 1, .dim)
    return canvas
  }

  /// The number of rows of text below the number, including the blank row.
  private static let textRows = 9

  private func top(of rows: Int, _ size: TerminalSize) -> Int {
    max((size.rows - rows - WeighLayout.textRows) / 2, 2)
  }

  private func draw(
    _ reading: ReceivedScale, of device: ReceivedDevice, on canvas: inout Canvas
  ) -> Int {
    let left = WeighLayout.margin
    let isEstimate = device.isEstimate || reading.isUncertain
    let number = (reading.number(in: model.unit) ?? "-").estimated(isEstimate)
    let unit = " \(model.unit.rawValue)\(reading.errorText(in: model.unit) ?? "")"
    let size = canvas.size
    // The size is that of a longer number, so that it does not change with another digit or a sign.
    let reference = max(BigText.columns(of: number), BigText.columns(of: "≈ -000.0+"))
    let fitting = min(
      (size.columns - 2 * left - unit.count) / reference,
      (size.rows - WeighLayout.textRows - 3) / BigText.rows)
    let times = max(fitting, 1)
    let (width, rows) = (BigText.columns(of: number) * times, BigText.rows * times)
    let row = top(of: rows, size)
    guard fitting > 0 || left + width + unit.count < size.columns, size.rows > 12 else {
      let text = reading.text(in: model.unit, isEstimate: device.isEstimate)
      canvas.put(text, left, row, .bold)
      return row + 2
    }
    canvas.put(big: number, left, row, .bold, glyphs: glyphs, times: times)
    canvas.put(unit, left + width, row + rows - 1, .bold)
    return row + rows + 1
  }

  private func textLines(
    _ reading: ReceivedScale, of scale: WatchedDevice
  ) -> [(text: String, style: Style)] {
    let unit = model.unit
    let isEstimate = scale.device.isEstimate
    // Zero is not an estimate.
    func text(_ grams: Double) -> String {
      "\(unit.text(grams)) \(unit.rawValue)".estimated(isEstimate && grams != 0)
    }
    let isReached = reading.target?.within == true && reading.isStableReading
    let more = [
      reading.grossGrams.map { "gross \(text($0))" }, "tare \(text(reading.tareGrams))",
      reading.rate.map { "\(text($0))/s" },
    ]
    let history = scale.history.grams.prefix(8).map { unit.text($0).estimated(isEstimate) }
      .joined(separator: "  ")
    return [
      (reading.advice, Style(isBold: true, isReversed: isReached)),
      (reading.target?.text(at: reading.grams, in: unit, isEstimate: isEstimate) ?? "", .plain),
      (more.compactMap(\.self).joined(separator: " · "), .plain),
      (scale.device.isEstimate ? WeighLayout.estimate : "", .plain),
      (history.isEmpty ? "no stable reading yet" : "previous: \(history)", .dim),
      (model.log, .dim),
    ]
  }
}

struct WeighViewModel: Equatable {
  var list = DeviceList()
  var unit: MassUnit

  /// The socket of the daemon, or why there is no connection.
  var connectionStatus = ""
  /// A message, of one or more lines.
  var message = ""

  /// The known weight of a check as far as it is typed; nil unless it is asked for.
  var entry: String?

  /// Whether the device is grabbed, so that no other program receives its touches.
  var isGrabbed = false

  var log = ""

  var scale: WatchedDevice? {
    if let selectedName = list.selectedName { return list[selectedName] }
    return list.devices.first { $0.device.weightSource != .none } ?? list.devices.first
  }

  mutating func disconnect() {
    list.removeAll()
    isGrabbed = false
    entry = nil
  }

  mutating func step() {
    if let index = list.index(scale?.device.device) { list.select(1, from: index) }
  }
}
