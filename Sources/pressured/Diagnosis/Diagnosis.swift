internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// The findings of `pressured doctor`, as text and as JSON for bug reports.
struct Diagnosis: Encodable {
  let version = Version.current
  let machine = Machine.current()

  /// The errors in the configuration files.
  let configurationFaults: [String]

  /// The installed units; empty without systemd or without the service.
  let units: [UnitFinding]
  let daemon: DaemonFinding

  /// Whether the service serves this user.
  let access: AccessFinding

  /// The touch devices, supported or not, and the nodes that cannot be opened.
  let devices: [DeviceFinding]

  /// The number of input devices that are not touch devices.
  let others: Int

  let pen: PenFinding

  /// The next step for the user, in one sentence.
  let next: String

  /// The exit status: 0 if the service serves this user, and reads a device with usable values.
  let status: Int32

  private enum CodingKeys: String, CodingKey {
    case version, machine, units, daemon, access, devices, others, pen, next, status
    case configurationFaults = "configuration_faults"
  }

  /// Examines the machine without changing anything; requires neither a daemon nor permissions nor devices.
  ///
  /// Configurations that cannot be read are the defaults. Of the folders for calibrations the first match counts.
  init(
    socket: String?, _ configuration: Configuration, service: Configuration, faults: [String],
    stateFolders: [String]
  ) {
    configurationFaults = faults
    // Before the daemon is queried, because the query may start it by socket activation.
    units = UnitFinding.installed()
    daemon = DaemonFinding(of: socket)
    access = AccessFinding(service.access, for: machine, LoginMonitor.seatsNow())
    pen = PenFinding(daemon)
    let stores = stateFolders.map { CalibrationStore(stateFolder: $0) }
    (devices, others) = Diagnosis.devices(of: daemon, configuration, stores)
    next = Advice.sentence(machine, faults, units, daemon, access, devices)
    status = Diagnosis.status(faults, units, daemon, devices)
  }
}

extension Diagnosis {
  /// The exit status, by the first obstacle.
  private static func status(
    _ configurationFaults: [String], _ units: [UnitFinding], _ daemon: DaemonFinding,
    _ devices: [DeviceFinding]
  ) -> Int32 {
    if !configurationFaults.isEmpty { return ExitError.Status.badConfiguration.rawValue }
    if daemon.isForbidden { return ExitError.Status.permissionDenied.rawValue }
    if daemon.path == nil || units.contains(where: \.hasFailed) {
      return ExitError.Status.noDaemon.rawValue
    }
    guard let read = daemon.devices, !read.isEmpty else { return ExitError.Status.noInput.rawValue }
    let isDead = devices.contains { $0.desktop?.isDead == true }
    return !isDead && read.contains { !$0.isBroken } ? 0 : ExitError.Status.badData.rawValue
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
        let (surface, id) = try names.surface(of: description, under: configuration)
        let findings = stores.map { $0.find(id, settingAside: false) }
        let stored = findings.first { $0.fit != nil || !$0.warnings.isEmpty }
        devices.append(DeviceFinding(node, description, surface, id, stored, inUse: used))
      } catch {
        // It is normal that a keyboard is not readable.
        let isKeyboard = error.isPermissionDenied && !DeviceFolder.mayBeTouchDevice(node)
        if let used {
          devices.append(DeviceFinding(node, used))
        } else if error.isOfSomethingElse || isKeyboard {
          others += 1
        } else {
          devices.append(DeviceFinding(node, refusal: error))
        }
      }
    }
    let unlisted = daemon.received.filter { !nodes.contains($0.node) }
    return (devices + unlisted.map { DeviceFinding($0.node, $0) }, others)
  }
}

extension DeviceError {
  /// Whether the device is not a touch device, so that it is counted but not listed.
  fileprivate var isOfSomethingElse: Bool {
    switch self {
    case .unsupported(_, let refusal):
      switch refusal {
      case .keyboard, .noPosition, .fakeSlots, .pen, .noTouch: true
      case .incompleteSlots, .protocolA, .tooManySlots: false
      }
    case .unreadable, .ignored: false
    }
  }
}

extension Diagnosis {
  /// The findings as lines of text.
  var lines: [String] {
    var lines = ["pressured \(version) on Linux \(machine.kernel), \(machine.processor)"]
    if let container = machine.container { lines.append("container: \(container)") }
    lines.append("you: user \(machine.userID), groups \(machine.groups.joined(separator: ", "))")
    lines.append("udev rule: \(machine.rule ?? "70-pressured.rules is not installed")")
    lines += configurationFaults.map { "configuration: \($0)" }
    lines += units.map(\.sentence)
    lines.append("daemon: \(daemon.sentence)")
    lines.append("access: \(access.sentence)")
    lines += devices.flatMap(\.lines)
    lines.append("devices: \(deviceCount)")
    lines.append("pen: \(pen.sentence)")
    lines.append("next: \(next)")
    return lines.map(\.onOneLine)
  }

  private var deviceCount: String {
    switch (devices.count, others) {
    case (0, 0): "there are no input devices in \(DeviceFolder.path)"
    case (0, _): "none of the \(others) input devices is a touch device"
    case (let count, 0): "\(count)"
    case (let count, _): "\(count), and \(others) that are not touch devices"
    }
  }
}
