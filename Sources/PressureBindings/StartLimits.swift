internal import PressureSystem

/// How often bindings may do something, each and all together: anybody who may use the daemon can perform actions.
struct StartLimits {
  /// All bindings together may do something so many times as often as one.
  private static let sharedFactor = 4.0

  /// How many times as much as in a second may be done at once.
  private static let burstFactor = 2.0

  private let perSecond: Double
  private var own: [Int: TokenBucket] = [:]
  private var shared: TokenBucket?

  init(perSecond: Int) {
    self.perSecond = Double(perSecond)
  }

  /// Whether a binding may do something now; it is counted then.
  ///
  /// - Parameters:
  ///   - index: the place of the binding in the list.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  /// - Returns: false where it, or all together, have done too much.
  mutating func admits(_ index: Int, at now: Int64) -> Bool {
    let (burst, factor) = (perSecond * StartLimits.burstFactor, StartLimits.sharedFactor)
    var own = own[index] ?? TokenBucket(burst: burst, now: now)
    var shared = shared ?? TokenBucket(burst: burst * factor, now: now)
    let isAdmitted =
      own.acquire(at: now, perSecond: perSecond, burst: burst) == nil
      && shared.acquire(at: now, perSecond: perSecond * factor, burst: burst * factor) == nil
    (self.own[index], self.shared) = (own, shared)
    return isAdmitted
  }
}
