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
  /// A change of the value, and the area under it until then.
  private struct Knot {
    var time = 0.0
    var area = 0.0
  }

  /// Grains per span.
  ///
  /// Two adjacent knots are at least one grain apart or have one between them that is, so twice as many suffice.
  private static let grains = 128.0

  private static let capacity = 260

  /// Microseconds.
  private let span: Double

  private var knots = [Knot](repeating: Knot(), count: capacity)
  private var first = 0
  private var count = 0
  private var value: Double

  init(spanMicroseconds: Int64, value: Double) {
    span = Double(spanMicroseconds)
    self.value = value
  }

  /// Sets the value from `time` on.
  mutating func push(_ value: Double, at time: Timestamp) {
    let now = Double(time.microseconds)
    // Before the first change the value was always the same.
    if count == 0 { append(Knot(time: now - span, area: 0)) }
    let last = knots[ringIndex(count - 1)]
    let knot = Knot(time: now, area: last.area + self.value * (now - last.time))
    while count > 1, knots[ringIndex(1)].time <= now - span {
      first = ringIndex(1)
      count -= 1
    }
    let isNear = count > 1 && now - knots[ringIndex(count - 2)].time < span / MovingMean.grains
    if isNear || count == MovingMean.capacity { count -= 1 }
    append(knot)
    self.value = value
  }

  /// The mean of the span that ends at `time`, which must not precede the last value.
  func mean(at time: Timestamp) -> Double {
    let now = Double(time.microseconds)
    let start = now - span
    let last = knots[ringIndex(count - 1 + MovingMean.capacity)]
    // A value that is constant for the whole span is the exact mean.
    guard count > 0, last.time > start else { return value }
    var index = 0
    while knots[ringIndex(index + 1)].time <= start { index += 1 }
    let (low, high) = (knots[ringIndex(index)], knots[ringIndex(index + 1)])
    let past = (high.area - low.area) * (start - low.time) / (high.time - low.time)
    return (last.area + value * (now - last.time) - low.area - past) / span
  }

  /// Removes all history, as if the value had always been this one.
  mutating func restart(with value: Double) { (self.value, count) = (value, 0) }

  private mutating func append(_ knot: Knot) {
    knots[ringIndex(count)] = knot
    count += 1
  }

  private func ringIndex(_ index: Int) -> Int { (first + index) % MovingMean.capacity }
}
