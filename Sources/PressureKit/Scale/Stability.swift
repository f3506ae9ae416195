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

  private mutating func removeFirst() -> Timestamp {
    defer {
      first = ringIndex(1)
      count -= 1
    }
    return ring[first].end
  }

  private func ringIndex(_ index: Int) -> Int { (first + index) % MonotonicDeque.capacity }
}

/// The range of a value within the last window, in blocks of an eighth of it.
///
///     value   ┌─┐    ┌──┐
///        ┌─┐  │ └──┐ │  │ ─ highest
///       ─┘ └──┘    └─┘  └ ─ lowest
///        ├──┼──┼──┼──┼──┤ blocks
///
/// The window is therefore up to an eighth longer. Unlike `StabilityWindow`, a range is known before the value is stable.
struct RecentRange {
  private struct Block {
    var low: Double
    var high: Double
  }

  private static let blocksPerWindow = 8

  private let length: Double
  private var blocks: [Block]
  private var current = 0
  private var value: Double

  /// When the current block ends, in microseconds.
  private var end = -Double.infinity

  /// The range of all blocks but the current one.
  private var closed: Block

  /// Tracks a value over a window without a part at its beginning, both in microseconds; `value` is that before.
  init(window: Int64, omitting omitted: Int64 = 0, value: Double) {
    length = Double(max(window, 1)) / Double(RecentRange.blocksPerWindow)
    let used = Double(window - omitted) / length
    let count = omitted > 0 ? max(1, Int(used.rounded(.down))) : RecentRange.blocksPerWindow + 1
    self.value = value
    closed = Block(low: value, high: value)
    blocks = Array(repeating: closed, count: min(count, RecentRange.blocksPerWindow + 1))
  }

  /// The highest minus the lowest value.
  var range: Double {
    max(closed.high, blocks[current].high) - min(closed.low, blocks[current].low)
  }

  /// Sets the value from `time` on.
  @inline(__always)
  mutating func push(_ value: Double, at time: Timestamp) {
    advance(to: time)
    self.value = value
    if value < blocks[current].low { blocks[current].low = value }
    if value > blocks[current].high { blocks[current].high = value }
  }

  /// Continues with the same value until `time`.
  @inline(__always)
  mutating func advance(to time: Timestamp) {
    if Double(time.microseconds) >= end { beginBlocks(at: Double(time.microseconds)) }
  }

  @inline(never)
  private mutating func beginBlocks(at now: Double) {
    let passed = end.isFinite ? ((now - end) / length).rounded(.down) + 1 : .infinity
    for _ in 0..<Int(min(passed, Double(blocks.count))) {
      current = (current + 1) % blocks.count
      blocks[current] = Block(low: value, high: value)
    }
    end = passed.isFinite ? end + passed * length : now + length
    closed = Block(low: value, high: value)
    for index in blocks.indices where index != current {
      closed.low = min(closed.low, blocks[index].low)
      closed.high = max(closed.high, blocks[index].high)
    }
  }

  mutating func restart(with value: Double) {
    self.value = value
    closed = Block(low: value, high: value)
    for index in blocks.indices { blocks[index] = closed }
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
    filtered = RecentRange(window: rules.settlingTime, omitting: max(rules.filter, 1), value: value)
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
