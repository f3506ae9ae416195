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

  @Test func `a request that one bucket refuses takes no token of the others`() {
    var buckets = TokenBuckets<Int>()
    let (one, two) = ([(key: 1, factor: 1.0), (0, 1.5)], [(key: 2, factor: 1.0), (0, 1.5)])
    func acquire(_ shares: [TokenBuckets<Int>.Share], at now: Int64) -> Int64? {
      buckets.acquire(shares, at: now, perSecond: 2, burst: 2)
    }
    for _ in 0..<2 { #expect(acquire(one, at: 0) == nil) }
    #expect(acquire(one, at: 0) == 500_000)
    #expect(acquire(two, at: 0) == nil)
    for _ in 0..<9 { #expect(acquire(two, at: 0) == 333_334) }
    // The other token of the second is left, and the first has taken none of the common bucket in vain.
    #expect(acquire(two, at: 333_334) == nil)
    #expect(acquire(two, at: 666_668) == nil)
  }

  @Test func `full buckets are removed`() {
    var buckets = TokenBuckets<Int>()
    for key in 0..<10_000 {
      _ = buckets.acquire([(key, 1)], at: Int64(key) * 1_000_000, perSecond: 1, burst: 1)
    }
    #expect(buckets.count <= 66)
  }
}
