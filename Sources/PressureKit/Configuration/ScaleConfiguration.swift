/// How a device works as a scale.
public struct ScaleConfiguration: Hashable, Sendable {
  /// How long a reading must stay in its range to be stable, in milliseconds, 1…60 000.
  public var windowMilliseconds = 1000

  /// How far a stable reading may vary within the window, in grams.
  public var rangeGrams = 2.0

  /// Net readings of at most this magnitude, in grams, count as zero.
  public var zeroGrams = 1.0

  /// Length of the moving average, in milliseconds, 0…10 000; older readings have no influence.
  public var filterMilliseconds = 100

  /// How long a held reading stays if it is not released, in milliseconds, 1000…86 400 000.
  public var holdMilliseconds = 600_000

  /// Whether the reading of an empty surface becomes the zero without a request.
  public var autoZero = false

  /// Creates the default configuration.
  public init() {}
}

extension ScaleConfiguration {
  /// The window in microseconds, clamped to its limits.
  package var window: Int64 {
    Int64(ConfigurationLimits.scaleWindowMilliseconds.clamping(windowMilliseconds)) * 1000
  }

  /// The filter length in microseconds, clamped to its limits.
  package var filter: Int64 {
    Int64(ConfigurationLimits.scaleFilterMilliseconds.clamping(filterMilliseconds)) * 1000
  }

  /// The maximum hold time in microseconds, clamped to its limits.
  package var hold: Int64 {
    Int64(ConfigurationLimits.scaleHoldMilliseconds.clamping(holdMilliseconds)) * 1000
  }

  /// How long the load must be stable, in microseconds, so that window and filter contain no earlier value.
  package var settlingTime: Int64 { max(window, filter) }

  /// The span, in microseconds, of the slower of the two means whose difference gives the rate.
  var trend: Int64 { max(window, 2 * max(filter, 1)) }
}
