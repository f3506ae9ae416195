import PressureKit
import Testing

@Test func `a number of fingers allows that number, any allows all`() {
  #expect(Fingers.any.allows(1) && Fingers.any.allows(7))
  #expect(Fingers.exactly(2).allows(2))
  #expect(!Fingers.exactly(2).allows(1) && !Fingers.exactly(2).allows(3))
}
