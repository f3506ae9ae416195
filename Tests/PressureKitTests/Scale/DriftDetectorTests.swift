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

  @Test func `an offset within the limit is no drift`() {
    #expect(watch(reading: 3.9).knownOffset == 0)
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

  @Test func `a new zero clears the known offset`() {
    var watch = watch(reading: 5)
    watch.zero()
    #expect(watch.knownOffset == 0)
  }
}
