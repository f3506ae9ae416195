internal import PressureKit

/// Tells which of a scale's lines are readings of their own, as the daemon counts them.
struct StableReadings {
  /// How far, in grams, a reading that stays at rest has to creep to be another one.
  private static let range = 2.0

  /// The last ones, the newest first.
  private(set) var history: [Double] = []

  private var current: Double?

  /// Takes what a scale says; true where that is a reading that was not there before.
  mutating func take(_ scale: ReceivedScale) -> Bool {
    guard !scale.isHeld else { return false }
    guard scale.isStableReading, let grams = scale.grams else {
      current = nil
      return false
    }
    if let current, (grams - current).magnitude <= StableReadings.range { return false }
    current = grams
    history = [grams] + history.prefix(ScaleMemory.historyLength - 1)
    return true
  }
}
