/// The range of a value within the last window.
///
///     value        ┌─┐
///       ┌─┐  ┌─────┘ └───────── ┐
///       │ └──┘                  ├ range
///     ──┘ ◀────── window ──────▶┘
///
/// Its highest and lowest value are at hand; nothing is reevaluated while time passes.
struct RecentRange {
  /// Tolerance for rounding errors of sums, in grams; far below the step of any sensor.
  private static let slack = 1e-6

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

  var lowest: Double { -depths.peaks[0].value }

  /// The highest minus the lowest value.
  var range: Double { highs.peaks[0].value - lowest }

  /// Sets the value from `time` on, which must not precede the last one.
  mutating func push(_ value: Double, at time: Timestamp) {
    highs.push(value, at: time)
    depths.push(-value, at: time)
    advance(to: time)
  }

  /// Continues with the same value until `time`.
  mutating func advance(to time: Timestamp) {
    let start = time.advanced(byMicroseconds: -window)
    highs.remove(before: start)
    depths.remove(before: start)
  }

  /// The end of the last value in the window that is too far from a later one; the minimum if there is none.
  func start(within limit: Double) -> Timestamp {
    var (high, depth) = (highs.peaks.count - 1, depths.peaks.count - 1)
    while high > 0 || depth > 0 {
      let end = max(highs.end(before: high), depths.end(before: depth))
      if highs.end(before: high) == end { high -= 1 } else { depth -= 1 }
      if highs.peaks[high].value + depths.peaks[depth].value > limit + RecentRange.slack {
        return end
      }
    }
    return Timestamp(microseconds: .min)
  }
}

/// The values that no later one has exceeded, from the highest and oldest to the newest.
///
/// Memory is allocated once; if it is full, the oldest value is taken to last as long as the next one.
struct MonotonicDeque {
  private static let capacity = 512

  /// Each with the time until which it lasted.
  private(set) var peaks: [(value: Double, end: Timestamp)] = []

  /// Starts with a value that was always set.
  init(_ value: Double) {
    peaks.reserveCapacity(MonotonicDeque.capacity)
    peaks.append((value, .never))
  }

  /// Adds a value that is set from now on.
  mutating func push(_ value: Double, at time: Timestamp) {
    peaks[peaks.count - 1].end = time
    while let last = peaks.last, last.value <= value { peaks.removeLast() }
    if peaks.count == MonotonicDeque.capacity {
      peaks[1].value = peaks[0].value
      peaks.removeFirst()
    }
    peaks.append((value, .never))
  }

  /// Removes all values but the newest that ended by a time.
  mutating func remove(before time: Timestamp) {
    var past = 0
    while past < peaks.count - 1, peaks[past].end <= time { past += 1 }
    if past > 0 { peaks.removeFirst(past) }
  }

  /// The time until which the value before one lasted; the minimum before the first.
  func end(before index: Int) -> Timestamp {
    index > 0 ? peaks[index - 1].end : Timestamp(microseconds: .min)
  }
}

/// How far readings may vary at rest, in grams.
struct RestLimits {
  /// The range of the sensor's values, or of their mean over a window.
  let range: Double

  /// The range of the sensor's values about such a mean: noise, hum and the vibration of a table; a swinging load exceeds it.
  let vibration: Double

  /// Grams per unit of the sensor, and the range of some hundred values by noise, with a margin.
  let step: Double
  let noise: Double

  init(_ rules: ScaleConfiguration, _ law: Calibration?) {
    let deviation = law?.noise ?? 0
    step = law?.step ?? 0
    noise = 8 * deviation
    range = max(rules.rangeGrams, 3 * deviation, 2 * step)
    vibration = max(6 * rules.rangeGrams, noise, 4 * step)
  }
}

/// The load over time: the sensor's values, a short mean that is shown, a long one, and how each varies.
struct LoadSignal {
  enum Rest {
    case motion
    /// The sensor's values have stayed in their range for a window.
    case quiet
    /// They have not done so for two windows, but vary by little about a long mean that does.
    case vibrating
  }

  private let rules: ScaleConfiguration
  let limits: RestLimits
  private(set) var value: Double
  private var filter: MovingMean
  private var trend: MovingMean
  private(set) var sensorRange: RecentRange
  private var filteredRange: RecentRange
  private var trendRange: RecentRange

  /// When the value changed, since when the sensor's values have stayed in their range, and when they last had for a window.
  private(set) var changedAt = Timestamp(microseconds: .min)
  private var quietSince = Timestamp(microseconds: .min)
  private var quietAt: Timestamp

  /// When the time at rest began to count.
  private var startedAt: Timestamp

  /// The state and both means at the time to which it was advanced.
  private(set) var rest = Rest.motion
  private(set) var filtered = 0.0
  private(set) var level = 0.0

  /// Starts with a value that was always set; the time at rest counts from a time on.
  init(_ rules: ScaleConfiguration, _ law: Calibration?, value: Double, at time: Timestamp) {
    (self.rules, self.value, startedAt, quietAt) = (rules, value, time, time)
    limits = RestLimits(rules, law)
    filter = MovingMean(spanMicroseconds: rules.filter, value: value)
    trend = MovingMean(spanMicroseconds: rules.trend, value: value)
    sensorRange = RecentRange(window: rules.settlingTime, value: value)
    trendRange = RecentRange(window: rules.settlingTime, value: value)
    // When a load has come to rest, the filter has followed it within the first part of the window.
    let rest = max(rules.settlingTime - rules.filter, rules.settlingTime / 8)
    filteredRange = RecentRange(window: rest, value: value)
  }

  mutating func push(_ value: Double, at time: Timestamp) {
    guard value != self.value else { return }
    self.value = value
    filter.push(value, at: time)
    trend.push(value, at: time)
    sensorRange.push(value, at: time)
    changedAt = time
  }

  /// Begins with the first frame: what was there before is unknown, so a load that rests has not moved.
  mutating func begin(with value: Double, at time: Timestamp) {
    sensorRange = RecentRange(window: rules.settlingTime, value: value)
    if value.magnitude > limits.range { startedAt = time }
    quietAt = time
  }

  /// Counts the time at rest from now on.
  mutating func restartRest(at time: Timestamp) { (startedAt, quietAt) = (time, time) }

  /// Continues with the same value until a time.
  @inline(__always)
  mutating func advance(to time: Timestamp) {
    (filtered, level) = (filter.mean(at: time), trend.mean(at: time))
    sensorRange.advance(to: time)
    filteredRange.push(filtered, at: time)
    trendRange.push(level, at: time)
    quietSince = max(startedAt, sensorRange.start(within: limits.range))
    let isVibration = trendRange.range <= limits.range && sensorRange.range <= limits.vibration
    if quietSince.advanced(byMicroseconds: rules.settlingTime) <= time {
      (rest, quietAt) = (.quiet, time)
    } else if isVibration, quietAt.advanced(byMicroseconds: 2 * rules.settlingTime) <= time {
      rest = .vibrating
    } else {
      rest = .motion
    }
  }

  /// How the mean that is shown varies at rest, and how the load does: a vibration or swing exceeds the noise of the sensor.
  var variation: (ofMean: Double, ofLoad: Double) {
    switch rest {
    case .motion: (0, 0)
    case .quiet: (filteredRange.range, filteredRange.range)
    case .vibrating: (trendRange.range, max(trendRange.range, sensorRange.range - limits.noise))
    }
  }

  /// The next time after this one at which rest or a mean may change; the maximum if there is none.
  @inline(__always)
  func deadline(after time: Timestamp) -> Timestamp {
    let rest = quietSince.advanced(byMicroseconds: rules.settlingTime)
    let short = changedAt.advanced(byMicroseconds: rules.filter)
    let long = changedAt.advanced(byMicroseconds: rules.trend)
    let mean = short > time ? short : long > time ? long : .never
    return rest > time ? min(rest, mean) : mean
  }
}

extension Timestamp {
  static let never = Timestamp(microseconds: .max)
}
