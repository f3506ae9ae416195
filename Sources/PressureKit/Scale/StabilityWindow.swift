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

  /// Starts over without history.
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

  /// Adds a value that is set from now on.
  ///
  /// - Returns: the end of the oldest value, if it had to be dropped.
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
