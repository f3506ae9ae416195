internal import CLinux
internal import Glibc
internal import PressureSettings
internal import PressureSystem

/// What only root can permit, with one command: files of udev and systemd, settings of the service, and the programs that put them in
/// force.
///
/// Another command revokes it.
enum Grant {
  /// The user at the machine creates input devices that press keys.
  case keys
  /// This, and withholds a pad from the desktop, as a pen must.
  case pen
  /// The service writes to touch devices, to play a pulse at a hard press.
  case pulses

  func set(_ isAllowed: Bool, by words: String) throws(ExitError) {
    guard geteuid() == 0 else {
      throw ExitError("only root can do that; run: sudo pressured \(words)", .permissionDenied)
    }
    for path in paths {
      if isAllowed {
        let bytes = try text(of: path)
        try SystemError.orExit(.cannotCreate, try AtomicFile.write(bytes, to: path))
      } else if unlink(path) != 0, errno != ENOENT {
        throw ExitError(
          SystemError(attempt: "remove \(path)", number: errno).sentence, .cannotCreate)
      }
    }
    try Grant.edit(ConfigurationLocation.ofService.path, settings(isAllowed))
    // Not all machines have it as a module.
    if isAllowed, self != .pulses { _ = UnitFinding.run(["modprobe", "uinput"]) }
    var isInForce = programs(isAllowed).allSatisfy { UnitFinding.run($0, seconds: 60) != nil }
    if !isAllowed, self != .pulses {
      let tags = UnitFinding.run(["udevadm", "info", "--query=property", "--name", Grant.device])?
        .split(separator: "\n").first { $0.hasPrefix("CURRENT_TAGS=") }
      // Another package may have such a rule, so that udev still gives the device to that user.
      guard tags?.split(separator: ":").contains("uaccess") != true else {
        return print(
          "What pressured permitted is revoked, but another rule of udev gives the user at the machine \(Grant.device)."
        )
      }
      isInForce = Grant.removeAccessControlList() && isInForce
    }
    print(sentence(isAllowed, isInForce ? "" : " after the next start of the machine"))
  }

  /// Whether one of its files is there.
  var isInstalled: Bool { paths.contains { access($0, F_OK) == 0 } }

  /// Removes the access control list of the device, in which udev keeps the user at the machine until the session ends.
  ///
  /// With a list, the mode has the greatest access of all others in place of that of the group, so that it is set anew.
  private static func removeAccessControlList() -> Bool {
    let name = "system.posix_acl_access"
    // A version of 4 bytes, and entries of 8: two for the tag, two for the access, and an ID; see acl(5).
    var list = [UInt8](repeating: 0, count: 4 + 8 * 256)
    let size = getxattr(device, name, &list, list.count)
    guard size >= 0, removexattr(device, name) == 0 else {
      return [ENODATA, ENOENT, EOPNOTSUPP].contains(errno)
    }
    let mode = stride(from: 4, to: size - 7, by: 8).reduce(mode_t(0)) { mode, index in
      let access = mode_t(list[index + 2] & 7)
      return switch list[index] {
      case 0x01: mode | access << 6
      case 0x04: mode | access << 3
      case 0x20: mode | access
      default: mode
      }
    }
    return chmod(device, mode) == 0
  }

  private static let device = "/dev/uinput"

  /// Writes settings into a configuration, of which one line each is changed or inserted.
  static func edit(_ path: String, _ edits: [SettingEdit]) throws(ExitError) {
    guard !edits.isEmpty else { return }
    let text = try ConfigurationErrors.orExit(try SettingEdit.text(at: path, after: edits))
    guard let text else {
      throw ExitError(
        "\(path) has a mapping in braces or a list of stages where one line is to be changed; edit it",
        .cannotCreate)
    }
    try SystemError.orExit(.cannotCreate, try AtomicFile.write(text, to: path))
  }

  private var paths: [String] {
    switch self {
    case .keys, .pen: ["/etc/udev/rules.d/70-pressured-uinput.rules"]
    case .pulses:
      [
        "/etc/udev/rules.d/69-pressured-haptics.rules",
        "/etc/systemd/system/pressured.service.d/haptics.conf",
      ]
    }
  }

  /// The content of a file; the files of pulses are installed with the documentation of this program.
  private func text(of path: String) throws(ExitError) -> [UInt8] {
    guard self == .pulses else {
      let rule =
        #"KERNEL=="uinput", SUBSYSTEM=="misc", TAG+="uaccess", OPTIONS+="static_node=uinput""#
      return Array("\(rule)\n".utf8)
    }
    let name = path.split(separator: "/").last ?? ""
    let program = realpath("/proc/self/exe", nil)
    defer { free(program) }
    let folders = program.map { String(cString: $0) }?.split(separator: "/").dropLast(2) ?? []
    let example = "/\(folders.joined(separator: "/"))/share/doc/pressured/examples/\(name)"
    do throws(InputFile.ReadError) {
      return try InputFile.read(example, limit: 1 << 12, accepting: .regular)
    } catch {
      throw ExitError("\(example) is missing or cannot be read", .noInput)
    }
  }

  private func settings(_ isAllowed: Bool) -> [SettingEdit] {
    switch self {
    case .keys: []
    case .pen: [.seatControl(isAllowed)]
    case .pulses: [.haptics(isAllowed)] + (isAllowed ? [.pulseAtDeep] : [])
    }
  }

  private func programs(_ isAllowed: Bool) -> [[String]] {
    let reload = ["udevadm", "control", "--reload"]
    let node = ["udevadm", "trigger", "--settle", "--action=change", Grant.device]
    switch self {
    case .keys: return [reload, node]
    case .pen: return [reload, node, ["systemctl", "try-reload-or-restart", "pressured.service"]]
    case .pulses:
      // Devices stay open for pulses, so the service runs without clients; who revokes it may have enabled the service before.
      let service =
        isAllowed
        ? [
          ["systemctl", "enable", "pressured.service"],
          ["systemctl", "restart", "pressured.service"],
        ]
        : [["systemctl", "try-restart", "pressured.service"]]
      return [
        reload, ["udevadm", "trigger", "--settle", "--subsystem-match=input", "--action=change"],
        ["systemctl", "daemon-reload"],
      ] + service
    }
  }

  private func sentence(_ isAllowed: Bool, _ when: String) -> String {
    switch self {
    case .keys:
      isAllowed
        ? "Programs of the user at the machine may press keys\(when): any of them may type and click as this user."
        : "Programs may no longer press keys\(when). Those that run keep the devices that they have made."
    case .pen:
      isAllowed
        ? "The user at the machine may draw\(when): any program of this user may type and click as the user, and withhold or calibrate "
          + "the pads."
        : "The user at the machine may no longer draw, and no programs may press keys\(when). Those that run keep the devices that they "
          + "have made."
    case .pulses:
      isAllowed
        ? "A hard press plays a pulse\(when): the service may now also write to touch devices that play effects."
        : "No pulses are played\(when)."
    }
  }
}
