internal import PressureKit

/// Brings the times in a pipe to this machine's CLOCK_MONOTONIC, which all times of a stream are of.
///
/// Times that are of it already stay as they are. Those of another clock, as of another machine, are
/// moved as a whole: the first of them is now, and the distances between them stay.
struct PipeClock {
  /// How far from the present, in microseconds, a time of this machine can be when it is read.
  private static let farthest: UInt64 = 10_000_000

  private var offset: Int64 = 0

  /// The moment that is meant by a time.
  ///
  /// - Parameters:
  ///   - given: as it stands in the pipe; 0 where the writer has no clock, and means now.
  ///   - now: the present, in microseconds of CLOCK_MONOTONIC.
  /// - Returns: a moment that may lie before the last one: it is the engine that never goes back.
  mutating func time(given: Timestamp, at now: Int64) -> Timestamp {
    guard given.microseconds != 0 else { return Timestamp(microseconds: now) }
    var moved = given.microseconds &+ offset
    if (moved &- now).magnitude > PipeClock.farthest {
      offset = now &- given.microseconds
      moved = now
    }
    return Timestamp(microseconds: moved)
  }
}
