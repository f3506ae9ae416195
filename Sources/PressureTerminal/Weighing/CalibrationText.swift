internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

enum CalibrationText {
  static func greeting(_ device: ReceivedDevice) -> String {
    """
    \(device.name.onOneLine) (\(device.device)):
    \(source(device))

    You need two or more objects of known weight; ? lists everyday ones.
    Choose weights that differ widely, the heaviest as heavy as what you will weigh.
    Ctrl-C or quit leaves the dialog at any question and changes nothing.
    """
  }

  private static func source(_ device: ReceivedDevice) -> String {
    switch device.weightSource {
    case .known(.calibrated):
      "it is already calibrated; that calibration is in force until this one is finished."
    case .known(.kernel): "it reports grams itself, rounded; a calibration is more accurate."
    case .known(.descriptor): "its report descriptor states grams; a calibration is more accurate."
    case .known(.nominal), .known(.none), .unknown:
      "its grams are an estimate so far, because it is not calibrated."
    }
  }

  static let weights = """
      1 euro 7.5 g        2 euro 8.5 g      50 cent 7.8 g
      US quarter 5.67 g   US nickel 5 g     1 pound (UK) 8.75 g
      A stack is fine, too: 6 x 7.5. So is water: start with an empty glass on the
      surface, count it as zero, and each 100 ml of water adds 100 g.
    """

  static let foot = """
    The surface is not empty. An object that stays under every weight, such as a
    conductive foot or an empty glass, can be counted as zero.
    """

  static let notDetected = """
    Nothing is detected. A touch surface detects objects that conduct and are about
    as wide as a fingertip; it may not detect a coin alone. Type again, and start with
    an object on the surface that is detected and stays under every weight, such as a
    damp piece of sponge or a slice of fruit in foil; it counts as zero. Do not touch
    it or the weight during the measurement.
    """

  static let unchanged = """
    The reading has not changed: is the new weight on the surface? It may also be
    too light for the sensor.
    """

  static let decaying = """
    Not measured: the reading decays although the weight is still there, because the
    surface does not treat it as a finger. Put something conductive, as wide as a
    fingertip, under it, and type again.
    """

  static func invalid(_ answer: String, _ error: MassUnit.TextError) -> String {
    if error == .invalid {
      "That is not a weight: type it as 7.5, 0.2 oz or 6 x 7.5; ? lists everyday ones."
    } else {
      "\(error.sentence(answer, ""))."
    }
  }

  static func done(isStored: Bool) -> String {
    isStored
      ? "Done: it is in force from the next touch on, and saved."
      : """
      Done: it is in force from the next touch on, until the daemon ends. It is not
      saved, as this daemon has no folder for calibrations. To keep it, start the
      daemon with pressured run --state FOLDER and calibrate again.
      """
  }

  static func question(after count: Int) -> String {
    switch count {
    case 0: "Place the first weight in the center. What does it weigh, in grams?"
    case 1: "Remove it and place another one. What does it weigh?"
    default: "Another one? More weights improve the calibration. (a weight, or done)"
    }
  }

  static func thorough(_ heaviest: Double) -> String {
    """

    Now what one place and one moment do not show: \(heaviest.shortDescription) g again, near the corners, after a
    minute, and a lighter weight after it. Each step can be skipped; its error is then assumed.
    """
  }

  static func tasks(
    heaviest: Double, lightest: Double
  ) -> [(instruction: String, grams: Double, condition: CalibrationPoint.Condition)] {
    let (heavy, light) = ("\(heaviest.shortDescription) g", "\(lightest.shortDescription) g")
    let again = "Take it off, place \(heavy) in the center again"
    let corners = ["top left", "top right", "bottom left", "bottom right"].map {
      ("Place \(heavy) near the \($0) corner", heaviest, CalibrationPoint.Condition.corner)
    }
    return [(again, heaviest, .regular), (again, heaviest, .regular)] + corners + [
      ("Place \(heavy) in the center for a minute", heaviest, .minute),
      (
        "Place \(light) in the center and \(heavy) on top, take that off again", lightest,
        .descending
      ),
    ]
  }

  static func budget(_ calibration: ReceivedCalibration, isThorough: Bool) -> String {
    guard let parts = calibration.fit?.budget, let grams = calibration.fit?.budgetAtGrams else {
      return ""
    }
    let rows = parts.sorted { $0.grams > $1.grams }.map { part in
      let name = cause(part.cause)
      return "  \(name)\(String.blanks(max(1, 34 - name.count)))±\(tenths(part.grams)) g"
    }
    return "The error at \(grams.shortDescription) g by cause, at 95 %:\n"
      + rows.joined(separator: "\n")
      + (isThorough ? "" : "\npressured calibrate --thorough measures most of what is assumed.")
  }

  private static func cause(_ cause: ProtocolValue<ErrorCause>) -> String {
    switch cause {
    case .known(.noise): "noise and rounding"
    case .known(.fit): "the fit"
    case .known(.weights): "the weights themselves"
    case .known(.place): "another place"
    case .known(.time): "minutes under load"
    case .known(.unloading): "a heavier load before"
    case .known(.repetition): "placing it again"
    case .known(.temperature): "another temperature"
    case .unknown: "another cause"
    }
  }

  static func point(_ grams: Double, in calibration: ReceivedCalibration) -> String {
    let name = grams > 0 ? "\(grams.shortDescription) g" : "Zero"
    let point = calibration.points.last { $0.grams == grams }
    let reading =
      point.map {
        " reads \(hundredths($0.raw))\($0.spread > 0 ? " (± \(hundredths($0.spread)))" : "")."
      } ?? "."
    guard let fit = calibration.fit else {
      let isEnough = calibration.points.count { $0.grams > 0 } >= CalibrationFit.minimumWeights
      return isEnough ? "\(name)\(reading) But \(calibration.refusal ?? "")." : name + reading
    }
    return "\(name)\(reading) So far accurate to about ±\(tenths(fit.errorGrams)) g."
  }

  /// A progress bar of twenty characters, filled in proportion to a value of 0…1.
  static func bar(_ progress: Double) -> String {
    let filled = Int(min(max(progress, 0), 1) * 20)
    return "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 20 - filled))]"
  }

  private static func tenths(_ number: Double) -> String { MassUnit.grams.text(number) }

  private static func hundredths(_ number: Double) -> String {
    number.shortDescription(decimals: 2)
  }

  // MARK: - Result

  static func result(
    _ calibration: ReceivedCalibration, width: Int, isThorough: Bool
  ) -> String {
    guard let fit = calibration.fit else { return calibration.refusal ?? "" }
    let heaviest = calibration.points.map(\.grams).max() ?? 0
    return """

      \(CalibrationPlot(calibration).text(columns: width, rows: 12))

      Accurate to about ±\(tenths(fit.errorGrams)) g from 0 to \(heaviest.shortDescription) g; less accurate beyond.
      \(shape(fit, calibration))
      RMSE \(hundredths(fit.rootMeanSquare)) g · worst residual \(hundredths(fit.worstGrams)) g, at \
      \(fit.worstAtGrams.shortDescription) g · R² \(fit.rSquared.shortDescription)
      \(judgment(fit, heaviest))
      \(budget(calibration, isThorough: isThorough))
      """
  }

  private static func shape(
    _ fit: ReceivedCalibration.Fit, _ calibration: ReceivedCalibration
  ) -> String {
    fit.shape == .line
      ? "The sensor is linear, as far as \(calibration.points.count) points can show."
      : "The sensor is not linear, so the calibration is piecewise linear between the points."
  }

  private static func judgment(_ fit: ReceivedCalibration.Fit, _ heaviest: Double) -> String {
    // More weights improve only what they show: the law and the noise.
    let largest = fit.budget?.max { $0.grams < $1.grams }?.cause
    let isOfPoints = largest == nil || largest == .known(.noise) || largest == .known(.fit)
    return switch fit.errorGrams / max(heaviest, 1) {
    case ..<0.02: "That is good."
    case ..<0.1 where isOfPoints: "That is fair; more weights in between may improve it."
    case ..<0.1: "That is fair; its largest cause is below, and more weights do not reduce it."
    default:
      """
      That is poor: type again, place the weights at the same position, and do not
      touch anything during a measurement; or use more weights.
      """
    }
  }
}

/// A plot of a calibration, its points and its curve, in ASCII characters.
///
///     205 |                    .o
///         |             ...o'
///       0 o____________________
///         0 g              100 g
struct CalibrationPlot {
  private let points: [ReceivedCalibration.Point]
  private let vertices: [(grams: Double, raw: Double)]

  init(_ calibration: ReceivedCalibration) {
    points = calibration.points
    vertices = (calibration.fit?.line ?? []).compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
  }

  func text(columns: Int, rows: Int) -> String {
    guard let heaviest = points.map(\.grams).max(), heaviest > 0, let low = points.map(\.raw).min(),
      let high = points.map(\.raw).max(), high > low, columns > 20, rows > 2
    else { return "" }
    let labels = [0: label(high), rows - 1: label(low)]
    let margin = labels.values.map(\.count).max() ?? 0
    let width = columns - margin - 2
    var characters = [[Character]](repeating: Array(repeating: " ", count: width), count: rows)
    func draw(_ character: Character, _ column: Int, _ raw: Double) {
      let row = Int(((raw - low) / (high - low) * Double(rows - 1)).rounded())
      guard (0..<rows).contains(row) else { return }
      characters[rows - 1 - row][column] = character
    }
    for column in 0..<width {
      if let raw = raw(at: heaviest * Double(column) / Double(width - 1)) { draw(".", column, raw) }
    }
    for point in points {
      draw("o", Int((point.grams / heaviest * Double(width - 1)).rounded()), point.raw)
    }
    var lines = characters.enumerated().map { index, row in
      let label = labels[index] ?? ""
      let last = row.lastIndex { $0 != " " } ?? -1
      return .blanks(margin - label.count) + "\(label) |\(String(row[...last]))"
    }
    let end = "\(heaviest.shortDescription) g"
    lines.append(.blanks(margin + 1) + "+" + String(repeating: "-", count: width))
    lines.append(.blanks(margin + 1) + "0 g" + .blanks(max(1, width - 2 - end.count)) + end)
    return lines.joined(separator: "\n")
  }

  private func raw(at grams: Double) -> Double? {
    guard vertices.count > 1 else { return nil }
    let index = vertices.dropFirst().dropLast().lastIndex { $0.grams <= grams } ?? 0
    let (low, high) = (vertices[index], vertices[index + 1])
    guard high.grams > low.grams else { return nil }
    return low.raw + (high.raw - low.raw) * (grams - low.grams) / (high.grams - low.grams)
  }

  private func label(_ raw: Double) -> String {
    Int64(exactly: raw.rounded()).map(String.init) ?? ""
  }
}
