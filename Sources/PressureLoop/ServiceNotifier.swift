internal import CLinux
internal import CSystemd
internal import Glibc
internal import PressureSystem

/// What a service manager is told of us; without one nothing is said.
package enum ServiceNotifier {
  /// Whether anybody is told.
  package static let isAvailable = getenv("NOTIFY_SOCKET") != nil

  /// Makes the kernel refuse to run any other program in our place from now on.
  ///
  /// The unit refuses new processes, but cannot refuse this: systemd itself starts us in that way.
  package static func refusePrograms() {
    guard isAvailable, pressured_refuse_programs() != 0 else { return }
    Log.warning(
      SystemError(attempt: "refuse to run other programs", number: errno).sentence)
  }

  /// Everything works, by the configuration as it is now.
  package static func ready(_ status: String) { sd_notify(0, "READY=1\nSTATUS=\(status)") }

  /// What we are at, for people.
  package static func status(_ status: String) { sd_notify(0, "STATUS=\(status)") }

  /// The configuration is being read again; `ready` follows.
  ///
  /// The time, in microseconds of CLOCK_MONOTONIC, tells systemd which of its requests this answers.
  package static func reloading(at microseconds: Int64) {
    sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }

  /// We are about to end.
  package static func stopping() { sd_notify(0, "STOPPING=1") }
}
