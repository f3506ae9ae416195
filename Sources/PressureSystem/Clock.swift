internal import Glibc
package import PressureKit

extension Timestamp {
  /// The present time of CLOCK_MONOTONIC, which stamps events; that of an event loop is the start of its iteration.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Seconds since 1970 at the timestamp 0, by CLOCK_REALTIME; another machine's time may have been set since.
  package static var dateAtZero: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) - now.microseconds / 1_000_000
  }
}
