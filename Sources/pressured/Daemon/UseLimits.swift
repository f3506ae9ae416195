internal import Glibc
internal import PressureKit

/// How many requests that change what others read each user may have, and all users together.
///
/// Root and the daemon's own user have limits of their own alone: no number of others keeps them out.
struct UseLimits {
  /// All users together may have so many times what one may.
  private static let sharedFactor = 4

  /// With more users than this, those that have paused for long enough are forgotten.
  private static let usualUsers = 64

  private var buckets: [UInt32: TokenBucket] = [:]
  private var shared: TokenBucket?
  private let ownUser: UInt32

  init(ownUser: UInt32 = geteuid()) {
    self.ownUser = ownUser
  }

  /// Admits a request of a user.
  ///
  /// - Returns: milliseconds until the next one is admitted, or nil if this one is.
  mutating func admit(_ user: UInt32, at now: Int64, _ rules: UseConfiguration) -> Int? {
    let (rate, burst) = (Double(rules.requestsPerSecond), Double(rules.burst))
    let factor = Double(UseLimits.sharedFactor)
    if buckets.count > UseLimits.usualUsers {
      buckets = buckets.filter { !$1.isFull(at: now, perSecond: rate, burst: burst) }
    }
    var shared = shared ?? TokenBucket(burst: burst * factor, now: now)
    var own = buckets[user] ?? TokenBucket(burst: burst, now: now)
    let wait = own.take(at: now, perSecond: rate, burst: burst)
    if wait == nil, sharesLimit(user) {
      let wait = shared.take(at: now, perSecond: rate * factor, burst: burst * factor)
      self.shared = shared
      // Its own token is left where it is.
      if let wait { return UseLimits.milliseconds(wait) }
    }
    buckets[user] = own
    return wait.map(UseLimits.milliseconds)
  }

  /// Counts what a request has sent to clients in vain of any queue: lines that are never dropped.
  mutating func charge(_ user: UInt32, bytes: Int) {
    let more = Double(bytes / UseLimits.bytesOfOne)
    buckets[user]?.charge(more)
    if sharesLimit(user) { shared?.charge(more) }
  }

  private func sharesLimit(_ user: UInt32) -> Bool { user != 0 && user != ownUser }

  private static func milliseconds(_ microseconds: Int64) -> Int {
    Int((microseconds + 999) / 1000)
  }

  /// Bytes of a line that count as one more request, so that a burst of all users is smaller than the queue of one
  /// client, with the defaults.
  private static let bytesOfOne = 256
}
