internal import Glibc
internal import PressureDesktop
internal import PressureSettings
internal import PressureSystem

extension UinputAccess {
  /// The rule of udev, its file, and what its presence means.
  private static let rule =
    #"KERNEL=="uinput", SUBSYSTEM=="misc", TAG+="uaccess", OPTIONS+="static_node=uinput""#
  private static let file = "/etc/udev/rules.d/70-pressured-uinput.rules"

  /// Gives the user at the machine access to /dev/uinput, or takes it away again; requires root.
  static func set(isAllowed: Bool) throws(ExitError) {
    guard geteuid() == 0 else {
      throw ExitError(
        "only root can do that; run: sudo pressured bind \(isAllowed ? "--allow-keys" : "--forbid-keys")",
        .permissionDenied)
    }
    if isAllowed {
      try SystemError.orExit(.cannotCreate, try AtomicFile.write(Array("\(rule)\n".utf8), to: file))
      _ = UnitFinding.run(["modprobe", "uinput"])
    } else if unlink(file) != 0, errno != ENOENT {
      throw ExitError(SystemError(attempt: "remove \(file)", number: errno).sentence, .cannotCreate)
    }
    let isInForce =
      UnitFinding.run(["udevadm", "control", "--reload"]) != nil
      && UnitFinding.run(["udevadm", "trigger", "--settle", "--action=change", "/dev/uinput"])
        != nil
    let when = isInForce ? "" : " after the next start of the machine"
    print(
      isAllowed
        ? "Programs of the user at the machine may press keys\(when): any of them may type and click as this user."
        : "Programs may no longer press keys\(when).")
  }
}
