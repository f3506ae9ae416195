internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

struct Diagnosis: Encodable {
  let version = Version.current
  let machine = Machine.current()
  let configurationFaults: [String]

  /// The installed units; empty without systemd or without the service.
  let units: [UnitFinding]
  let daemon: DaemonFinding
  let access: AccessFinding

  /// The touch devices, supported or not, and the nodes that cannot be opened.
  let devices: [DeviceFinding]

  /// The number of input devices that are not touch devices.
  let others: Int

  let pen: PenFinding

  /// Whether a force click is another button, and what is missing for it.
  let click: String

  /// The next step for the user, in one sentence: the first obstacle and how to remove it.
  private(set) var next = ""

  /// The exit status: 0 if the service serves this user, and reads a device with usable values.
  private(set) var status: Int32 = 0

  /// Examines the machine without changing anything; requires neither a daemon nor permissions nor devices.
  ///
  /// Errors in a configuration are findings; the defaults apply then. Of the folders for calibrations the first match counts.
  init(socket: String?) {
    var faults: [String] = []
    func read(_ location: ConfigurationLocation?, _ kind: InputFile.Kind) -> Configuration? {
      do throws(ConfigurationErrors) {
        return try ConfigurationFile.read(at: location, accepting: kind)
      } catch {
        faults += error.sentences
        return nil
      }
    }
    let (location, ofService) = (ConfigurationLocation.usual(), ConfigurationLocation.ofService)
    let configuration = read(location, .any) ?? Configuration()
    // The service cannot report its errors itself if it does not start.
    let isOther = ofService.path != location?.path
    let service = isOther ? read(ofService, .regular) ?? configuration : configuration
    configurationFaults = faults
    // Before the daemon is queried, because the query may start it by socket activation.
    units = UnitFinding.installed()
    daemon = DaemonFinding(of: socket)
    access = AccessFinding(service.access, for: machine, LoginMonitor.seatsNow())
    pen = PenFinding(daemon)
    click = ClickFinding(pads: (try? ClickCommand.pads(socket)) ?? []).sentence
    let stores = [StateFolder.usual(), StateFolder.system].compactMap(\.self)
      .map { CalibrationStore(stateFolder: $0) }
    (devices, others) = Diagnosis.devices(of: daemon, configuration, stores)
    next = advice
    status = firstObstacle?.rawValue ?? 0
  }

  private var firstObstacle: ExitError.Status? {
    if !configurationFaults.isEmpty { return .badConfiguration }
    if daemon.isForbidden { return .permissionDenied }
    if daemon.path == nil || units.contains(where: \.hasFailed) { return .noDaemon }
    guard let read = daemon.devices, !read.isEmpty else { return .noInput }
    let isDead = devices.contains { $0.desktop?.isDead == true }
    return !isDead && read.contains { !$0.isBroken } ? nil : .badData
  }

  private static func devices(
    of daemon: DaemonFinding, _ configuration: Configuration, _ stores: [CalibrationStore]
  ) -> ([DeviceFinding], others: Int) {
    var devices: [DeviceFinding] = []
    var others = 0
    var names = DeviceNames()
    let nodes = DeviceFolder.nodes()
    for node in nodes {
      let used = daemon.received.first { $0.node == node }
      do throws(DeviceError) {
        let description = try EvdevDevice(opening: node).description
        let (own, id) = try names.surface(of: description, under: configuration)
        var surface = own
        let findings = stores.map { $0.find(id, settingAside: false) }
        let stored = findings.first { $0.fit != nil || !$0.warnings.isEmpty }
        if let fit = stored?.fit { surface.calibrate(by: fit) }
        // The daemon's streams have shown more.
        let known = used ?? ReceivedDevice(surface, id, at: node)
        devices.append(DeviceFinding(node, description, surface, known: known, stored: stored))
      } catch {
        // It is normal that a keyboard is not readable.
        let isKeyboard = error.isPermissionDenied && !DeviceFolder.mayBeTouchDevice(node)
        if let used {
          devices.append(DeviceFinding(used))
        } else if error.isOfAnotherKind || isKeyboard {
          others += 1
        } else {
          devices.append(DeviceFinding(node, refusal: error))
        }
      }
    }
    let unlisted = daemon.received.filter { !nodes.contains($0.node) }
    return (devices + unlisted.map { DeviceFinding($0) }, others)
  }

  var lines: [String] {
    var lines = ["pressured \(version) on Linux \(machine.kernel), \(machine.processor)"]
    if let container = machine.container { lines.append("container: \(container)") }
    lines.append("you: user \(machine.userID), groups \(machine.groups.joined(separator: ", "))")
    lines.append("udev rule: \(machine.rule ?? "70-pressured.rules is not installed")")
    lines += configurationFaults.map { "configuration: \($0)" }
    lines += units.map(\.sentence)
    lines += ["daemon: \(daemon.sentence)", "access: \(access.sentence)"]
    lines += devices.flatMap(\.lines)
    let count =
      switch (devices.count, others) {
      case (0, 0): "there are no input devices in \(DeviceFolder.path)"
      case (0, _): "none of the \(others) input devices is a touch device"
      case (let known, 0): "\(known)"
      case (let known, _): "\(known), and \(others) that are not touch devices"
      }
    lines += ["devices: \(count)", "pen: \(pen.sentence)", "click: \(click)", "next: \(next)"]
    return lines.map(\.onOneLine)
  }

  // MARK: - The next step

  private var advice: String {
    if let fault = configurationFaults.first {
      return "correct the configuration: \(fault)" + (restart.map { "; then: \($0)" } ?? "")
    }
    if daemon.path == nil, let restart {
      return "the service has failed; read its log: sudo journalctl -e -u pressured; then: "
        + restart
    }
    if daemon.isForbidden { return adviceOnAccess }
    let read = devices.filter { $0.refusal == nil }
    guard let best = read.max(by: { $0.rank < $1.rank }) else { return adviceWithoutDevices }
    if daemon.path == nil {
      return machine.rule == nil
        ? "start a daemon: pressured run"
        : "start the service: sudo systemctl enable --now pressured.socket"
    }
    if daemon.devices?.contains(where: { $0.node == best.node }) == false {
      return
        "see in the daemon's log why it does not read \(best.node): sudo journalctl -u pressured, "
        + "or the output of pressured run"
    }
    guard let dead = read.first(where: { $0.desktop?.isDead == true }) else {
      return advice(on: best)
    }
    return
      "repair \(dead.device ?? dead.node) on the desktop, where libinput takes force for the size of touches. Record light and "
      + "hard ones: sudo pressured record \(dead.node) --seconds 20 --output touches.evemu. Then run "
      + "pressured doctor --libinput touches.evemu, which prints the repair"
  }

  private var adviceOnAccess: String {
    switch access.state {
    case .refused:
      "log in at the machine itself, as \(access.reason); a service joins the group instead: "
        + "sudo usermod -aG pressured $USER, and logs in again"
    case .suspended where access.isManagerStopped:
      "start systemd-logind: sudo systemctl start systemd-logind"
    case .suspended: "make this user's session the active one: \(access.reason)"
    case .always, .seat:
      "unlock the session. If it is not locked, the service's log has the reason: sudo journalctl -u pressured. "
        + "After an upgrade restart the socket: sudo systemctl restart pressured.socket"
    }
  }

  /// The command that restarts failed units, which systemd does not retry; nil if none has failed.
  private var restart: String? {
    let names = units.filter(\.hasFailed).map(\.unit).joined(separator: " ")
    guard !names.isEmpty else { return nil }
    return "sudo systemctl reset-failed \(names) && sudo systemctl restart pressured.socket"
  }

  private var adviceWithoutDevices: String {
    if let denied = devices.first(where: { !$0.rights.isReadable }) {
      if machine.rule != nil {
        return "start the service, which may read it: sudo systemctl enable --now pressured.socket"
      }
      if denied.rights.isForGroup, let group = denied.rights.group, machine.groups.contains(group) {
        return "log in again: you are in the group \(group), and \(denied.node) cannot be opened"
      }
      // Joining the node's own group is never advised: its members can read every keystroke.
      return
        "install the service: its udev rule 70-pressured.rules, which is missing, lets it read "
        + "\(denied.node); do not join a group that can read input devices"
    }
    if let refused = devices.first {
      return "\(refused.node) cannot be used: \(refused.refusal ?? "it is not supported")"
    }
    if let container = machine.container {
      return "make \(DeviceFolder.path) available in this container (\(container)), or play a "
        + "recording: pressured run --replay FILE"
    }
    return "plug in a touch device, or play a recording: pressured run --replay FILE"
  }

  private func advice(on device: DeviceFinding) -> String {
    let name = device.device ?? device.node
    guard device.node.hasPrefix(DeviceFolder.path) else {
      return "see what \(device.node) contains, which this daemon plays: \(command("watch"))"
    }
    switch (device.capability, device.weightSource) {
    case ("none", _):
      return "hold a finger still for 0.3 s: \(name) has no pressure axis, so presses are simulated"
    case ("broken", _):
      return "report \(name) with pressured doctor --json: its pressure axis never changes"
    case (_, "nominal"):
      return "calibrate \(name) with two known weights, because its grams are an estimate: "
        + command("calibrate", asRoot: !daemon.permitsControl)
    default: return "place something on \(name): \(command("weigh"))"
    }
  }

  /// A command line that connects to the daemon that was found, for root with the default paths of root.
  private func command(_ verb: String, asRoot: Bool = false) -> String {
    let isDefault = daemon.isDefault && (!asRoot || daemon.path == SocketPath.system)
    let place = isDefault ? nil : daemon.path
    return (asRoot ? "sudo " : "") + "pressured \(verb)" + (place.map { " --socket \($0)" } ?? "")
  }
}

extension DeviceError {
  /// Whether the device is not a touch device, so that it is counted but not listed.
  fileprivate var isOfAnotherKind: Bool {
    guard case .unsupported(_, let refusal) = self else { return false }
    return switch refusal {
    case .keyboard, .noPosition, .fakeSlots, .pen, .noTouch: true
    case .incompleteSlots, .protocolA, .tooManySlots: false
    }
  }
}

extension DeviceFinding {
  /// Orders devices by what they measure; the advice is about the best one.
  fileprivate var rank: Int {
    ["none", "broken", "size", "force"].firstIndex { $0 == capability } ?? 0
  }
}
