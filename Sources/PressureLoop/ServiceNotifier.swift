internal import CLinux
internal import CSystemd
internal import Glibc
package import PressureSystem

/// Notifies the service manager of the daemon's state; does nothing without one.
package enum ServiceNotifier {
  /// Whether a service manager expects notifications.
  package static let isAvailable = getenv("NOTIFY_SOCKET") != nil

  /// Installs a seccomp filter that makes `execve` fail from now on.
  ///
  /// The unit can forbid new processes, but not this: systemd itself starts the daemon with `execve`.
  package static func refusePrograms() {
    guard isAvailable, pressured_refuse_programs() != 0 else { return }
    Log.warning(SystemError(attempt: "forbid execve", number: errno).sentence)
  }

  package static func ready(_ status: String) { sd_notify(0, "READY=1\nSTATUS=\(status)") }

  package static func status(_ status: String) { sd_notify(0, "STATUS=\(status)") }

  /// The service reloads its configuration; `ready` follows.
  ///
  /// systemd uses the time, in microseconds of CLOCK_MONOTONIC, to match the notification with its reload request.
  package static func reloading(at microseconds: Int64) {
    sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }

  package static func stopping() { sd_notify(0, "STOPPING=1") }
}

package enum PassedSocket {
  /// Something else was passed: this many descriptors, not one listening Unix stream socket.
  package struct Unsuitable: Error {
    package let count: Int
  }

  /// Adopts the socket; nil if nothing was passed.
  package static func adopt() throws(Unsuitable) -> Descriptor? {
    let count = sd_listen_fds(1)
    guard count >= 1 else { return nil }
    let number = SD_LISTEN_FDS_START
    guard count == 1, sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), 1, nil, 0) == 1 else {
      throw Unsuitable(count: Int(count))
    }
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    return Descriptor(number)
  }
}
