import PressureTestSupport
import Testing

@testable import PressureKit

struct RecentRangeTests {
  private func time(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }

  @Test func `a value that never changed was always within the limit`() {
    #expect(RecentRange(window: 100, value: 0).start(within: 2) == time(.min))
  }

  @Test func `the span begins at the end of the last value out of range`() {
    var range = RecentRange(window: 100, value: 0)
    for (value, at, start) in [
      (77.0, 10, 10), (78, 20, 10), (79, 30, 10), (79.5, 40, 20), (77.6, 50, 20), (81.5, 60, 60),
      (81.5, 70, 60), (0, 80, 80),
    ] as [(Double, Int64, Int64)] {
      range.push(value, at: time(at))
      #expect(range.start(within: 2) == time(start), "after \(value)")
    }
    range.advance(to: time(179))
    #expect(range.range == 81.5)
    range.advance(to: time(180))
    #expect(range.range == 0 && range.start(within: 2) == time(.min))
  }

  @Test func `the limits of the range are inside`() {
    var range = RecentRange(window: 100, value: 0.1)
    range.push(0.1 + 0.2 + 0.1, at: time(10))
    #expect(range.start(within: 0.3) == time(.min))
  }

  /// Compared with a search through all values, over random walks with several step sizes.
  @Test(arguments: 1...200)
  func `the result equals a search through all values`(seed: UInt64) {
    var random = TinyRandom(seed: seed)
    let pace = [0.1, 0.5, 2, 8][Int(seed % 4)]
    var range = RecentRange(window: 300_000, value: 0)
    var past: [(value: Double, start: Int64)] = [(0, .min)]
    var now: Int64 = 0
    for _ in 0..<300 {
      now += Int64(1 + random.below(20_000))
      let step = ((random.fraction - 0.5) * pace * 10).rounded() / 10
      past.append((past[past.count - 1].value + step, now))
      range.push(past[past.count - 1].value, at: time(now))
      #expect(range.start(within: 2) == time(start(of: past, since: now - 300_000)))
    }
  }

  /// The end of the last value of the window that is more than 2 g from a later one.
  private func start(of past: [(value: Double, start: Int64)], since window: Int64) -> Int64 {
    var (low, high) = (Double.infinity, -Double.infinity)
    var end = Int64.max
    for (value, start) in past.reversed() where end > window {
      (low, high) = (min(low, value), max(high, value))
      if high - low > 2.000_001 { return end }
      end = start
    }
    return .min
  }

  @Test func `if memory is short, the oldest value counts for longer`() {
    var range = RecentRange(window: 100_000, value: 0)
    for index in 0..<5000 { range.push(-Double(index) / 100, at: time(Int64(index))) }
    #expect(range.range == 49.99)
    #expect(range.start(within: 40) > time(999))
    #expect(range.start(within: 1) == time(4899))
  }
}
