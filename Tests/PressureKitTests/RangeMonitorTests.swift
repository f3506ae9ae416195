import Testing

@testable import PressureKit

struct PressureWitnessTests {
  /// The narrow maximum after a number of touches up to a value.
  private func narrowMaximum(
    _ axis: Axis, effectiveMaximum: Int32? = nil, touches: Int, upTo greatest: Int32
  ) -> Int32? {
    let pressure = PressureAxis(
      axis, effectiveMaximum: effectiveMaximum,
      unitsPerGram: axis.resolution > 0 ? Double(axis.resolution) : nil)
    var rangeMonitor = RangeMonitor(pressure)
    for _ in 0..<touches {
      rangeMonitor.update(with: axis.minimum)
      rangeMonitor.update(with: greatest)
      rangeMonitor.countCompletedContact(peak: 0)
    }
    return rangeMonitor.narrowMaximum(of: pressure)
  }

  private let bytes = Axis(minimum: 0, maximum: 255)

  @Test func `use of 1 to 16 of a declared 0 to 255 is detected`() {
    #expect(narrowMaximum(bytes, touches: 20, upTo: 16) == 16)
    #expect(narrowMaximum(bytes, touches: 19, upTo: 16) == nil)
  }

  @Test func `a usual range and a configured one are not reported`() {
    #expect(narrowMaximum(bytes, touches: 99, upTo: 40) == nil)
    #expect(narrowMaximum(bytes, effectiveMaximum: 16, touches: 99, upTo: 16) == nil)
    #expect(narrowMaximum(bytes, touches: 99, upTo: 0) == nil)
    #expect(narrowMaximum(Axis(minimum: 3, maximum: 3), touches: 99, upTo: 9) == nil)
    // An axis that states grams may be used in part.
    let grams = Axis(minimum: 0, maximum: 6000, resolution: 1)
    #expect(narrowMaximum(grams, touches: 99, upTo: 50) == nil)
  }

  @Test func `the widest range does not overflow`() {
    let widest = Axis(minimum: .min, maximum: .max)
    #expect(narrowMaximum(widest, touches: 20, upTo: .max) == nil)
    #expect(narrowMaximum(widest, touches: 20, upTo: -2_147_483_647) == nil, "0 was never reported")
  }

  @Test func `a stuck state is restored in another engine`() {
    var rangeMonitor = RangeMonitor(PressureAxis(bytes), isStuck: true)
    #expect(rangeMonitor.isStuck)
    rangeMonitor.update(with: 1)
    #expect(!rangeMonitor.isStuck)
  }
}
