import PressureDevices
import PressureKit
import Testing

struct PulseLimitTests {
  /// The moments in seconds at which a pulse is admitted, after `first` at the same time.
  private func admitted(after first: Int, at start: Double, of moments: [Double]) -> [Double] {
    var limit = PulseLimit()
    func admits(_ moment: Double) -> Bool {
      limit.admits(at: Timestamp(microseconds: Int64((moment * 1_000_000).rounded())))
    }
    for _ in 0..<first { #expect(admits(start)) }
    return moments.filter(admits)
  }

  @Test func `ten pulses are played in any second`() {
    #expect(
      admitted(after: 8, at: 5, of: [5.5, 5.5, 5.6, 5.999999, 6, 6.1]) == [5.5, 5.5, 6, 6.1])
  }

  @Test func `refused pulses do not delay the next one`() {
    #expect(admitted(after: 10, at: 0, of: [0.2, 0.4, 0.6, 0.8, 1]) == [1])
  }

  @Test func `slightly late pulses of another device are counted`() {
    #expect(admitted(after: 8, at: 5, of: [5.4, 4.9, 5.3, 5.9, 6]) == [5.4, 4.9, 6])
  }

  @Test func `a clock that goes back resets the limit`() {
    #expect(admitted(after: 10, at: 1_700_000_000, of: [5, 5.1]) == [5, 5.1])
  }

  @Test func `the limit is reached and respected over a long time`() {
    let moments = (0..<10_000).map { Double($0) / 1000 }
    #expect(admitted(after: 0, at: 0, of: moments).count == 100)
  }

  @Test func `no time causes a trap`() {
    var limit = PulseLimit()
    for moment in [Int64.min, .max, .min, 0, .max, -1] {
      _ = limit.admits(at: Timestamp(microseconds: moment))
    }
  }
}
