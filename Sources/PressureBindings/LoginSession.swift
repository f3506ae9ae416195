internal import CSystemd

/// The user's session as systemd-logind knows it.
///
/// It is asked over the system's bus each time, and only when something is to be done. Where there is no logind, or no
/// session, as in a container or for a service of the system, nothing is known of it.
final class LoginSession {
  /// How long logind may take to answer, in microseconds.
  private static let patience: UInt64 = 1_000_000

  private var bus: OpaquePointer?

  deinit {
    close()
  }

  /// Why nothing is to be done in it now, or nil where it is active and unlocked, or unknown.
  var objection: String? {
    if property("Active") == false { return "the session is not active" }
    if property("LockedHint") == true { return "the session is locked" }
    return nil
  }

  /// A property of the caller's session, or else of the one in which the user has a display; nil if unknown.
  private func property(_ name: String) -> Bool? {
    guard let bus = connection() else { return nil }
    var value: Int32 = 0
    let result = pressured_session_property(bus, name, &value)
    if result >= 0 { return value != 0 }
    // The bus may have been restarted; it is connected to again next time.
    if sd_bus_is_open(bus) <= 0 { close() }
    return nil
  }

  private func connection() -> OpaquePointer? {
    if let bus { return bus }
    guard sd_bus_open_system(&bus) >= 0, let bus else { return nil }
    sd_bus_set_method_call_timeout(bus, LoginSession.patience)
    return bus
  }

  private func close() {
    sd_bus_close_unref(bus)
    bus = nil
  }
}
