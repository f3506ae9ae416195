internal import CLinux
internal import CSystemd
internal import Glibc

/// What a service manager is told of us; without one nothing is said.
enum Supervisor {
  /// Whether anybody is told.
  static let isThere = getenv("NOTIFY_SOCKET") != nil

  /// Makes the kernel refuse to run any other program in our place from now on.
  ///
  /// The unit refuses new processes, but cannot refuse this: systemd itself starts us in that way.
  static func refusePrograms() {
    guard isThere, pressured_refuse_programs() != 0 else { return }
    Log.warning(
      SystemFault(attempt: "refuse to run other programs", number: errno).sentence)
  }

  /// Everything works, by the configuration as it is now.
  static func ready(_ status: String) { sd_notify(0, "READY=1\nSTATUS=\(status)") }

  /// What we are at, for people.
  static func tell(_ status: String) { sd_notify(0, "STATUS=\(status)") }

  /// The configuration is being read again; `ready` follows.
  ///
  /// The time, in microseconds of CLOCK_MONOTONIC, tells systemd which of its requests this answers.
  static func reloading(at microseconds: Int64) {
    sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }

  /// We are about to end.
  static func stopping() { sd_notify(0, "STOPPING=1") }
}
