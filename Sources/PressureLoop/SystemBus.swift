internal import CSystemd
internal import Glibc

/// Connections to the system bus of programs that wait for its answer.
package enum SystemBus {
  /// Connects, and waits until the bus has accepted the connection: only then does the limit of a call begin.
  ///
  /// - Parameter limit: the time limit for that and for each call, in microseconds.
  /// - Returns: the connection, which the caller releases; nil if there is no bus, or it does not answer.
  package static func connect(within limit: UInt64) -> OpaquePointer? {
    var bus: OpaquePointer?
    guard sd_bus_open_system(&bus) >= 0 else { return nil }
    sd_bus_set_method_call_timeout(bus, limit)
    let end = SuspendingClock.now + .microseconds(Int64(limit))
    while sd_bus_is_ready(bus) == 0 {
      guard SuspendingClock.now < end, sd_bus_process(bus, nil) >= 0,
        sd_bus_is_ready(bus) != 0 || sd_bus_wait(bus, limit / 10) >= 0
      else {
        sd_bus_close_unref(bus)
        return nil
      }
    }
    return bus
  }
}
