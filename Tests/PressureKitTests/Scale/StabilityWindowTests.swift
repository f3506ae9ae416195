import PressureTestSupport
import Testing

@testable import PressureKit

struct SteadySpanTests {
  private func time(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }

  @Test func `a value that never changed was always stable`() {
    #expect(StabilityWindow(range: 2, value: 0).since == time(.min))
  }

  @Test func `the span begins at the end of the last value out of range`() {
    var span = StabilityWindow(range: 2, value: 0)
    for (value, at, since) in [
      (77.0, 10, 10), (78, 20, 10), (79, 30, 10), (79.5, 40, 20), (77.6, 50, 20), (81.5, 60, 60),
      (81.5, 70, 60), (0, 80, 80),
    ] as [(Double, Int64, Int64)] {
      span.push(value, at: time(at))
      #expect(span.since == time(since), "after \(value)")
    }
  }

  @Test func `the limits of the range are inside`() {
    var span = StabilityWindow(range: 0.3, value: 0.1)
    span.push(0.1 + 0.2 + 0.1, at: time(10))
    #expect(span.since == time(.min))
  }

  /// Compared with a search through all values, over random walks with several step sizes.
  @Test(arguments: 1...200)
  func `the result equals a search through all values`(seed: UInt64) {
    var random = TinyRandom(seed: seed)
    let pace = [0.1, 0.5, 2, 8][Int(seed % 4)]
    var span = StabilityWindow(range: 2, value: 0)
    var past: [(value: Double, start: Int64)] = [(0, .min)]
    var now: Int64 = 0
    for _ in 0..<300 {
      now += Int64(1 + random.below(20_000))
      let step = ((random.fraction - 0.5) * pace * 10).rounded() / 10
      past.append((past[past.count - 1].value + step, now))
      span.push(past[past.count - 1].value, at: time(now))
      #expect(span.since == time(start(of: past)))
    }
  }

  /// The start of the longest recent span that stays within 2 g.
  private func start(of past: [(value: Double, start: Int64)]) -> Int64 {
    var (low, high) = (Double.infinity, -Double.infinity)
    var start = Int64.max
    for (value, began) in past.reversed() {
      (low, high) = (min(low, value), max(high, value))
      if high - low > 2.000_001 { break }
      start = began
    }
    return start
  }

  @Test func `if memory is short, the span is underestimated`() {
    var span = StabilityWindow(range: 1000, value: 0)
    for index in 0..<5000 { span.push(-Double(index) / 100, at: time(Int64(index))) }
    #expect(span.since > time(.min))
    #expect(span.since < time(4999))
    span.push(-2000, at: time(6000))
    #expect(span.since == time(6000))
  }
}
