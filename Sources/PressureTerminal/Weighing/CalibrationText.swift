internal import Glibc
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
      "it is already calibrated; that is used until this calibration is finished."
    case .known(.kernel): "it reports rounded grams; a calibration is more accurate."
    case .known(.descriptor):
      "its report descriptor declares grams; a calibration is more accurate."
    case .known(.nominal), .known(.none), .unknown:
      "its grams are an estimate so far, because it is not calibrated."
    }
  }

  static let weights = """
      1 euro 7.5 g        2 euro 8.5 g      50 cent 7.8 g
      US quarter 5.67 g   US nickel 5 g     1 pound (UK) 8.75 g
      A stack is fine: 6 x 7.5. So is water: start with an empty glass on the
      surface, count it as zero, and each 100 ml of water adds 100 g.
    """

  static let notEmpty = """
    The surface is not empty. An object that stays under every weight, such as a
    conductive foot or an empty glass, can be counted as zero.
    """

  static let notDetected = """
    Nothing is detected. A touch surface detects objects that conduct and are about
    as wide as a fingertip; it may not detect a coin alone. To calibrate, type again,
    and start with an object that is detected and stays under every weight, such as
    a damp piece of sponge or a slice of fruit in foil. It counts as zero. Do not
    touch it or the weight during the measurement.
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
      ? "Done: it is used from the next touch on, and saved."
      : """
      Done: it is used from the next touch on, until the daemon ends. It is not
      saved, as this daemon has no folder for calibrations. To keep it, start the
      daemon with pressured run --state FOLDER and calibrate again.
      """
  }

  static func question(after count: Int) -> String {
    switch count {
    case 0: "Place the first weight in the center. What does it weigh, in grams?"
    case 1: "Remove it and place another one. What does it weigh?"
    default: "Another one? More weights are better. (a weight, drop, or done)"
    }
  }

  static func dropped(_ calibration: ReceivedCalibration) -> String {
    let weights = calibration.points.map(\.grams).filter { $0 > 0 }
    return weights.isEmpty
      ? "Removed; there is no weight left."
      : "Removed; these are left: \(weights.map(\.shortDescription).joined(separator: ", ")) g"
  }

  static let checks = """

    Now put some of them there again, anywhere, or any other thing whose weight you
    know. Each check shows how far to trust the calibration.
    """

  /// A check and those before it, such as `200.3 g, +0.3; last checks +0.3 today, -0.6 on Monday`.
  ///
  /// Without a check that was just made, the last ones. `now` is in seconds since 1970.
  static func checked(
    _ calibration: ReceivedCalibration, in unit: MassUnit = .grams,
    at now: Int64 = Int64(Glibc.time(nil))
  ) -> String {
    let checks = calibration.checks ?? []
    func signed(_ grams: Double) -> String { (grams < 0 ? "" : "+") + unit.text(grams) }
    let last = checks.suffix(4).reversed().map { check in
      signed(check.deviation) + (check.date.map { " " + LocalDay.name(of: $0, at: now) } ?? "")
    }
    let list = last.isEmpty ? "no checks" : "last checks \(last.joined(separator: ", "))"
    guard let isContradicted = calibration.contradicted, let check = checks.last else {
      return "Taken back; \(list)"
    }
    let text = "\(unit.text(check.shown)) \(unit.rawValue), \(signed(check.deviation)); \(list)"
    return isContradicted ? "\(text)\n\(contradiction)" : text
  }

  static let contradiction = """
    That contradicts the calibration. If the weight is another one, take the check
    back with undo; if not, clear the surface, try once more, and calibrate again.
    """

  static func point(_ grams: Double, in calibration: ReceivedCalibration) -> String {
    let name = grams > 0 ? "\(grams.shortDescription) g" : "Zero"
    let point = calibration.points.last { $0.grams == grams }
    let reading =
      point.map {
        " reads \(hundredths($0.raw))\($0.spread > 0 ? " (± \(hundredths($0.spread)))" : "")."
      } ?? "."
    guard let fit = calibration.fit else {
      let isEnough = calibration.points.count { $0.grams > 0 } >= CalibrationFit.minimumWeights
      return isEnough
        ? "\(name)\(reading) But \(calibration.refusal ?? ""). To remove the last weight: drop"
        : name + reading
    }
    return "\(name)\(reading) So far accurate to about ±\(MassUnit.grams.text(fit.errorGrams)) g."
  }

  private static func hundredths(_ number: Double) -> String {
    number.shortDescription(decimals: 2)
  }

  // MARK: - Result

  static func result(_ calibration: ReceivedCalibration, width: Int) -> String {
    guard let fit = calibration.fit else { return calibration.refusal ?? "" }
    let heaviest = calibration.points.map(\.grams).max() ?? 0
    return """

      \(calibration.plot(columns: width, rows: 12))

      Accurate to about ±\(MassUnit.grams.text(fit.errorGrams)) g from 0 to \(heaviest.shortDescription) g; nothing is known of more.
      RMSE \(hundredths(fit.rootMeanSquare)) g · worst residual \(hundredths(fit.worstGrams)) g, at \
      \(fit.worstAtGrams.shortDescription) g · R² \(fit.rSquared.shortDescription)
      \(judgment(fit, heaviest))
      """
  }

  private static func judgment(_ fit: ReceivedCalibration.Fit, _ heaviest: Double) -> String {
    switch fit.errorGrams / max(heaviest, 1) {
    case ..<0.02: "That is good."
    case ..<0.1: "That is fair; checks show whether it is better."
    default:
      """
      That is poor: type again, place the weights at the same position, and do not
      touch anything during a measurement; or use more weights.
      """
    }
  }
}

/// Days as people name them.
enum LocalDay {
  private static let seconds: Int64 = 86_400

  /// The day of a time relative to the present one: `today`, `yesterday`, `on Monday`, or `on 2026-11-03`.
  ///
  /// Both are in seconds since 1970, in the time zone of the environment.
  static func name(of date: Int64, at now: Int64) -> String {
    switch day(of: now) - day(of: date) {
    case 0: "today"
    case 1: "yesterday"
    case 2...6: "on \(weekdays[Int(parts(of: date).tm_wday)])"
    default: "on \(text(of: date))"
    }
  }

  /// The day of a time, such as `2026-11-03`.
  static func text(of date: Int64) -> String { text(parts(of: date)) }

  static func text(_ parts: tm) -> String {
    "\(parts.tm_year + 1900)-\((parts.tm_mon + 1).text(digits: 2))-\(parts.tm_mday.text(digits: 2))"
  }

  private static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  private static func day(of date: Int64) -> Int64 {
    (date + Int64(parts(of: date).tm_gmtoff)) / seconds
  }

  private static func parts(of date: Int64) -> tm {
    var (time, parts) = (time_t(date), tm())
    localtime_r(&time, &parts)
    return parts
  }
}

extension ReceivedCalibration {
  /// A plot of the points and the curve in ASCII characters; empty if they have no extent.
  ///
  ///     205 |                    .o
  ///         |             ...o'
  ///       0 o____________________
  ///         0 g              100 g
  func plot(columns: Int, rows: Int) -> String {
    guard let heaviest = points.map(\.grams).max(), heaviest > 0, let low = points.map(\.raw).min(),
      let high = points.map(\.raw).max(), high > low, columns > 20, rows > 2
    else { return "" }
    let labels: [Int: String] = [0: high, rows - 1: low].mapValues {
      Int64(exactly: $0.rounded()).map { String($0) } ?? ""
    }
    let margin = labels.values.map(\.count).max() ?? 0
    let width = columns - margin - 2
    var characters = [[Character]](repeating: Array(repeating: " ", count: width), count: rows)
    func draw(_ character: Character, _ column: Int, _ raw: Double) {
      let row = Int(((raw - low) / (high - low) * Double(rows - 1)).rounded())
      guard (0..<rows).contains(row) else { return }
      characters[rows - 1 - row][column] = character
    }
    let vertices = (fit?.line ?? []).filter { $0.count == 2 }.map { (grams: $0[0], raw: $0[1]) }
    for column in 0..<width where vertices.count > 1 {
      let grams = heaviest * Double(column) / Double(width - 1)
      let index = vertices.dropFirst().dropLast().lastIndex { $0.grams <= grams } ?? 0
      let (low, high) = (vertices[index], vertices[index + 1])
      guard high.grams > low.grams else { continue }
      let part = (grams - low.grams) / (high.grams - low.grams)
      draw(".", column, low.raw + (high.raw - low.raw) * part)
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
}
