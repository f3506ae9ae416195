/// How presses (force gestures) are recognized.
public struct PressConfiguration: Hashable, Sendable {
  /// On which devices a press is simulated by resting a finger.
  public enum Simulation: String, CaseIterable, Sendable {
    /// On devices without usable pressure.
    case auto
    /// On no device.
    case never
    /// On every device, with or without pressure.
    case always
  }

  /// The stages for devices whose grams are estimated or unavailable.
  ///
  /// By default `light` from 0.3 of the effective maximum, left below 0.25, and `deep` from 0.7, left below 0.6.
  public var stages = StageLadder(known: [
    PressStage(name: "light", threshold: Threshold(knownPress: 0.3, release: 0.25), unit: .ratio),
    PressStage(name: "deep", threshold: Threshold(knownPress: 0.7, release: 0.6), unit: .ratio),
  ])

  /// The stages for devices that state units per gram; if empty, `stages` applies to them too.
  ///
  /// By default `light` from 200 g, left below 150 g, and `deep` from 400 g, left below 360 g. A finger reaches both, as the effective
  /// maximum of such devices is at most `PressureAxis.reachableGrams`.
  public var gramStages = StageLadder(known: [
    PressStage(name: "light", threshold: Threshold(knownPress: 200, release: 150), unit: .grams),
    PressStage(name: "deep", threshold: Threshold(knownPress: 400, release: 360), unit: .grams),
  ])

  /// Maps a measured ratio before it is compared with stages in ratios or in units of force.
  public var curve = ResponseCurve()

  /// The number of fingers that must press.
  public var fingers = Fingers.any

  /// The devices on which presses are simulated.
  public var simulation = Simulation.auto

  /// How long a finger must rest before a simulated press starts, in milliseconds, 0…60 000.
  public var holdMilliseconds = 300

  /// How far the finger may move while it rests, in millimeters, 0…1000.
  public var moveToleranceMillimeters = 3.0

  /// When a press begins and ends, beyond the points of its stages.
  public var rules = PressRules()

  /// How far the finger may move on a surface without a resolution, as a fraction of its width.
  public static let moveToleranceOfWidth = 0.03

  /// Creates the default configuration.
  public init() {}

  /// `holdMilliseconds` in microseconds, clamped to its limits.
  package var hold: Int64 {
    Int64(ConfigurationLimits.holdMilliseconds.clamping(holdMilliseconds)) * 1000
  }

  /// The stages for a device, depending on whether it states units per gram.
  package func stages(gramsAreTrue: Bool) -> StageLadder {
    gramsAreTrue && !gramStages.stages.isEmpty ? gramStages : stages
  }
}

extension PressConfiguration.Simulation {
  /// Whether presses are simulated on a device with the given capability.
  package func applies(to capability: Surface.Capability) -> Bool {
    switch (self, capability) {
    case (.always, _), (.auto, .none), (.auto, .broken): true
    case (.auto, .force), (.auto, .size), (.never, _): false
    }
  }
}

/// The number of fingers that a gesture requires.
public enum Fingers: Hashable, Sendable {
  /// Any number.
  case any
  /// Exactly this number, 1…10; more fingers fail the gesture.
  case exactly(Int)

  /// Whether a number of fingers makes the gesture.
  package func allows(_ count: Int) -> Bool {
    switch self {
    case .any: true
    case .exactly(let wanted): count == wanted
    }
  }

  /// Whether there are too many fingers, so that waiting for more cannot help.
  func isExceeded(by count: Int) -> Bool {
    switch self {
    case .any: false
    case .exactly(let wanted): count > wanted
    }
  }
}
