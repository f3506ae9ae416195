/// The time-weighted mean of a value over a fixed span.
///
///     value      ┌──┐
///            ┌───┘  └──────────┐
///       ─────┘                 └────
///              └───── span ─────┘
///
/// Once a value has been constant for the whole span, the mean equals it: older values have no influence, unlike in an
/// exponential filter, so the delay is bounded. Memory is allocated once: changes that follow each other within one grain
/// are merged.
struct MovingMean {
  /// Grains per span.
  ///
  /// Two adjacent knots are at least one grain apart or have one between them that is, so twice as many suffice.
  private static let grains = 128.0

  private static let capacity = 260

  /// Microseconds.
  private let span: Double

  /// The changes of the value, the oldest first, and the area under it until then.
  private var knots: [(time: Double, area: Double)] = []
  private var value: Double

  init(spanMicroseconds: Int64, value: Double) {
    span = Double(spanMicroseconds)
    self.value = value
    knots.reserveCapacity(MovingMean.capacity)
  }

  /// Sets the value from `time` on.
  mutating func push(_ value: Double, at time: Timestamp) {
    let now = Double(time.microseconds)
    // Before the first change the value was always the same.
    if knots.isEmpty { knots.append((now - span, 0)) }
    let last = knots[knots.count - 1]
    let area = last.area + self.value * (now - last.time)
    let past = index(before: now - span)
    if past > 0 { knots.removeFirst(past) }
    let count = knots.count
    let isNear = count > 1 && now - knots[count - 2].time < span / MovingMean.grains
    if isNear || count == MovingMean.capacity { knots.removeLast() }
    knots.append((now, area))
    self.value = value
  }

  /// The last knot that is not after a time.
  private func index(before time: Double) -> Int {
    var next = 1
    while next < knots.count, knots[next].time <= time { next += 1 }
    return next - 1
  }

  /// The mean of the span that ends at `time`, which must not precede the last value.
  func mean(at time: Timestamp) -> Double {
    let now = Double(time.microseconds)
    let start = now - span
    // A value that is constant for the whole span is the exact mean.
    guard let last = knots.last, last.time > start else { return value }
    let index = index(before: start)
    let (low, high) = (knots[index], knots[index + 1])
    let past = (high.area - low.area) * (start - low.time) / (high.time - low.time)
    return (last.area + value * (now - last.time) - low.area - past) / span
  }
}
