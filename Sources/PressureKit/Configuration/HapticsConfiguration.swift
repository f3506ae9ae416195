/// What a device with a motor lets the finger feel.
public struct HapticsConfiguration: Hashable, Sendable {
  public var enabled = false

  /// Strength of a pulse, 0…100.
  public var intensityPercent = 60

  /// Pulses in a second at most, 1…100.
  public var pulsesPerSecond = 10

  /// The stages of a press that give a pulse when they are reached; the maximum always does.
  public var stages: [String] = []

  public init() {}
}
