import Testing

@testable import PressureSystem

struct TokenBucketTests {
  /// When the only bucket has a token, or nil if it had one.
  private func wait(
    _ bucket: inout TokenBuckets, at now: Int64, perSecond: Double = 10, burst: Double = 2
  ) -> Int64? {
    bucket.acquire([(.all, 1)], at: now, perSecond: perSecond, burst: burst)
  }

  @Test func `after a burst the rate applies`() {
    var bucket = TokenBuckets()
    #expect(wait(&bucket, at: 0) == nil)
    #expect(wait(&bucket, at: 0) == nil)
    #expect(wait(&bucket, at: 0) == 100_000)
    #expect(wait(&bucket, at: 99_999) != nil)
    #expect(wait(&bucket, at: 100_000) == nil)
    #expect(wait(&bucket, at: 100_000) != nil)
  }

  @Test func `a pause fills the bucket, but not beyond its size`() {
    var bucket = TokenBuckets()
    #expect(wait(&bucket, at: 0) == nil)
    bucket.charge([(.all, 1)], 4)
    #expect(wait(&bucket, at: 399_999) != nil)
    #expect(wait(&bucket, at: 400_000) == nil)
    for _ in 0..<2 { #expect(wait(&bucket, at: 9_000_000) == nil) }
    #expect(wait(&bucket, at: 9_000_000) != nil)
  }

  @Test func `a clock that goes back adds no tokens`() {
    var bucket = TokenBuckets()
    #expect(wait(&bucket, at: 1_000_000, perSecond: 1, burst: 1) == nil)
    #expect(wait(&bucket, at: 0, perSecond: 1, burst: 1) == 1_000_000)
  }

  @Test func `a request that one bucket refuses takes no token of the others`() {
    var buckets = TokenBuckets()
    let one: [TokenBuckets.Share] = [(.one(1), 1), (.all, 1.5)]
    let two: [TokenBuckets.Share] = [(.one(2), 1), (.all, 1.5)]
    func acquire(_ shares: [TokenBuckets.Share], at now: Int64) -> Int64? {
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
    var buckets = TokenBuckets()
    for key in UInt32(0)..<10_000 {
      _ = buckets.acquire([(.one(key), 1)], at: Int64(key) * 1_000_000, perSecond: 1, burst: 1)
    }
    #expect(buckets.count <= 66)
  }
}
