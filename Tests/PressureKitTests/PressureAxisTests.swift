import Testing

@testable import PressureKit

struct PressureAxisTests {
  @Test func `the widest range does not overflow`() {
    let axis = PressureAxis(Axis(minimum: .min, maximum: .max))
    #expect(axis.force(of: .max).ratio == 1)
    #expect(abs(axis.force(of: 0).ratio - 0.5) < 1e-9)
  }

  @Test(arguments: [(0, 0), (5, 4), (.max, .min)] as [(Int32, Int32)])
  func `an axis without a range has no force, and its span is never divided by`(
    minimum: Int32, maximum: Int32
  ) {
    for units: Double? in [nil, 1] {
      let axis = PressureAxis(Axis(minimum: minimum, maximum: maximum), unitsPerGram: units)
      #expect(axis.isBroken)
      #expect(axis.maximumPossibleForce == 0)
      #expect(axis.force(of: 7) == Force(ratio: 0, maximumPossible: 0))
      #expect(!axis.isSaturated(.max))
    }
  }
}
