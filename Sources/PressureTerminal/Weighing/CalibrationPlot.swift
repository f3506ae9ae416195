internal import PressureKit
internal import PressureProtocol

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
