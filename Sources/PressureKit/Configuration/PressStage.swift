/// One stage of a press.
public struct PressStage: Hashable, Sendable {
  /// The unit of a stage's thresholds.
  public enum Unit: String, CaseIterable, Sendable {
    /// Fraction of the effective maximum, 0…1.
    case ratio
    /// Units of force; 1 is an average touch.
    case force
    /// Grams.
    case grams
    /// Multiples of the force at which the pad itself clicks; see `ClickForce`.
    case click

    /// The valid range of a threshold in this unit.
    public var limits: ClosedRange<Double> {
      switch self {
      case .ratio: ConfigurationLimits.ratio
      case .force: ConfigurationLimits.force
      case .grams: ConfigurationLimits.grams
      case .click: ConfigurationLimits.clicks
      }
    }
  }

  /// The name on the wire; unique within the stages of a press.
  public var name: String

  /// Where the stage is entered and left.
  public var threshold: Threshold

  /// The unit of the thresholds.
  public var unit: Unit

  /// Creates a stage.
  ///
  /// - Parameters:
  ///   - name: the name on the wire.
  ///   - threshold: where the stage is entered and left, in `unit`.
  ///   - unit: the unit of the thresholds.
  public init(name: String, threshold: Threshold, unit: Unit) {
    self.name = name
    self.threshold = threshold
    self.unit = unit
  }

  init(_ name: String, knownPress press: Double, release: Double, in unit: Unit) {
    let threshold = Threshold(knownPress: press, release: release)
    self.init(name: name, threshold: threshold, unit: unit)
  }

  fileprivate func requireAbove(_ below: PressStage) throws(InconsistentValuesError) {
    let (upper, lower) = (name.debugDescription, below.name.debugDescription)
    try requireConsistent(
      unit == below.unit, in: "unit",
      "stage \(upper) (\(unit)) must have the unit of \(lower) (\(below.unit))")
    let (mine, other) = (threshold, below.threshold)
    try requireConsistent(
      mine.press > other.press, in: "press",
      "press of \(upper) (\(mine.press.shortDescription)) must be above press of \(lower)"
        + " (\(other.press.shortDescription))")
    try requireConsistent(
      mine.release >= other.release, in: "release",
      "release of \(upper) (\(mine.release.shortDescription)) must not be below release of \(lower)"
        + " (\(other.release.shortDescription))")
  }
}

/// The stages of a press in ascending order; an empty list disables the gesture.
public struct StageLadder: Hashable, Sendable {
  /// The stages in ascending order.
  public private(set) var stages: [PressStage] = []

  /// Creates an empty list, which disables the gesture.
  public init() {}

  /// Checks and stores stages in ascending order.
  ///
  /// - Throws: `InconsistentValuesError` for the first stage that does not fit above the one before it.
  public init(_ stages: [PressStage]) throws(InconsistentValuesError) {
    for stage in stages { try append(stage) }
  }

  package init(known stages: [PressStage]) {
    self.stages = stages
  }

  /// The usual two stages, by their press and release points.
  fileprivate init(_ light: (Double, Double), _ deep: (Double, Double), in unit: PressStage.Unit) {
    stages = [
      PressStage("light", knownPress: light.0, release: light.1, in: unit),
      PressStage("deep", knownPress: deep.0, release: deep.1, in: unit),
    ]
  }

  /// Appends a stage above the others.
  ///
  /// Its release point must not be below that of the stage under it, which would otherwise end first.
  ///
  /// - Throws: `InconsistentValuesError` if a point is outside the limits of its unit, the name is taken, the unit differs or
  ///   a point is too low.
  public mutating func append(_ stage: PressStage) throws(InconsistentValuesError) {
    try requireConsistent(
      !stages.contains(where: { $0.name == stage.name }), in: "name",
      "stage \(stage.name.debugDescription) is defined twice")
    let (limits, threshold) = (stage.unit.limits, stage.threshold)
    for (setting, point) in [("press", threshold.press), ("release", threshold.release)] {
      try requireConsistent(
        limits.contains(point), in: setting,
        "\(setting) of \(stage.name.debugDescription) (\(point.shortDescription)) must be from"
          + " \(limits.lowerBound.shortDescription) to \(limits.upperBound.shortDescription)")
    }
    if let below = stages.last { try stage.requireAbove(below) }
    stages.append(stage)
  }
}

/// A press point and a lower release point: hysteresis between pressed and released.
public struct Threshold: Hashable, Sendable {
  /// A value at or above this counts as pressed.
  public let press: Double

  /// A pressed value below this counts as released.
  public let release: Double

  /// Checks and stores both points.
  ///
  /// - Throws: `InconsistentValuesError` unless `release` is below `press`; NaN is rejected too.
  public init(press: Double, release: Double) throws(InconsistentValuesError) {
    try requireConsistent(
      release < press, in: "release",
      "release (\(release.shortDescription)) must be below press (\(press.shortDescription))")
    self.press = press
    self.release = release
  }

  /// For built-in thresholds, which the tests have checked.
  package init(knownPress press: Double, release: Double) {
    assert(release < press)
    self.press = press
    self.release = release
  }

  /// Both points mapped by an ascending function, of which rounding may make one.
  func mapped(by function: (Double) -> Double) -> Threshold {
    let press = function(press)
    return Threshold(knownPress: press, release: min(function(release), press.nextDown))
  }
}

/// A named sensitivity: how hard a press is that enters the stage `deep`.
///
/// The stage `light` is a click of the pad. Until a pad has clicked, and on one that does not, both stages begin at the forces below.
public enum PressFeel: String, CaseIterable, Sendable {
  /// Less force than usual.
  case light
  /// The usual one.
  case medium
  /// More force than usual.
  case firm
  /// The same forces on every pad: 0.3 and 0.7 of the maximum, or 200 and 400 g.
  case fixed

  private static let deepRelease = 0.8

  /// The force of a click in grams where nothing is known of it, from the sensitivities of ChromeOS; nil if stages are fixed.
  private var click: (press: Double, release: Double)? {
    switch self {
    case .light: (110, 95)
    case .medium: (130, 105)
    case .firm: (145, 120)
    case .fixed: nil
    }
  }

  /// The click of this feel as a multiple of the usual one.
  private var part: Double { (click?.press ?? PressFeel.mediumClick) / PressFeel.mediumClick }

  private static let mediumClick = 130.0

  /// The force of a force click as a multiple of that of `medium`; that of its contact area grows less.
  func deepFactor(ofArea isArea: Bool) -> Double {
    isArea ? part.squareRoot().squareRoot() : part
  }

  /// The stages for devices that state units per gram.
  public var gramStages: StageLadder {
    stages(dividedBy: 1, in: .grams) ?? StageLadder((200, 150), (400, 360), in: .grams)
  }

  /// The stages for all other devices, relative to the force at which the pad clicks; `medium` is that force.
  public var clickStages: StageLadder {
    stages(dividedBy: PressFeel.mediumClick, in: .click)
      ?? StageLadder((0.3, 0.25), (0.7, 0.6), in: .ratio)
  }

  private func stages(dividedBy divisor: Double, in unit: PressStage.Unit) -> StageLadder? {
    guard let click else { return nil }
    let (press, release) = (click.press / divisor, click.release / divisor)
    let deep = press * ForceClickRule.force.first
    return StageLadder((press, release), (deep, deep * PressFeel.deepRelease), in: unit)
  }
}

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
    try requireConsistent(
      point.ratio > last.ratio && point.ratio < 1, in: "ratio",
      "ratio (\(point.ratio.shortDescription)) must be above \(last.ratio.shortDescription)"
        + " and below 1")
    try requireConsistent(
      point.output >= last.output && point.output <= 1, in: "output",
      "output (\(point.output.shortDescription)) must be from \(last.output.shortDescription) to 1")
    try requireConsistent(
      points.count < ConfigurationLimits.curvePoints, in: "ratio",
      "a curve has at most \(ConfigurationLimits.curvePoints) points")
    points.append(point)
  }

  package func output(of ratio: Double) -> Double {
    let next = points.firstIndex { ratio < $0.ratio } ?? points.count
    let start = next > 0 ? points[next - 1] : Point(ratio: 0, output: 0)
    let end = next < points.count ? points[next] : Point(ratio: 1, output: 1)
    let part = (ratio - start.ratio) / (end.ratio - start.ratio)
    return ratio >= 1 ? 1 : start.output + part * (end.output - start.output)
  }
}
