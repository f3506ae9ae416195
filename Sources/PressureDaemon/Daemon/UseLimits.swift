internal import PressureKit
internal import PressureSystem

/// The rate limits of each user, and of users together, for requests that change what other clients receive.
struct UseLimits {
  private enum Key: Hashable {
    case user(UInt32)
    case members
    case all
  }

  /// The factor from the limit of one user to that of all users together, except root and the daemon's own user.
  private static let sharedFactor = 4.0

  /// The factor for all members together: the rest is left to users who cannot be multiplied.
  private static let memberFactor = 3.0

  private var buckets = TokenBuckets<Key>()

  /// Admits a request of a user.
  ///
  /// - Returns: milliseconds until the next one is admitted, or nil if this one is.
  mutating func admit(_ account: Account, at now: Int64, _ rules: UseConfiguration) -> Int? {
    let wait = buckets.acquire(
      UseLimits.shares(of: account), at: now, perSecond: Double(rules.requestsPerSecond),
      burst: Double(rules.burst))
    return wait.map { Int(($0 + 999) / 1000) }
  }

  /// Charges for lossless lines that a request has sent to clients: no send queue may drop them.
  mutating func charge(_ account: Account, bytes: Int) {
    buckets.charge(UseLimits.shares(of: account), Double(bytes / UseLimits.bytesPerRequest))
  }

  private static func shares(of account: Account) -> [TokenBuckets<Key>.Share] {
    let own: TokenBuckets<Key>.Share = (.user(account.userID), 1)
    return switch account.kind {
    case .privileged: [own]
    case .individual: [own, (.all, sharedFactor)]
    case .member: [own, (.members, memberFactor), (.all, sharedFactor)]
    }
  }

  /// This many bytes of a line cost one more request, so that by default the lines that all users may cause at once fit
  /// into the send queue of one client.
  private static let bytesPerRequest = 256
}
