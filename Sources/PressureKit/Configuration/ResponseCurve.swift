/// Maps a measured ratio to the ratio that a press uses: piecewise linear from (0, 0) to (1, 1).
///
/// The curve never decreases, so pressing harder never yields less.
public struct ResponseCurve: Hashable, Sendable {
  /// A measured ratio and its mapped value, both 0…1.
  public struct Point: Hashable, Sendable {
    /// The measured ratio.
    public let ratio: Double

    /// The ratio that a press uses.
    public let output: Double

    /// Creates a point; a curve checks it.
    public init(ratio: Double, output: Double) {
      self.ratio = ratio
      self.output = output
    }
  }

  /// The inner points, in ascending order of ratio.
  public private(set) var points: [Point] = []

  /// The identity.
  public init() {}

  /// Checks and stores inner points in ascending order, at most `ConfigurationLimits.curvePoints`.
  ///
  /// - Throws: `InconsistentValuesError` for the first point that does not fit.
  public init(_ points: [Point]) throws(InconsistentValuesError) {
    for point in points { try append(point) }
  }

  /// Appends an inner point.
  ///
  /// - Throws: `InconsistentValuesError` if the ratio does not increase, the output decreases or exceeds 1, or there
  ///   are too many points.
  public mutating func append(_ point: Point) throws(InconsistentValuesError) {
    let last = points.last ?? Point(ratio: 0, output: 0)
    guard point.ratio > last.ratio, point.ratio < 1 else {
      throw InconsistentValuesError(
        setting: "ratio",
        reason:
          "ratio (\(point.ratio.shortDescription)) must be above \(last.ratio.shortDescription) and below 1"
      )
    }
    guard point.output >= last.output, point.output <= 1 else {
      throw InconsistentValuesError(
        setting: "output",
        reason:
          "output (\(point.output.shortDescription)) must be from \(last.output.shortDescription) to 1"
      )
    }
    guard points.count < ConfigurationLimits.curvePoints else {
      throw InconsistentValuesError(
        setting: "ratio",
        reason: "a curve has at most \(ConfigurationLimits.curvePoints) points")
    }
    points.append(point)
  }

  /// The mapped value of a ratio, 0…1.
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
