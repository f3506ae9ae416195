/// The moment at which somebody who waits gives up.
package struct Deadline {
  /// How long it was when it was made, for people.
  package let seconds: Double

  private let end: SuspendingClock.Instant

  package init(seconds: Double) {
    self.seconds = seconds
    end = SuspendingClock.now + .milliseconds(Int64(seconds * 1000))
  }

  /// Milliseconds that are left, as `poll` takes them; 0 once it has passed.
  package var milliseconds: Int32 {
    let left = SuspendingClock.now.duration(to: end) / Duration.milliseconds(1)
    return Int32(clamping: Int64(max(left.rounded(.up), 0)))
  }
}
