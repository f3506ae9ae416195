/// Tracks since when a value has stayed within a range.
///
///     value        ┌─┐
///       ┌─┐  ┌─────┘ └───────── ┐
///       │ └──┘                  ├ range
///     ──┘      ◀──── stable ───▶┘
///
/// The span begins where the last value ended that is too far from a later one. Nothing is reevaluated while time
/// passes: a value is stable once its span is as long as the window.
struct StabilityWindow {
  /// Tolerance for rounding errors of sums, in grams; far below the step of any sensor.
  private static let slack = 1e-6

  private let range: Double
  private var highs: MonotonicDeque

  /// The minima, as maxima of the negated values.
  private var depths: MonotonicDeque

  private(set) var value: Double

  /// The time since which the value has been stable; the minimum if it always was.
  private(set) var since = Timestamp(microseconds: .min)

  init(range: Double, value: Double) {
    self.range = range + StabilityWindow.slack
    self.value = value
    highs = MonotonicDeque(value)
    depths = MonotonicDeque(-value)
  }

  /// Sets the value from `time` on, which must not precede the last one.
  mutating func push(_ value: Double, at time: Timestamp) {
    self.value = value
    shorten(to: highs.push(value, at: time))
    shorten(to: depths.push(-value, at: time))
    shorten(to: highs.remove(above: value + range))
    shorten(to: depths.remove(above: -value + range))
  }

  mutating func restart(with value: Double, at time: Timestamp) {
    highs.restart(with: value)
    depths.restart(with: -value)
    (self.value, since) = (value, time)
  }

  private mutating func shorten(to end: Timestamp?) {
    if let end { since = max(since, end) }
  }
}

/// The values that no later one has exceeded, from the highest and oldest to the newest.
///
/// Memory is allocated once; if it is full, the oldest value is dropped and its end returned.
struct MonotonicDeque {
  private struct Peak {
    var value = 0.0

    /// The time until which the value lasted.
    var end = Timestamp(microseconds: .max)
  }

  private static let capacity = 512

  private var ring = [Peak](repeating: Peak(), count: capacity)
  private var first = 0
  private var count = 1

  /// Starts with a value that was always set.
  init(_ value: Double) {
    restart(with: value)
  }

  mutating func restart(with value: Double) {
    (first, count) = (0, 1)
    ring[0] = Peak(value: value)
  }

  /// Adds a value that is set from now on; returns the end of the oldest value, if it had to be dropped.
  mutating func push(_ value: Double, at time: Timestamp) -> Timestamp? {
    ring[ringIndex(count - 1)].end = time
    while count > 0, ring[ringIndex(count - 1)].value <= value { count -= 1 }
    let lost = count == MonotonicDeque.capacity ? removeFirst() : nil
    ring[ringIndex(count)] = Peak(value: value)
    count += 1
    return lost
  }

  /// Removes all values above a limit that the newest does not exceed; returns the end of the last of them.
  mutating func remove(above limit: Double) -> Timestamp? {
    var end: Timestamp?
    while count > 1, ring[first].value > limit { end = removeFirst() }
    return end
  }

  /// Removes all values but the newest that ended by a time.
  mutating func remove(before time: Timestamp) {
    while count > 1, ring[first].end <= time { _ = removeFirst() }
  }

  var greatest: Double { ring[first].value }

  private mutating func removeFirst() -> Timestamp {
    defer {
      first = ringIndex(1)
      count -= 1
    }
    return ring[first].end
  }

  private func ringIndex(_ index: Int) -> Int { (first + index) % MonotonicDeque.capacity }
}

/// The range of a value within the last window; unlike that of a `StabilityWindow`, it is known before the value is stable.
struct RecentRange {
  private let window: Int64
  private var highs: MonotonicDeque

  /// The minima, as maxima of the negated values.
  private var depths: MonotonicDeque

  /// Tracks a value over a window in microseconds; `value` is that before.
  init(window: Int64, value: Double) {
    self.window = window
    highs = MonotonicDeque(value)
    depths = MonotonicDeque(-value)
  }

  /// The highest minus the lowest value.
  var range: Double { highs.greatest + depths.greatest }

  /// Sets the value from `time` on.
  mutating func push(_ value: Double, at time: Timestamp) {
    _ = highs.push(value, at: time)
    _ = depths.push(-value, at: time)
    advance(to: time)
  }

  /// Continues with the same value until `time`.
  mutating func advance(to time: Timestamp) {
    let start = time.advanced(byMicroseconds: -window)
    highs.remove(before: start)
    depths.remove(before: start)
  }

  mutating func restart(with value: Double) {
    highs.restart(with: value)
    depths.restart(with: -value)
  }
}

/// How far readings may vary at rest, in grams.
struct RestLimits {
  /// The range of the sensor's values, or of their mean over a window.
  let range: Double

  /// The range of the sensor's values about such a mean: noise, hum and vibration.
  let vibration: Double

  /// Grams per unit of the sensor, and the standard deviation of its values.
  let step: Double
  let noise: Double

  /// A range of this many configured ones is the vibration of a table; a swinging load exceeds it.
  private static let vibrationFactor = 6.0

  /// The range of some hundred values, and a margin, in standard deviations.
  static let noiseFactor = 8.0

  init(_ rules: ScaleConfiguration, step: Double, noise: Double) {
    (self.step, self.noise) = (step, noise)
    range = max(rules.rangeGrams, 3 * noise, 2 * step)
    let ofNoise = RestLimits.noiseFactor * noise
    vibration = max(RestLimits.vibrationFactor * rules.rangeGrams, ofNoise, 4 * step)
  }
}

/// The load over time: the sensor's values, a short mean that is shown, a long one, and how each varies.
///
/// The load is at rest if the sensor's values stay in their range for a window, or if they vary by little about a long mean
/// that does so.
struct LoadSignal {
  private let rules: ScaleConfiguration
  let limits: RestLimits
  private(set) var stability: StabilityWindow
  private(set) var filter: MovingMean
  private(set) var trend: MovingMean
  private(set) var sensorRange: RecentRange
  private var filteredRange: RecentRange
  private var trendRange: RecentRange

  /// The last time at which the sensor's values stayed in their range, or at which a load was added.
  private var quietAt = Timestamp(microseconds: .min)
  private var changedAt = Timestamp(microseconds: .min)

  init(_ rules: ScaleConfiguration, on surface: Surface, value: Double) {
    self.rules = rules
    let (step, noise) = surface.calibration?.resolution(on: surface.pressure) ?? (0, 0)
    limits = RestLimits(rules, step: step, noise: noise)
    stability = StabilityWindow(range: limits.range, value: value)
    filter = MovingMean(spanMicroseconds: rules.filter, value: value)
    trend = MovingMean(spanMicroseconds: rules.trend, value: value)
    sensorRange = RecentRange(window: rules.settlingTime, value: value)
    trendRange = RecentRange(window: rules.settlingTime, value: value)
    // When a load has come to rest, the filter has followed it within the first part of the window.
    let rest = max(rules.settlingTime - rules.filter, rules.settlingTime / 8)
    filteredRange = RecentRange(window: rest, value: value)
  }

  var value: Double { stability.value }

  mutating func push(_ value: Double, at time: Timestamp) {
    guard value != stability.value else { return }
    stability.push(value, at: time)
    filter.push(value, at: time)
    trend.push(value, at: time)
    sensorRange.push(value, at: time)
    changedAt = time
  }

  /// Begins with the first frame: what was there before is unknown, so a load that rests has not moved.
  mutating func begin(with value: Double, at time: Timestamp) {
    sensorRange.restart(with: value)
    quietAt = time
  }

  /// Counts the time at rest from now on.
  mutating func restartRest(with value: Double, at time: Timestamp) {
    stability.restart(with: value, at: time)
    quietAt = time
  }

  mutating func restart(with value: Double, at time: Timestamp) {
    stability.restart(with: value, at: time)
    filter.restart(with: value)
    trend.restart(with: value)
    sensorRange.restart(with: value)
    filteredRange.restart(with: value)
    trendRange.restart(with: value)
    quietAt = time
  }

  /// The means until a time, and how they vary.
  @inline(__always)
  mutating func means(at time: Timestamp) -> (filtered: Double, trend: Double) {
    let means = (filter.mean(at: time), trend.mean(at: time))
    sensorRange.advance(to: time)
    filteredRange.push(means.0, at: time)
    trendRange.push(means.1, at: time)
    if isQuiet(at: time) { quietAt = time }
    return means
  }

  /// Whether the sensor has sent the same value for half of a window.
  func isConstant(at time: Timestamp) -> Bool {
    changedAt.advanced(byMicroseconds: rules.settlingTime / 2) <= time
  }

  func isAtRest(at time: Timestamp) -> Bool { isQuiet(at: time) || isVibrating(at: time) }

  /// Whether the sensor's values stay in their range.
  @inline(__always)
  func isQuiet(at time: Timestamp) -> Bool {
    stability.since.advanced(byMicroseconds: rules.settlingTime) <= time
  }

  /// Whether they have not done so for two windows, but vary by little about a mean that does.
  @inline(__always)
  func isVibrating(at time: Timestamp) -> Bool {
    !isQuiet(at: time) && trendRange.range <= limits.range && sensorRange.range <= limits.vibration
      && quietAt.advanced(byMicroseconds: 2 * rules.settlingTime) <= time
  }

  /// How the mean that is shown varies at rest, and how the load does: a vibration or swing exceeds the noise of the sensor.
  @inline(__always)
  func variation(isVibrating: Bool) -> (ofMean: Double, ofLoad: Double) {
    guard isVibrating else { return (filteredRange.range, filteredRange.range) }
    let range = trendRange.range
    return (range, max(range, sensorRange.range - RestLimits.noiseFactor * limits.noise))
  }

  /// The next time after this one at which rest or a mean may change; the maximum if there is none.
  @inline(__always)
  func deadline(after time: Timestamp) -> Timestamp {
    let ends = (
      stability.since.advanced(byMicroseconds: rules.settlingTime),
      changedAt.advanced(byMicroseconds: rules.filter),
      changedAt.advanced(byMicroseconds: rules.trend)
    )
    return min(
      ends.0 > time ? ends.0 : .never, ends.1 > time ? ends.1 : .never,
      ends.2 > time ? ends.2 : .never)
  }
}

extension Timestamp {
  static let never = Timestamp(microseconds: .max)
}
