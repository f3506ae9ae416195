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
}

extension PressStage.Unit {
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

  /// For built-in stages, which the tests have checked.
  package init(known stages: [PressStage]) {
    self.stages = stages
  }

  /// Appends a stage above the others.
  ///
  /// Its release point must not be below that of the stage under it, which would otherwise end first.
  ///
  /// - Throws: `InconsistentValuesError` if a point is outside the limits of its unit, the name is taken, the unit differs or
  ///   a point is too low.
  public mutating func append(_ stage: PressStage) throws(InconsistentValuesError) {
    guard !stages.contains(where: { $0.name == stage.name }) else {
      throw InconsistentValuesError(
        setting: "name", reason: "stage \(stage.name.debugDescription) is defined twice")
    }
    try stage.requireLimits()
    if let below = stages.last { try stage.requireAbove(below) }
    stages.append(stage)
  }
}

extension PressStage {
  fileprivate func requireLimits() throws(InconsistentValuesError) {
    let limits = unit.limits
    for (setting, point) in [("press", threshold.press), ("release", threshold.release)]
    where !limits.contains(point) {
      throw InconsistentValuesError(
        setting: setting,
        reason: "\(setting) of \(name.debugDescription) (\(point.shortDescription)) must be from"
          + " \(limits.lowerBound.shortDescription) to \(limits.upperBound.shortDescription)")
    }
  }

  fileprivate func requireAbove(_ below: PressStage) throws(InconsistentValuesError) {
    let (upper, lower) = (name.debugDescription, below.name.debugDescription)
    guard unit == below.unit else {
      throw InconsistentValuesError(
        setting: "unit",
        reason: "stage \(upper) (\(unit)) must have the unit of \(lower) (\(below.unit))")
    }
    let (mine, other) = (threshold, below.threshold)
    guard mine.press > other.press else {
      throw InconsistentValuesError(
        setting: "press",
        reason: "press of \(upper) (\(mine.press.shortDescription)) must be above press of \(lower)"
          + " (\(other.press.shortDescription))")
    }
    guard mine.release >= other.release else {
      throw InconsistentValuesError(
        setting: "release",
        reason:
          "release of \(upper) (\(mine.release.shortDescription)) must not be below release of \(lower)"
          + " (\(other.release.shortDescription))")
    }
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
    guard release < press else {
      throw InconsistentValuesError(
        setting: "release",
        reason:
          "release (\(release.shortDescription)) must be below press (\(press.shortDescription))")
    }
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
