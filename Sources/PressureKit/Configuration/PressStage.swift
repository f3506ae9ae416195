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
