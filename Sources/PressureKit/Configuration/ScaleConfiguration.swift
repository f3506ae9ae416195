/// How a device is used as a scale.
public struct ScaleConfiguration: Hashable, Sendable {
  /// How long a reading has to stay in its range to be stable, in milliseconds.
  public var windowMilliseconds = 1000

  /// How far a reading may go within the window and still be stable, in grams.
  public var rangeGrams = 2.0

  /// What counts as nothing, in grams above or below zero.
  public var zeroGrams = 1.0

  /// How long the readings are that are averaged, in milliseconds; after that long none before counts.
  public var filterMilliseconds = 100

  /// How long a reading is held that nobody releases, in milliseconds.
  public var holdMilliseconds = 600_000

  /// Whether the reading of an empty surface is taken for zero without being asked to.
  public var autoZero = false

  public init() {}
}

extension ScaleConfiguration {
  /// The window in microseconds, within its limits.
  package var window: Int64 {
    Int64(ConfigurationLimits.scaleWindowMilliseconds.nearest(to: windowMilliseconds)) * 1000
  }

  /// The filter's length in microseconds, within its limits.
  package var filter: Int64 {
    Int64(ConfigurationLimits.scaleFilterMilliseconds.nearest(to: filterMilliseconds)) * 1000
  }

  /// How long a reading is held in microseconds.
  package var hold: Int64 {
    Int64(ConfigurationLimits.scaleHoldMilliseconds.nearest(to: holdMilliseconds)) * 1000
  }

  /// How long a reading has to be steady, so that neither window nor filter knows of anything before.
  package var patience: Int64 { max(window, filter) }

  /// Over how long the rate is taken; longer than the filter, as it is by both that it is known.
  var trend: Int64 { max(window, 2 * max(filter, 1)) }
}
