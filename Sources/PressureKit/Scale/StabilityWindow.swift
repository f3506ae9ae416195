/// Knows since when a value has stayed within a range of its own.
///
///     value        ┌─┐
///       ┌─┐  ┌─────┘ └───────── ┐
///       │ └──┘                  ├ range
///     ──┘      ◀──── steady ───▶┘
///
/// The span begins where the last value ended that is too far from a later one. So nothing has to be
/// looked at again while time passes: a value is stable once its span is as long as the window.
struct StabilityWindow {
  /// What sums of rounded numbers may be wrong by, in grams; far below any sensor's step.
  private static let slack = 1e-6

  private let range: Double
  private var highs: MonotonicDeque

  /// The lows, as highs of the negative values.
  private var depths: MonotonicDeque

  private(set) var value: Double

  /// Since when it has been steady; the beginning of time where it always has.
  private(set) var since = Timestamp(microseconds: .min)

  init(range: Double, value: Double) {
    self.range = range + StabilityWindow.slack
    self.value = value
    highs = MonotonicDeque(value)
    depths = MonotonicDeque(-value)
  }

  /// The value is another one from now on; time never runs backwards.
  mutating func push(_ value: Double, at time: Timestamp) {
    self.value = value
    shorten(to: highs.push(value, at: time))
    shorten(to: depths.push(-value, at: time))
    shorten(to: highs.remove(above: value + range))
    shorten(to: depths.remove(above: -value + range))
  }

  /// Begins anew: nothing is known from before.
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
/// Memory is bounded and made once; where it does not suffice the oldest goes, and is said to.
struct MonotonicDeque {
  private struct Peak {
    var value = 0.0

    /// Until when it stood.
    var end = Timestamp(microseconds: .max)
  }

  private static let capacity = 512

  private var ring = [Peak](repeating: Peak(), count: capacity)
  private var first = 0
  private var count = 1

  /// Begins with a value that has always stood.
  init(_ value: Double) {
    restart(with: value)
  }

  mutating func restart(with value: Double) {
    (first, count) = (0, 1)
    ring[0] = Peak(value: value)
  }

  /// Takes a value that stands from now on.
  ///
  /// - Returns: until when the oldest stood, where it had to be forgotten.
  mutating func push(_ value: Double, at time: Timestamp) -> Timestamp? {
    ring[ringIndex(count - 1)].end = time
    while count > 0, ring[ringIndex(count - 1)].value <= value { count -= 1 }
    let lost = count == MonotonicDeque.capacity ? removeFirst() : nil
    ring[ringIndex(count)] = Peak(value: value)
    count += 1
    return lost
  }

  /// Removes all above a limit that the newest does not exceed; gives until when the last of them stood.
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
