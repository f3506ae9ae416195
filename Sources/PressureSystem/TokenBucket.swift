/// Limits a rate with a token bucket: a burst at once, then a number per second.
package struct TokenBucket {
  private var tokens: Double
  private var time: Int64

  /// Creates a full bucket.
  ///
  /// - Parameters:
  ///   - burst: its capacity in tokens.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  package init(burst: Double, now: Int64) {
    (tokens, time) = (burst, now)
  }

  /// Acquires a token if there is one.
  ///
  /// - Parameters:
  ///   - now: microseconds of CLOCK_MONOTONIC.
  ///   - perSecond: tokens added per second.
  ///   - burst: the capacity in tokens.
  /// - Returns: microseconds until a token is available, or nil if one was acquired.
  package mutating func acquire(at now: Int64, perSecond: Double, burst: Double) -> Int64? {
    tokens = min(burst, tokens + Double(max(now - time, 0)) / 1_000_000 * perSecond)
    time = max(now, time)
    guard tokens >= 1 else { return Int64(((1 - tokens) / perSecond * 1_000_000).rounded(.up)) }
    tokens -= 1
    return nil
  }

  /// Removes further tokens for an expensive operation; the balance may become negative.
  package mutating func charge(_ more: Double) {
    tokens -= more
  }

  /// Whether the bucket would be full by now, and can be discarded.
  package func isFull(at now: Int64, perSecond: Double, burst: Double) -> Bool {
    tokens + Double(max(now - time, 0)) / 1_000_000 * perSecond >= burst
  }
}

/// Token buckets of which a request needs a token each: if one has none, none is taken from the others.
package struct TokenBuckets<Key: Hashable> {
  /// A bucket that a request takes a token from, and its rate and burst as a multiple of those of one user.
  package typealias Share = (key: Key, factor: Double)

  private var buckets: [Key: (bucket: TokenBucket, factor: Double)] = [:]

  /// With more buckets than this, those that are full again are removed.
  private static var pruneThreshold: Int { 64 }

  /// How many buckets may not be full.
  var count: Int { buckets.count }

  package init() {}

  /// Acquires a token of each bucket, or none.
  ///
  /// - Parameters:
  ///   - shares: the buckets.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  ///   - perSecond: tokens added per second to a bucket with the factor 1.
  ///   - burst: its capacity in tokens.
  /// - Returns: microseconds until the first bucket without a token has one, or nil if all were acquired.
  package mutating func acquire(
    _ shares: [Share], at now: Int64, perSecond: Double, burst: Double
  ) -> Int64? {
    if buckets.count > TokenBuckets.pruneThreshold {
      buckets = buckets.filter {
        let (bucket, factor) = $1
        return !bucket.isFull(at: now, perSecond: perSecond * factor, burst: burst * factor)
      }
    }
    var acquired: [TokenBucket] = []
    for (key, factor) in shares {
      var bucket = buckets[key]?.bucket ?? TokenBucket(burst: burst * factor, now: now)
      let wait = bucket.acquire(at: now, perSecond: perSecond * factor, burst: burst * factor)
      if let wait { return wait }
      acquired.append(bucket)
    }
    for (share, bucket) in zip(shares, acquired) { buckets[share.key] = (bucket, share.factor) }
    return nil
  }

  /// Removes further tokens for an expensive operation; balances may become negative.
  package mutating func charge(_ shares: [Share], _ more: Double) {
    for share in shares { buckets[share.key]?.bucket.charge(more) }
  }
}
