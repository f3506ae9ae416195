internal import CSystemd
internal import Glibc
internal import PressureLoop

/// The user's session, as reported by systemd-logind.
///
/// Its state is queried over the system bus each time that a binding fires. Without logind or without a session, as in
/// a container or a system service, the state is unknown and never prevents anything.
final class LoginSession {
  /// How long the bus and logind may take to answer, in microseconds.
  private static let timeout: UInt64 = 1_000_000

  /// How long they are not asked after they have not answered, so that signals and other bindings do not wait each time.
  private static let pause = Duration.seconds(30)

  private var bus: OpaquePointer?
  private var nextAttempt: SuspendingClock.Instant?

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
    let begun = SuspendingClock.now
    if let nextAttempt, begun < nextAttempt { return nil }
    if bus == nil { bus = SystemBus.connect(within: LoginSession.timeout) }
    var value: Int32 = 0
    if let bus, pressured_session_property(bus, name, &value) >= 0 { return value != 0 }
    let end = SuspendingClock.now
    if end - begun >= .microseconds(Int64(LoginSession.timeout)) {
      nextAttempt = end + LoginSession.pause
      close()
    } else if let bus, sd_bus_is_open(bus) <= 0 {
      // The bus may have been restarted; the next query connects again.
      close()
    }
    return nil
  }

  private func close() {
    sd_bus_close_unref(bus)
    bus = nil
  }
}
