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
