internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// What is said while somebody calibrates.
enum CalibrationText {
  static func greeting(_ device: ReceivedDevice) -> String {
    """
    \(device.name.onOneLine) (\(device.device)):
    \(source(device))

    You need two or more things whose weight you know; ? shows everyday ones.
    Weights well apart are best, the heaviest as heavy as what you will weigh.
    Ctrl-C, or quit, leaves everything as it was, at any question.
    """
  }

  private static func source(_ device: ReceivedDevice) -> String {
    switch device.weightSource {
    case .known(.calibrated):
      "it has been calibrated before, and that is in force until this is finished."
    case .known(.kernel): "it states grams itself, rounded; calibrated ones are better."
    case .known(.nominal), .known(.none), .unknown:
      "its grams are an estimate so far, as nobody has laid a known weight on it."
    }
  }

  static let weights = """
      1 euro 7.5 g        2 euro 8.5 g      50 cent 7.8 g
      US quarter 5.67 g   US nickel 5 g     1 pound (UK) 8.75 g
      A stack counts, too: 6 x 7.5. So does water: put an empty glass on at first,
      let it count as nothing, and each 100 ml poured in are 100 g.
    """

  static let foot = """
    Something lies there. Where it stays under every weight, as a foot or an empty
    glass does, it may count as nothing.
    """

  static let unfelt = """
    Nothing is felt. A touch surface feels what conducts, about as wide as a
    fingertip: a coin may not be felt by itself. Say again, and begin with something
    on the pad that is felt and stays under every weight, such as a damp bit of
    sponge or a slice of fruit in foil; it counts as nothing. Touch neither it nor
    the weight while it is measured.
    """

  static let unchanged = """
    It reads as before: has the new weight been laid on? It may also be lighter
    than the pad can feel.
    """

  static let fading = """
    Not measured: the reading fades although the weight still lies there, as the
    surface does not take it for a finger. Put something that conducts, as wide as a
    fingertip, under it, and say again.
    """

  static let noWeight = """
    That is no weight: say it as 7.5, 0.2 oz or 6 x 7.5; ? shows everyday ones.
    """

  static func question(after count: Int) -> String {
    switch count {
    case 0: "Lay the first weight on the middle. What does it weigh, in grams?"
    case 1: "Take it off and lay another one on. What does it weigh?"
    default: "Another one? It makes the calibration better. (a weight, or done)"
    }
  }

  /// Why a point was refused, as the daemon says it, and what becomes of it.
  static func refusal(_ message: String) -> String { "Not measured: \(message)." }

  static func point(_ grams: Double, in news: ReceivedCalibration) -> String {
    let name = grams > 0 ? "\(grams.shortDescription) g" : "Zero"
    let point = news.points.last { $0.grams == grams }
    let reading =
      point.map {
        " reads \(hundredths($0.raw))\($0.spread > 0 ? " (± \(hundredths($0.spread)))" : "")."
      } ?? "."
    guard let fit = news.fit else {
      let isEnough = news.points.count { $0.grams > 0 } >= CalibrationFit.minimumWeights
      return isEnough ? "\(name)\(reading) But \(news.refusal ?? "")." : name + reading
    }
    return "\(name)\(reading) So far right to about ±\(tenths(fit.errorGrams)) g."
  }

  /// How a bar of twenty columns looks that is filled to a part, 0…1.
  static func bar(_ part: Double) -> String {
    let filled = Int(min(max(part, 0), 1) * 20)
    return "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 20 - filled))]"
  }

  static func tenths(_ number: Double) -> String { MassUnit.grams.text(number) }

  private static func hundredths(_ number: Double) -> String {
    ((number * 100).rounded() / 100).shortDescription
  }
}

// MARK: - The verdict

extension CalibrationText {
  /// How good it is, in words, numbers and a picture.
  static func verdict(of made: ReceivedCalibration, width: Int) -> String {
    guard let fit = made.fit else { return made.refusal ?? "" }
    let heaviest = made.points.map(\.grams).max() ?? 0
    return """

      \(CalibrationPlot(made).text(columns: width, rows: 12))

      Right to about ±\(tenths(fit.errorGrams)) g between nothing and \(heaviest.shortDescription) g; less so beyond.
      \(shape(fit, made))
      RMSE \(hundredths(fit.rootMeanSquare)) g · worst residual \(hundredths(fit.worstGrams)) g, at \
      \(fit.worstAtGrams.shortDescription) g · R² \(fit.rSquared.shortDescription)
      \(judgment(fit, heaviest))
      """
  }

  private static func shape(_ fit: ReceivedCalibration.Fit, _ made: ReceivedCalibration) -> String {
    fit.shape == .line
      ? "The sensor is straight, as far as \(made.points.count) points can say."
      : "The sensor is bent, so the law goes in straight pieces from point to point."
  }

  private static func judgment(_ fit: ReceivedCalibration.Fit, _ heaviest: Double) -> String {
    switch fit.errorGrams / max(heaviest, 1) {
    case ..<0.02: "That is good."
    case ..<0.1: "That is fair; more weights in between may make it better."
    default:
      """
      That is poor: lay the weights on the same place, touch nothing meanwhile, and
      say again; or use more of them.
      """
    }
  }
}

/// The points of a calibration and its law, drawn with letters.
///
///     205 |                    .o
///         |             ...o'
///       0 o____________________
///         0 g              100 g
struct CalibrationPlot {
  private let points: [ReceivedCalibration.Point]
  private let corners: [(grams: Double, raw: Double)]

  init(_ made: ReceivedCalibration) {
    points = made.points
    corners = (made.fit?.line ?? []).compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
  }

  /// The picture, of at most so many columns and rows, with the axes.
  func text(columns: Int, rows: Int) -> String {
    guard let heaviest = points.map(\.grams).max(), heaviest > 0, let low = points.map(\.raw).min(),
      let high = points.map(\.raw).max(), high > low, columns > 20, rows > 2
    else { return "" }
    let margin = max(label(high).count, label(low).count)
    let width = columns - margin - 2
    var picture = [[Character]](
      repeating: Array(repeating: " ", count: width), count: rows)
    func place(_ raw: Double) -> Int? {
      let row = Int(((raw - low) / (high - low) * Double(rows - 1)).rounded())
      return (0..<rows).contains(row) ? rows - 1 - row : nil
    }
    for column in 0..<width {
      let grams = heaviest * Double(column) / Double(width - 1)
      if let raw = raw(at: grams), let row = place(raw) { picture[row][column] = "." }
    }
    for point in points {
      let column = Int((point.grams / heaviest * Double(width - 1)).rounded())
      if let row = place(point.raw) { picture[row][column] = "o" }
    }
    return frame(picture, margin, [0: label(high), rows - 1: label(low)], heaviest)
  }

  private func frame(
    _ picture: [[Character]], _ margin: Int, _ labels: [Int: String], _ heaviest: Double
  ) -> String {
    let width = picture.first?.count ?? 0
    var lines = picture.enumerated().map { index, row in
      let label = labels[index] ?? ""
      let line = "\(String(repeating: " ", count: margin - label.count))\(label) |\(String(row))"
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
    let indent = String(repeating: " ", count: margin + 1)
    lines.append(indent + "+" + String(repeating: "-", count: width))
    let end = "\(heaviest.shortDescription) g"
    lines.append(
      indent + "0 g" + String(repeating: " ", count: max(1, width - 2 - end.count)) + end)
    return lines.joined(separator: "\n")
  }

  /// What the law says of a weight.
  private func raw(at grams: Double) -> Double? {
    guard corners.count > 1 else { return nil }
    let index = corners.dropFirst().dropLast().lastIndex { $0.grams <= grams } ?? 0
    let (low, high) = (corners[index], corners[index + 1])
    guard high.grams > low.grams else { return nil }
    return low.raw + (high.raw - low.raw) * (grams - low.grams) / (high.grams - low.grams)
  }

  private func label(_ raw: Double) -> String {
    Int64(exactly: raw.rounded()).map(String.init) ?? ""
  }
}
