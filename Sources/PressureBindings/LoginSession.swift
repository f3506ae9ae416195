internal import CSystemd

/// The user's session, as reported by systemd-logind.
///
/// Its state is queried over the system bus each time that a binding fires. Without logind or without a session, as in
/// a container or a system service, the state is unknown and never prevents anything.
final class LoginSession {
  /// How long logind may take to answer, in microseconds.
  private static let timeout: UInt64 = 1_000_000

  private var bus: OpaquePointer?

  deinit {
    close()
  }

  /// Why bindings must not fire now; nil if the session is active and unlocked, or unknown.
  var obstacle: String? {
    if property("Active") == false { return "the session is not active" }
    if property("LockedHint") == true { return "the session is locked" }
    return nil
  }

  /// A property of the caller's session, or else of the user's graphical session; nil if unknown.
  private func property(_ name: String) -> Bool? {
    guard let bus = connection() else { return nil }
    var value: Int32 = 0
    let result = pressured_session_property(bus, name, &value)
    if result >= 0 { return value != 0 }
    // The bus may have been restarted; the next query connects again.
    if sd_bus_is_open(bus) <= 0 { close() }
    return nil
  }

  private func connection() -> OpaquePointer? {
    if let bus { return bus }
    guard sd_bus_open_system(&bus) >= 0, let bus else { return nil }
    sd_bus_set_method_call_timeout(bus, LoginSession.timeout)
    return bus
  }

  private func close() {
    sd_bus_close_unref(bus)
    bus = nil
  }
}
