import Testing

@testable import PressureKit

struct PressureAxisTests {
  private let pad = PressureAxis(Axis(minimum: 0, maximum: 255))

  @Test(arguments: [(0, 0), (51, 0.2), (255, 1), (-1, 0), (256, 1), (.min, 0), (.max, 1)])
  func `a ratio is a fraction of the range, clamped`(raw: Int32, ratio: Double) {
    #expect(pad.force(of: raw).ratio == ratio)
  }

  @Test func `the widest range does not overflow`() {
    let axis = PressureAxis(Axis(minimum: .min, maximum: .max))
    #expect(axis.force(of: .max).ratio == 1)
    #expect(abs(axis.force(of: 0).ratio - 0.5) < 1e-9)
  }

  @Test func `an average touch is 1 and the maximum is 20 thirds`() {
    #expect(pad.maximumPossibleForce == 20.0 / 3)
    #expect(abs(pad.force(of: 255).value - 6.666_667) < 1e-6)
  }

  @Test func `the sensor saturates at the end of its range, not at the effective maximum`() {
    let axis = PressureAxis(Axis(minimum: 0, maximum: 255), effectiveMaximum: 100)
    #expect(!axis.isSaturated(254))
    #expect(axis.isSaturated(255))
    #expect(axis.isSaturated(300))
    #expect(axis.force(of: 100).ratio == 1)
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
