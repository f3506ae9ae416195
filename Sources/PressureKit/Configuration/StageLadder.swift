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
