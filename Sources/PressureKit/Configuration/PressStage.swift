/// One step of a force gesture.
public struct PressStage: Hashable, Sendable {
  /// What its thresholds are measured in.
  public enum Unit: String, CaseIterable, Sendable {
    /// Part of the effective maximum, 0…1.
    case ratio
    /// Units of force, of which 1 is an average touch.
    case force
    /// Grams.
    case grams
  }

  public var name: String
  public var threshold: Threshold
  public var unit: Unit

  public init(name: String, threshold: Threshold, unit: Unit) {
    self.name = name
    self.threshold = threshold
    self.unit = unit
  }
}

extension PressStage.Unit {
  /// Between which numbers a threshold in this unit may lie.
  public var limits: ClosedRange<Double> {
    switch self {
    case .ratio: ConfigurationLimits.ratio
    case .force: ConfigurationLimits.force
    case .grams: ConfigurationLimits.grams
    }
  }
}

/// The stages of a force gesture, each above the one before it; none at all means no gesture.
public struct StageLadder: Hashable, Sendable {
  public private(set) var stages: [PressStage] = []

  public init() {}

  /// Puts the stages in order upon each other, or says which one does not fit.
  public init(_ stages: [PressStage]) throws(InconsistentValuesError) {
    for stage in stages { try append(stage) }
  }

  /// For our own stages, which the tests have checked.
  package init(known stages: [PressStage]) {
    self.stages = stages
  }

  /// Puts a stage on top of the others.
  ///
  /// Its release point may not lie below the one under it either, or that one would end first.
  public mutating func append(_ stage: PressStage) throws(InconsistentValuesError) {
    guard !stages.contains(where: { $0.name == stage.name }) else {
      throw InconsistentValuesError(
        setting: "name", reason: "stage \(stage.name.debugDescription) is there twice")
    }
    if let below = stages.last { try stage.requireAbove(below) }
    stages.append(stage)
  }
}

extension PressStage {
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
        reason: "press of \(upper) (\(mine.press.brief)) must be above press of \(lower)"
          + " (\(other.press.brief))")
    }
    guard mine.release >= other.release else {
      throw InconsistentValuesError(
        setting: "release",
        reason: "release of \(upper) (\(mine.release.brief)) must not be below release of \(lower)"
          + " (\(other.release.brief))")
    }
  }
}

/// A press point and the release point below it, so that a value between them changes nothing.
public struct Threshold: Hashable, Sendable {
  /// From here on it counts as pressed.
  public let press: Double

  /// Below this it no longer does.
  public let release: Double

  /// Refuses a release point that is not below the press point, and what is no number.
  public init(press: Double, release: Double) throws(InconsistentValuesError) {
    guard release < press else {
      throw InconsistentValuesError(
        setting: "release",
        reason: "release (\(release.brief)) must be below press (\(press.brief))")
    }
    self.press = press
    self.release = release
  }

  /// For our own numbers, which the tests have checked.
  package init(knownPress press: Double, release: Double) {
    assert(release < press)
    self.press = press
    self.release = release
  }
}
