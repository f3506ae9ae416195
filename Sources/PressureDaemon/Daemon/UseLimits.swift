internal import Glibc
internal import PressureKit
internal import PressureSystem

/// The rate limits of each user, and of all users together, for requests that change what other clients receive.
///
/// Root and the daemon's own user do not share the common limit: other users cannot exhaust theirs.
struct UseLimits {
  /// The factor from the limit of one user to that of all users together.
  private static let sharedFactor = 4

  /// With more users than this, those whose bucket is full again are removed.
  private static let pruneThreshold = 64

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
    if buckets.count > UseLimits.pruneThreshold {
      buckets = buckets.filter { !$1.isFull(at: now, perSecond: rate, burst: burst) }
    }
    var shared = shared ?? TokenBucket(burst: burst * factor, now: now)
    var own = buckets[user] ?? TokenBucket(burst: burst, now: now)
    let wait = own.acquire(at: now, perSecond: rate, burst: burst)
    if wait == nil, sharesLimit(user) {
      let wait = shared.acquire(at: now, perSecond: rate * factor, burst: burst * factor)
      self.shared = shared
      // The user's own token is not consumed.
      if let wait { return UseLimits.milliseconds(wait) }
    }
    buckets[user] = own
    return wait.map(UseLimits.milliseconds)
  }

  /// Charges for lossless lines that a request has sent to clients: no send queue may drop them.
  mutating func charge(_ user: UInt32, bytes: Int) {
    let more = Double(bytes / UseLimits.bytesPerRequest)
    buckets[user]?.charge(more)
    if sharesLimit(user) { shared?.charge(more) }
  }

  private func sharesLimit(_ user: UInt32) -> Bool { user != 0 && user != ownUser }

  private static func milliseconds(_ microseconds: Int64) -> Int {
    Int((microseconds + 999) / 1000)
  }

  /// This many bytes of a line cost one more request, so that by default the lines that all users may cause at once fit
  /// into the send queue of one client.
  private static let bytesPerRequest = 256
}
