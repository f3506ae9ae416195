/// The strokes of a pen as pixels, for a terminal.
struct PenSheet {
  /// A point of a stroke, in parts of the sheet's width and height.
  struct Point: Hashable {
    var x: Double
    var y: Double
    var pressure: Double

    /// Whether a line leads here from the point before.
    var isConnected: Bool
  }

  /// The width of a stroke at the maximum pressure, as a part of the sheet's width.
  static let brush = 0.03

  /// The points that are kept; more of them clear the sheet.
  private static let maximumPoints = 50_000

  private(set) var points: [Point] = []

  /// The cells of the sheet; each has two pixels, one above the other.
  private var columns = 0
  private var rows = 0

  /// How much of each pixel is covered, 0…1.
  private var coverage: [Double] = []

  /// The number of points that are drawn.
  private var drawnCount = 0

  mutating func append(_ point: Point) {
    if points.count >= PenSheet.maximumPoints { clear() }
    points.append(point)
  }

  mutating func clear() {
    points.removeAll(keepingCapacity: true)
    // The next drawing begins with a new sheet.
    (columns, rows, drawnCount) = (0, 0, 0)
  }

  /// Draws the points that are new.
  mutating func draw(columns: Int, rows: Int) {
    if (columns, rows) != (self.columns, self.rows) {
      (self.columns, self.rows, drawnCount) = (columns, rows, 0)
      coverage = Array(repeating: 0, count: columns * rows * 2)
    }
    for index in drawnCount..<points.count {
      let point = points[index]
      let before = point.isConnected && index > 0 ? points[index - 1] : point
      stamp(before, point)
    }
    drawnCount = points.count
  }

  /// How much of a pixel is covered.
  func coverage(_ x: Int, _ y: Int) -> Double { coverage[y * columns + x] }

  private mutating func stamp(_ from: Point, _ to: Point) {
    let (width, height) = (Double(columns), Double(rows * 2))
    let length = max(abs(to.x - from.x) * width, abs(to.y - from.y) * height)
    let steps = max(Int(length.rounded(.up)), 1)
    for step in 1...steps {
      let part = Double(step) / Double(steps)
      let radius =
        0.5 * PenSheet.brush * width * (from.pressure + part * (to.pressure - from.pressure))
      fill(
        x: (from.x + part * (to.x - from.x)) * width, y: (from.y + part * (to.y - from.y)) * height,
        radius: radius)
    }
  }

  private mutating func fill(x: Double, y: Double, radius: Double) {
    let reach = radius + 1
    let (left, right) = (Int(max(x - reach, 0)), Int(min(x + reach, Double(columns - 1))))
    let (top, bottom) = (Int(max(y - reach, 0)), Int(min(y + reach, Double(rows * 2 - 1))))
    guard left <= right, top <= bottom else { return }
    for row in top...bottom {
      for column in left...right {
        let (dx, dy) = (Double(column) + 0.5 - x, Double(row) + 0.5 - y)
        let distance = (dx * dx + dy * dy).squareRoot()
        let covered = min(max(radius + 0.5 - distance, 0), 1)
        let index = row * columns + column
        coverage[index] = max(coverage[index], covered)
      }
    }
  }
}
