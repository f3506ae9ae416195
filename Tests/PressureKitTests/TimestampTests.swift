import PressureKit
import Testing

@Test func `a time that overflows is rejected`() {
  #expect(Timestamp(seconds: .max, microseconds: 0) == nil)
  #expect(Timestamp(seconds: 3, microseconds: 7)?.microseconds == 3_000_007)
}
