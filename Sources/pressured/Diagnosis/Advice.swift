internal import PressureDevices

/// What to do next, in one sentence: the first of all that stands in the way.
enum Advice {
  static func sentence(
    _ machine: Machine, _ configurationFaults: [String], _ units: [UnitFinding],
    _ daemon: DaemonFinding, _ devices: [DeviceFinding]
  ) -> String {
    if let fault = configurationFaults.first {
      return "mend the configuration: \(fault)" + (restart(units).map { "; then: \($0)" } ?? "")
    }
    if daemon.path == nil, let restart = restart(units) {
      return "the service has failed; see why: sudo journalctl -e -u pressured; mend that, then: "
        + restart
    }
    if daemon.isForbidden {
      return "join the group of the daemon's socket, and log in again: sudo usermod -aG pressured "
        + "$USER for the system's service"
    }
    let read = devices.filter { $0.refusal == nil }
    guard let best = read.max(by: { $0.worth < $1.worth }) else {
      return withoutDevices(machine, daemon, devices)
    }
    if daemon.path == nil { return start(machine) }
    if daemon.devices?.contains(where: { $0.node == best.node }) == false {
      return
        "ask the daemon's log why it does not read \(best.node): sudo journalctl -u pressured, or "
        + "what pressured run has printed"
    }
    return about(best, daemon)
  }

  /// What starts units that have failed, which systemd does not try again by itself; nil where none has.
  private static func restart(_ units: [UnitFinding]) -> String? {
    guard units.contains(where: \.hasFailed) else { return nil }
    let names = units.filter(\.hasFailed).map(\.unit).joined(separator: " ")
    return "sudo systemctl reset-failed \(names) && sudo systemctl restart pressured.socket"
  }

  /// A daemon that answers may read what this user may not.
  private static func withoutDevices(
    _ machine: Machine, _ daemon: DaemonFinding, _ devices: [DeviceFinding]
  ) -> String {
    if let used = daemon.devices?.first {
      return "press on \(used.device), which the daemon reads for you, and see: "
        + command("watch", daemon)
    }
    if let denied = devices.first(where: { !$0.rights.isReadable }) {
      return rights(to: denied, machine)
    }
    if let refused = devices.first {
      return "\(refused.node) cannot be used: \(refused.refusal ?? "it is refused")"
    }
    if let container = machine.container {
      return "give this container (\(container)) the folder \(DeviceFolder.path), or play a "
        + "recording: pressured run --replay FILE"
    }
    return "plug in a touch device, or play a recording: pressured run --replay FILE"
  }

  private static func rights(to finding: DeviceFinding, _ machine: Machine) -> String {
    if machine.rule != nil {
      return "start the service, which may read it: sudo systemctl enable --now pressured.socket"
    }
    let rights = finding.rights
    if let group = rights.group, rights.isForGroup, machine.groups.contains(group) {
      return "log in again: you are in the group \(group), and \(finding.node) cannot be opened"
    }
    // Never to join the node's own group, whose members read every key that is typed.
    return "install the service, whose rule 70-pressured.rules is missing here and lets it read "
      + "\(finding.node); you need not join any group that reads input devices"
  }

  private static func start(_ machine: Machine) -> String {
    machine.rule == nil
      ? "start a daemon: pressured run"
      : "start the service: sudo systemctl enable --now pressured.socket"
  }

  private static func about(_ device: DeviceFinding, _ daemon: DaemonFinding) -> String {
    let name = device.device ?? device.node
    let used = daemon.devices?.first { $0.node == device.node }
    switch (used?.capability ?? device.capability, used?.weightSource ?? device.weightSource) {
    case ("none", _):
      return "rest a finger for 0.3 s: \(name) feels no pressure, so presses are made up by holding"
    case ("broken", _):
      return "report \(name) with pressured doctor --json: its axis of pressure says nothing"
    case (_, "nominal"):
      return "lay two known weights on \(name) and calibrate it, as its grams are an estimate: "
        + command("calibrate", daemon)
    default:
      return "lay something on \(name): \(command("weigh", daemon))"
    }
  }

  /// A command that talks with the very daemon that was found.
  private static func command(_ verb: String, _ daemon: DaemonFinding) -> String {
    "pressured \(verb)" + (daemon.path.map { " --socket \($0)" } ?? "")
  }
}

extension DeviceFinding {
  /// The more it can say the better; of several devices one is spoken of.
  fileprivate var worth: Int {
    switch capability {
    case "force": 3
    case "size": 2
    case "broken": 1
    default: 0
    }
  }
}
