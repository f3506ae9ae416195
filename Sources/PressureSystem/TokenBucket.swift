/// How often something may happen: so many times at once, and then so many times a second.
package struct TokenBucket {
  private var tokens: Double
  private var time: Int64

  /// Begins full.
  ///
  /// - Parameters:
  ///   - burst: how many tokens it holds.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  package init(burst: Double, now: Int64) {
    (tokens, time) = (burst, now)
  }

  /// Takes a token if there is one.
  ///
  /// - Parameters:
  ///   - now: microseconds of CLOCK_MONOTONIC.
  ///   - perSecond: tokens that come in a second.
  ///   - burst: tokens that it holds at most.
  /// - Returns: microseconds until there will be one, or nil if it was taken.
  package mutating func acquire(at now: Int64, perSecond: Double, burst: Double) -> Int64? {
    tokens = min(burst, tokens + Double(max(now - time, 0)) / 1_000_000 * perSecond)
    time = max(now, time)
    guard tokens >= 1 else { return Int64(((1 - tokens) / perSecond * 1_000_000).rounded(.up)) }
    tokens -= 1
    return nil
  }

  /// Takes more tokens for something that was dearer than one, which those that follow have to wait for.
  package mutating func charge(_ more: Double) {
    tokens -= more
  }

  /// Whether it would be full by now, and so is as good as a new one.
  package func isFull(at now: Int64, perSecond: Double, burst: Double) -> Bool {
    tokens + Double(max(now - time, 0)) / 1_000_000 * perSecond >= burst
  }
}
