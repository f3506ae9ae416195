/// How far readings may vary at rest, in grams.
struct RestLimits {
  /// The range of the sensor's values, or of their mean over a window.
  let range: Double

  /// The range of the sensor's values about such a mean: noise, hum and vibration.
  let vibration: Double

  /// Grams per unit of the sensor, and the standard deviation of its values.
  let step: Double
  let noise: Double

  /// The scale's division: 0.1 g as on the wire, or a unit of the sensor if that is larger.
  var division: Double { max(step, 0.1) }

  /// A range of this many configured ones is the vibration of a table; a swinging load exceeds it.
  private static let vibrationFactor = 6.0

  init(_ rules: ScaleConfiguration, on surface: Surface) {
    let resolution = surface.calibration?.resolution(on: surface.pressure)
    (step, noise) = (resolution?.step ?? 0, resolution?.noise ?? 0)
    range = max(rules.rangeGrams, 3 * noise, 2 * step)
    vibration = max(RestLimits.vibrationFactor * rules.rangeGrams, 8 * noise, 4 * step)
  }
}

/// The recent ranges of the sensor's values and of their means.
struct Ranges {
  var sensor: RecentRange
  var filtered: RecentRange
  var trend: RecentRange

  init(_ rules: ScaleConfiguration, value: Double) {
    sensor = RecentRange(window: rules.settlingTime, value: value)
    trend = RecentRange(window: rules.settlingTime, value: value)
    // When a load has come to rest, the filter has followed it within the first part of the window.
    filtered = RecentRange(
      window: rules.settlingTime, omitting: max(rules.filter, 1), value: value)
  }

  mutating func update(filtered value: Double, trend level: Double, at time: Timestamp) {
    sensor.advance(to: time)
    filtered.push(value, at: time)
    trend.push(level, at: time)
  }

  mutating func restart(with value: Double) {
    sensor.restart(with: value)
    filtered.restart(with: value)
    trend.restart(with: value)
  }
}
