internal import PressureKit

/// Brings the times in a pipe to this machine's CLOCK_MONOTONIC, which all times of a stream are of.
///
/// Times that are of it already stay as they are. Those of another clock, such as another machine's, are
/// moved as a whole, so that the distances between them stay. A clock that is set or stands still while its
/// machine sleeps is followed: no event can be later than its arrival, and a connection delivers something
/// without delay now and then.
struct PipeClock {
  /// How far ahead of the present, in microseconds, a time can be: a frame may be sent as it is measured.
  private static let mostAhead: Int64 = 20_000

  /// How far behind the present, in microseconds, a time can be, however long the connection has stalled.
  private static let mostBehind: Int64 = 10_000_000

  /// A delay of this many microseconds that nothing in a whole window falls below is the clock's.
  private static let steadyDelay: Int64 = 100_000

  /// Microseconds over which the shortest delay is looked for.
  private static let window: Int64 = 1_000_000

  private var offset: Int64 = 0
  private var windowStart: Int64?
  private var shortestDelay = Int64.max

  /// The moment that is meant by a time.
  ///
  /// - Parameters:
  ///   - given: as it stands in the pipe; 0 where the writer has no clock, and means now.
  ///   - now: when it was read, in microseconds of CLOCK_MONOTONIC.
  /// - Returns: a moment that may lie before the last one: it is the engine that never goes back.
  mutating func time(given: Timestamp, at now: Int64) -> Timestamp {
    guard given.microseconds != 0 else { return Timestamp(microseconds: now) }
    closeWindow(at: now)
    let delay = now &- given.microseconds &- offset
    guard (-PipeClock.mostAhead...PipeClock.mostBehind).contains(delay) else {
      rebase(by: delay)
      shortestDelay = 0
      return Timestamp(microseconds: now)
    }
    shortestDelay = min(shortestDelay, delay)
    return Timestamp(microseconds: given.microseconds &+ offset)
  }

  /// Takes for the clock's what every event of the last window was late.
  ///
  /// After a stall of the connection the last events are on time again.
  private mutating func closeWindow(at now: Int64) {
    if let windowStart, now &- windowStart < PipeClock.window { return }
    if windowStart != nil, shortestDelay > PipeClock.steadyDelay { rebase(by: shortestDelay) }
    windowStart = now
    shortestDelay = .max
  }

  private mutating func rebase(by delay: Int64) {
    offset &+= delay
  }
}
