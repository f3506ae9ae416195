import PressureTestSupport
import Testing

@testable import PressureKit

struct MovingMeanTests {
  private func time(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }

  @Test func `values are weighted by their duration`() {
    var mean = MovingMean(spanMicroseconds: 100, value: 0)
    mean.push(10, at: time(1000))
    #expect(mean.mean(at: time(1000)) == 0)
    #expect(mean.mean(at: time(1025)) == 2.5)
    mean.push(20, at: time(1050))
    #expect(mean.mean(at: time(1100)) == 15)
    #expect(mean.mean(at: time(1125)) == 17.5)
    #expect(mean.mean(at: time(1150)) == 20)
  }

  @Test func `without a span the mean is the current value`() {
    var mean = MovingMean(spanMicroseconds: 0, value: 0)
    mean.push(10, at: time(1000))
    #expect(mean.mean(at: time(1000)) == 10)
  }

  @Test func `a value that lasts for the span is the exact mean`() {
    var random = TinyRandom(seed: 1)
    var mean = MovingMean(spanMicroseconds: 100_000, value: 0)
    for index in 0..<10_000 { mean.push(random.fraction * 500, at: time(Int64(index) * 1000)) }
    mean.push(77.1, at: time(10_000_000))
    #expect(mean.mean(at: time(10_099_999)) != 77.1)
    #expect(mean.mean(at: time(10_100_000)) == 77.1)
  }

  /// Ten thousand readings in a span are merged into some hundred.
  @Test func `merging frequent readings costs negligible precision`() {
    var mean = MovingMean(spanMicroseconds: 1_000_000, value: 0)
    for index in 0..<30_000 { mean.push(Double(index) / 100, at: time(Int64(index) * 100)) }
    #expect(abs(mean.mean(at: time(3_000_000)) - 249.995) < 0.05)
  }

  @Test func `any time may be the first`() {
    for moment in [Int64.min, -1, 0, .max] {
      var mean = MovingMean(spanMicroseconds: 100, value: 0)
      mean.push(10, at: time(moment))
      #expect(mean.mean(at: time(moment)).isFinite)
    }
  }
}
