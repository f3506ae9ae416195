internal import PressureKit

/// How far one client is with the readings of one device.
struct Pace {
  /// The device's number.
  let device: Int

  /// When the next reading may go out, in microseconds of CLOCK_MONOTONIC.
  private(set) var due: Int64 = 0

  /// The time of the reading that waits, or nil.
  private(set) var held: Timestamp?

  private var lastTotal: Double?

  init(device: Int) {
    self.device = device
  }

  /// Whether a reading says too little new to be sent at all.
  func isTooSmall(_ line: Batch.Line, for subscription: Subscription) -> Bool {
    guard subscription.minimumChange > 0, !line.isNews, let total = line.total, let lastTotal
    else { return false }
    return (total - lastTotal).magnitude < subscription.minimumChange
  }

  /// Decides on a reading: true to send it now; otherwise it is held.
  mutating func admits(_ line: Batch.Line, at now: Int64, interval: Int64) -> Bool {
    lastTotal = line.total ?? lastTotal
    guard now >= due else {
      held = line.time
      return false
    }
    sent(at: now, interval: interval)
    return true
  }

  /// A reading has gone out.
  mutating func sent(at now: Int64, interval: Int64) {
    held = nil
    due = now + interval
  }
}
