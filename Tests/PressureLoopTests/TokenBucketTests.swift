import Testing

@testable import PressureSystem

struct TokenBucketTests {
  @Test func `after a burst the rate applies`() {
    var bucket = TokenBucket(burst: 2, now: 0)
    #expect(bucket.acquire(at: 0, perSecond: 10, burst: 2) == nil)
    #expect(bucket.acquire(at: 0, perSecond: 10, burst: 2) == nil)
    #expect(bucket.acquire(at: 0, perSecond: 10, burst: 2) == 100_000)
    #expect(bucket.acquire(at: 99_999, perSecond: 10, burst: 2) != nil)
    #expect(bucket.acquire(at: 100_000, perSecond: 10, burst: 2) == nil)
    #expect(bucket.acquire(at: 100_000, perSecond: 10, burst: 2) != nil)
  }

  @Test func `a pause fills the bucket, but not beyond its size`() {
    var bucket = TokenBucket(burst: 2, now: 0)
    bucket.charge(5)
    #expect(!bucket.isFull(at: 499_999, perSecond: 10, burst: 2))
    #expect(bucket.isFull(at: 500_000, perSecond: 10, burst: 2))
    for _ in 0..<2 { #expect(bucket.acquire(at: 9_000_000, perSecond: 10, burst: 2) == nil) }
    #expect(bucket.acquire(at: 9_000_000, perSecond: 10, burst: 2) != nil)
  }

  @Test func `a clock that goes back adds no tokens`() {
    var bucket = TokenBucket(burst: 1, now: 1_000_000)
    #expect(bucket.acquire(at: 1_000_000, perSecond: 1, burst: 1) == nil)
    #expect(bucket.acquire(at: 0, perSecond: 1, burst: 1) == 1_000_000)
  }
}
