package import PressureKit

/// How many pulses there may be in a second, over all devices.
///
/// Time is the events' own. That of one device may be a little behind another's, and then counts as the
/// other's; one that is further back comes from another clock, and the count begins anew.
package struct PulseLimit {
  /// Microseconds in which the pulses are counted.
  private static let window: Int64 = 1_000_000

  package var pulsesPerSecond: Int

  /// When the last ones were, the oldest first; at most as many as there may be.
  private var times: [Int64] = []

  package init(pulsesPerSecond: Int) {
    self.pulsesPerSecond = pulsesPerSecond
  }

  /// Whether there may be a pulse now; it is counted then.
  package mutating func admits(at time: Timestamp) -> Bool {
    let latest = times.last ?? time.microseconds
    if latest &- time.microseconds >= PulseLimit.window { times.removeAll(keepingCapacity: true) }
    let now = max(time.microseconds, times.last ?? time.microseconds)
    let tooMany = times.count - pulsesPerSecond
    if tooMany >= 0 {
      guard now &- times[tooMany] >= PulseLimit.window else { return false }
      times.removeFirst(tooMany + 1)
    }
    times.append(now)
    return true
  }
}
