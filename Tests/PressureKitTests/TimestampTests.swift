import PressureKit
import Testing

@Test func `a time that overflows is rejected`() {
  #expect(Timestamp(seconds: .max, microseconds: 0) == nil)
  #expect(Timestamp(seconds: 3, microseconds: 7)?.microseconds == 3_000_007)
}

@Test func `a time is an instant whose durations are whole microseconds`() {
  let time = Timestamp(microseconds: 3_000_000)
  #expect(time + .milliseconds(10) == Timestamp(microseconds: 3_010_000))
  #expect(time - .seconds(4) == Timestamp(microseconds: -1_000_000))
  #expect(time.advanced(by: .nanoseconds(1999)).microseconds == 3_000_001)
  #expect(time.duration(to: Timestamp(microseconds: 2_999_999)) == .microseconds(-1))
}
