import PressureKit
import Testing

@testable import PressureDevices

/// Times are in seconds here.
struct PulseLimitTests {
  /// The pulses that are admitted with a limit per second.
  private func admitted(_ pulsesPerSecond: Int, of moments: [Double]) -> [Double] {
    var limit = PulseLimit(pulsesPerSecond: pulsesPerSecond)
    return moments.filter {
      limit.admits(at: Timestamp(microseconds: Int64(($0 * 1_000_000).rounded())))
    }
  }

  @Test func `the pulses in any second are limited`() {
    #expect(
      admitted(2, of: [5, 5.5, 5.6, 5.999999, 6, 6.1, 6.5, 6.6]) == [5, 5.5, 6, 6.5])
  }

  @Test func `a limit of one admits one pulse per second`() {
    #expect(admitted(1, of: [0, 0.999999, 1, 1.5, 2]) == [0, 1, 2])
  }

  @Test func `refused pulses do not delay the next one`() {
    #expect(admitted(1, of: [0, 0.2, 0.4, 0.6, 0.8, 1]) == [0, 1])
  }

  @Test func `simultaneous pulses are counted individually`() {
    #expect(admitted(3, of: [7, 7, 7, 7, 8]) == [7, 7, 7, 8])
  }

  @Test func `slightly late pulses of another device are counted`() {
    #expect(admitted(2, of: [5, 5.4, 4.9, 5.3, 5.9, 6]) == [5, 5.4, 6])
    #expect(admitted(2, of: [5, 4.5, 5.7, 6]) == [5, 4.5, 6])
  }

  @Test func `a clock that goes back resets the limit`() {
    #expect(admitted(2, of: [1_700_000_000, 5, 5.1, 5.2, 6]) == [1_700_000_000, 5, 5.1, 6])
  }

  @Test(arguments: [1, 10, 100])
  func `the limit is reached and respected over a long time`(perSecond: Int) {
    let moments = (0..<10_000).map { Double($0) / 1000 }
    #expect(admitted(perSecond, of: moments).count == 10 * perSecond)
  }

  @Test func `no time causes a trap`() {
    var limit = PulseLimit(pulsesPerSecond: 1)
    for moment in [Int64.min, .max, .min, 0, .max, -1] {
      _ = limit.admits(at: Timestamp(microseconds: moment))
    }
  }
}
