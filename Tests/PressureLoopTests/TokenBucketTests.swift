import Testing

@testable import PressureSystem

struct TokenBucketTests {
  @Test func `after a burst it goes on at its rate`() {
    var bucket = TokenBucket(burst: 2, now: 0)
    #expect(bucket.acquire(at: 0, perSecond: 10, burst: 2) == nil)
    #expect(bucket.acquire(at: 0, perSecond: 10, burst: 2) == nil)
    #expect(bucket.acquire(at: 0, perSecond: 10, burst: 2) == 100_000)
    #expect(bucket.acquire(at: 99_999, perSecond: 10, burst: 2) != nil)
    #expect(bucket.acquire(at: 100_000, perSecond: 10, burst: 2) == nil)
    #expect(bucket.acquire(at: 100_000, perSecond: 10, burst: 2) != nil)
  }

  @Test func `a pause fills it and no more`() {
    var bucket = TokenBucket(burst: 2, now: 0)
    bucket.charge(5)
    #expect(!bucket.isFull(at: 499_999, perSecond: 10, burst: 2))
    #expect(bucket.isFull(at: 500_000, perSecond: 10, burst: 2))
    for _ in 0..<2 { #expect(bucket.acquire(at: 9_000_000, perSecond: 10, burst: 2) == nil) }
    #expect(bucket.acquire(at: 9_000_000, perSecond: 10, burst: 2) != nil)
  }

  @Test func `a clock that stands behind gives nothing`() {
    var bucket = TokenBucket(burst: 1, now: 1_000_000)
    #expect(bucket.acquire(at: 1_000_000, perSecond: 1, burst: 1) == nil)
    #expect(bucket.acquire(at: 0, perSecond: 1, burst: 1) == 1_000_000)
  }
}
