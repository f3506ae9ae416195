/// The moment at which somebody who waits gives up.
struct Deadline {
  /// How long it was when it was made, for people.
  let seconds: Int

  private let end: SuspendingClock.Instant

  init(seconds: Int) {
    self.seconds = seconds
    end = SuspendingClock.now + .seconds(seconds)
  }

  /// Milliseconds that are left, as `poll` takes them; 0 once it has passed.
  var milliseconds: Int32 {
    let left = SuspendingClock.now.duration(to: end) / Duration.milliseconds(1)
    return Int32(max(left.rounded(.up), 0))
  }
}
