import PressureKit
import Testing

@Test func `a release point that is not below the press point is rejected`() throws {
  #expect(try Threshold(press: 0.3, release: 0.25).release == 0.25)
  let error = #expect(throws: InconsistentValuesError.self) {
    try Threshold(press: 200, release: 200)
  }
  #expect(error?.setting == "release")
  #expect(error?.reason == "release (200) must be below press (200)")
  #expect(throws: InconsistentValuesError.self) { try Threshold(press: .nan, release: 0) }
  #expect(throws: InconsistentValuesError.self) { try Threshold(press: 1, release: .nan) }
}
