import Testing

@testable import PressureKit

/// What is known of a zero that has moved, once something lies on it.
struct ZeroWatchTests {
  /// A watch over a bare surface that reads something, where readings may be wrong by 4 g.
  private func watch(reading grams: Double) -> DriftDetector {
    var watch = DriftDetector(ScaleConfiguration())
    watch.updateContacts(isEmpty: true, isOther: false, at: Timestamp(microseconds: 0))
    watch.evaluate(grams, error: 4, at: Timestamp(microseconds: 10_000_000))
    return watch
  }

  @Test func `what an empty surface read is known under a load`() {
    var watch = watch(reading: 5)
    #expect(watch.hasDrifted)
    watch.updateContacts(isEmpty: false, isOther: true, at: Timestamp(microseconds: 11_000_000))
    watch.evaluate(105, error: 4, at: Timestamp(microseconds: 12_000_000))
    #expect(!watch.hasDrifted, "nobody sees it now")
    #expect(watch.knownOffset == 5)
  }

  @Test func `half of the error is in the error`() {
    #expect(watch(reading: 1.9).knownOffset == 0)
  }

  @Test func `a tare takes off what it is off by, until it is taken back`() {
    var watch = watch(reading: -5)
    watch.tare(95)
    #expect(watch.knownOffset == 0)
    watch.tare(0)
    #expect(watch.knownOffset == -5)
  }

  @Test func `a tare from before a new zero is off by what zero was`() {
    var watch = watch(reading: 5)
    watch.tare(105)
    watch.zero()
    #expect(watch.knownOffset == -5)
    watch.tare(100)
    #expect(watch.knownOffset == 0)
  }

  @Test func `a new zero or other grams leave nothing to be known`() {
    var watch = watch(reading: 5)
    watch.zero()
    #expect(watch.knownOffset == 0)
    watch = self.watch(reading: 5)
    watch.restart()
    #expect(watch.knownOffset == 0)
  }
}
