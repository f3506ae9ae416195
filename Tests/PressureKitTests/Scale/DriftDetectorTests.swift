import PressureTestSupport
import Testing

@testable import PressureKit

/// The known offset of a drifted zero under a load.
struct ZeroWatchTests {
  /// A detector on an empty surface that reads something, with a limit of 4 g.
  private func watch(reading grams: Double) -> DriftDetector {
    var watch = DriftDetector(ScaleConfiguration())
    watch.updateContacts(isEmpty: true, at: Timestamp(microseconds: 0))
    watch.evaluate(grams, limit: 4, at: Timestamp(microseconds: 10_000_000))
    return watch
  }

  @Test func `the offset of an empty surface is kept under a load`() {
    var watch = watch(reading: 5)
    #expect(watch.hasDrifted)
    watch.updateContacts(isEmpty: false, at: Timestamp(microseconds: 11_000_000))
    watch.evaluate(105, limit: 4, at: Timestamp(microseconds: 12_000_000))
    #expect(!watch.hasDrifted, "it cannot be observed now")
    #expect(watch.knownOffset == 5)
  }

  @Test func `an offset within the limit or before a new zero is no drift`() {
    #expect(watch(reading: 3.9).knownOffset == 0)
    var drifted = watch(reading: 5)
    drifted.zero()
    #expect(drifted.knownOffset == 0)
  }

  @Test func `a tare removes the known offset until it is cleared`() {
    var watch = watch(reading: -5)
    watch.tare(95)
    #expect(watch.knownOffset == 0)
    watch.tare(0)
    #expect(watch.knownOffset == -5)
  }

  @Test func `a tare made before a new zero has the old offset`() {
    var watch = watch(reading: 5)
    watch.tare(105)
    watch.zero()
    #expect(watch.knownOffset == -5)
    watch.tare(100)
    #expect(watch.knownOffset == 0)
  }

  @Test func `a new law clears the known offset`() throws {
    let words = "slots=5 x=0..1000 y=0..1000 pressure=0..2000".split(separator: " ")
    let description = try DeviceDescription(words: words)
    let known = points([50, 100, 200, 400], offset: 0, slope: 2, isAssumed: false)
    let fit = try CalibrationFit(known, axis: Axis(minimum: 0, maximum: 2000))
    var weighing = Weighing(
      ScaleConfiguration(), on: try Surface(description), memory: ScaleMemory())
    weighing.driftDetector = watch(reading: 5)
    weighing.driftDetector.updateContacts(isEmpty: false, at: Timestamp(microseconds: 11_000_000))
    var buffer = EventBuffer()
    let now = Timestamp(microseconds: 20_000_000)
    weighing.adopt(try Surface(description), at: now, into: &buffer)
    #expect(weighing.driftDetector.knownOffset == 5)
    weighing.adopt(try Surface(description, calibration: fit), at: now, into: &buffer)
    #expect(weighing.driftDetector.knownOffset == 0)
  }
}
