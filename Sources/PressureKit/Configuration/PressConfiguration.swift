/// How a force gesture is recognized.
public struct PressConfiguration: Hashable, Sendable {
  /// Where the press is made up from the time that a finger rests.
  public enum Simulation: String, CaseIterable, Sendable {
    /// On devices without pressure.
    case auto
    /// Nowhere.
    case never
    /// On every device, with pressure or without.
    case always
  }

  /// The stages where grams are estimated, or not known.
  public var stages = StageLadder(known: [
    PressStage(name: "light", threshold: Threshold(knownPress: 0.3, release: 0.25), unit: .ratio),
    PressStage(name: "deep", threshold: Threshold(knownPress: 0.7, release: 0.6), unit: .ratio),
  ])

  /// The stages used instead where grams are true, unless there are none here.
  public var gramStages = StageLadder(known: [
    PressStage(name: "light", threshold: Threshold(knownPress: 200, release: 180), unit: .grams),
    PressStage(name: "deep", threshold: Threshold(knownPress: 400, release: 360), unit: .grams),
  ])

  /// How a measured ratio counts towards stages in ratios or in units of force.
  public var curve = ResponseCurve()

  public var fingers = Fingers.any
  public var simulation = Simulation.auto

  /// How long a finger rests before a simulated press begins, in milliseconds.
  public var holdMilliseconds = 300

  /// How far it may stray meanwhile, in millimeters.
  public var moveToleranceMillimeters = 3.0

  /// How far it may stray where millimeters are unknown, as a part of the surface's width.
  public static let moveToleranceOfWidth = 0.03

  public init() {}

  /// How long a finger rests before a simulated press begins, in microseconds, within its limits.
  package var hold: Int64 {
    Int64(ConfigurationLimits.holdMilliseconds.nearest(to: holdMilliseconds)) * 1000
  }

  /// The stages for a device, by whether its grams are true.
  public func stages(gramsAreTrue: Bool) -> StageLadder {
    gramsAreTrue && !gramStages.stages.isEmpty ? gramStages : stages
  }
}

extension PressConfiguration.Simulation {
  /// Whether the press is made up on a device that can do so much.
  package func serves(_ capability: Surface.Capability) -> Bool {
    switch (self, capability) {
    case (.always, _), (.auto, .none), (.auto, .broken): true
    case (.auto, .force), (.auto, .size), (.never, _): false
    }
  }
}

/// With how many fingers a gesture is made.
public enum Fingers: Hashable, Sendable {
  /// Any number will do.
  case any
  /// This number, 1…10, and another one fails the gesture.
  case exactly(Int)

  /// Whether so many fingers make the gesture.
  public func allows(_ count: Int) -> Bool {
    switch self {
    case .any: true
    case .exactly(let wanted): count == wanted
    }
  }

  /// Whether so many fingers are too many, so that waiting for others would not help.
  func isExceeded(by count: Int) -> Bool {
    switch self {
    case .any: false
    case .exactly(let wanted): count > wanted
    }
  }
}
