/// How a measured ratio counts in a press: straight lines from (0, 0) through some points to (1, 1).
///
/// It never decreases, so that pressing harder never counts for less.
public struct ResponseCurve: Hashable, Sendable {
  /// A measured ratio, and what it counts as.
  public struct Point: Hashable, Sendable {
    public let ratio: Double
    public let output: Double

    public init(ratio: Double, output: Double) {
      self.ratio = ratio
      self.output = output
    }
  }

  /// The points between the ends, by increasing ratio.
  public private(set) var points: [Point] = []

  /// The straight line: a ratio counts as what it is.
  public init() {}

  /// Puts points in order, or says which one does not fit.
  public init(_ points: [Point]) throws(InconsistentValuesError) {
    for point in points { try append(point) }
  }

  /// Adds a point after the others.
  public mutating func append(_ point: Point) throws(InconsistentValuesError) {
    let last = points.last ?? Point(ratio: 0, output: 0)
    guard point.ratio > last.ratio, point.ratio < 1 else {
      throw InconsistentValuesError(
        setting: "ratio",
        reason: "ratio (\(point.ratio.brief)) must be above \(last.ratio.brief) and below 1")
    }
    guard point.output >= last.output, point.output <= 1 else {
      throw InconsistentValuesError(
        setting: "output",
        reason: "output (\(point.output.brief)) must be from \(last.output.brief) to 1")
    }
    guard points.count < ConfigurationLimits.curvePoints else {
      throw InconsistentValuesError(
        setting: "ratio",
        reason: "a curve has at most \(ConfigurationLimits.curvePoints) points")
    }
    points.append(point)
  }

  /// What a ratio counts as, 0…1.
  package func output(of ratio: Double) -> Double {
    var start = Point(ratio: 0, output: 0)
    for point in points {
      if ratio < point.ratio { return ResponseCurve.line(from: start, to: point, at: ratio) }
      start = point
    }
    return ResponseCurve.line(from: start, to: Point(ratio: 1, output: 1), at: min(ratio, 1))
  }

  private static func line(from start: Point, to end: Point, at ratio: Double) -> Double {
    let part = (ratio - start.ratio) / (end.ratio - start.ratio)
    return ratio >= 1 ? 1 : start.output + part * (end.output - start.output)
  }
}
