internal import Glibc

/// This user's access to /dev/uinput, through which programs create input devices.
package enum UinputAccess {
  private static let path = "/dev/uinput"

  /// Whether this user may create input devices; 0, or the error number of opening the node.
  package static func obstacle() -> Int32 {
    let file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return errno }
    close(file)
    return 0
  }

  /// What the user can do about an error, as the end of its message; nil if it is not one of permissions.
  package static func advice(for number: Int32) -> String? {
    switch number {
    case ENOENT, ENODEV: "load the kernel module: sudo modprobe uinput"
    case EACCES, EPERM:
      "to give your session access, put this udev rule into "
        + "/etc/udev/rules.d/70-pressured-uinput.rules: "
        + #"KERNEL=="uinput", SUBSYSTEM=="misc", TAG+="uaccess", OPTIONS+="static_node=uinput""#
    default: nil
    }
  }
}
