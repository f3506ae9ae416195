/// Limits rates with token buckets: a burst at once, then a number per second.
///
/// A request needs a token of each of its buckets: if one has none, none is taken from the others.
package struct TokenBuckets {
  /// Whom a bucket is for.
  ///
  /// Not a generic parameter, whose types would be looked up at run time for each request.
  package enum Key: Hashable {
    /// A user, or whatever else has a number.
    case one(UInt32)
    case members
    case all
  }

  /// A bucket that a request takes a token from, and its rate and burst as a multiple of those of one user.
  package typealias Share = (key: Key, factor: Double)

  private struct Bucket {
    var tokens: Double
    var time: Int64
    let factor: Double
  }

  private var buckets: [Key: Bucket] = [:]

  /// With more buckets than this, those that are full again are removed.
  private static let pruneThreshold = 64

  /// How many buckets may not be full.
  var count: Int { buckets.count }

  package init() {}

  /// Acquires a token of each bucket, or none; then it returns the microseconds until the first one without a token has one.
  ///
  /// Tokens per second and capacity are those of a bucket with the factor 1; `now` is in microseconds of CLOCK_MONOTONIC.
  package mutating func acquire(
    _ shares: [Share], at now: Int64, perSecond: Double, burst: Double
  ) -> Int64? {
    func filled(_ bucket: Bucket) -> Bucket {
      let added = Double(max(now &- bucket.time, 0)) / 1_000_000 * perSecond * bucket.factor
      return Bucket(
        tokens: min(burst * bucket.factor, bucket.tokens + added), time: max(now, bucket.time),
        factor: bucket.factor)
    }
    func bucket(_ share: Share) -> Bucket {
      let (key, factor) = share
      return buckets[key].map(filled) ?? Bucket(tokens: burst * factor, time: now, factor: factor)
    }
    if buckets.count > TokenBuckets.pruneThreshold {
      buckets = buckets.filter { filled($1).tokens < burst * $1.factor }
    }
    for share in shares {
      let tokens = bucket(share).tokens
      guard tokens >= 1 else {
        return Int64(((1 - tokens) / (perSecond * share.factor) * 1_000_000).rounded(.up))
      }
    }
    for share in shares {
      buckets[share.key] = bucket(share)
      buckets[share.key]?.tokens -= 1
    }
    return nil
  }

  /// Removes further tokens for an expensive operation; balances may become negative.
  package mutating func charge(_ shares: [Share], _ more: Double) {
    for share in shares { buckets[share.key]?.tokens -= more }
  }

  /// Acquires a token of the only bucket; returns whether there was one.
  package mutating func acquire(at now: Int64, perSecond: Double, burst: Double) -> Bool {
    acquire([(.all, 1)], at: now, perSecond: perSecond, burst: burst) == nil
  }
}
