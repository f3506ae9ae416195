internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// The findings of `pressured doctor`, as text and as JSON for bug reports.
struct Diagnosis: Encodable {
  let version = Version.current
  let machine: Machine

  /// The errors in the configuration files.
  let configurationFaults: [String]

  /// The states of the installed units; empty without systemd or without the service.
  let units: [UnitFinding]

  let daemon: DaemonFinding

  /// Whether the service serves this user.
  let access: AccessFinding

  /// The touch devices, supported or not, and the nodes that cannot be opened.
  let devices: [DeviceFinding]

  /// The number of input devices that are not touch devices.
  let others: Int

  /// Whether `pressured pen` can draw: `possible`, or what it needs.
  let pen: PenFinding

  /// The next step for the user, in one sentence.
  let next: String

  /// The exit status: 0 if the service serves this user, and reads a device with usable values.
  let status: Int32

  private enum CodingKeys: String, CodingKey {
    case version, machine, units, daemon, access, devices, others, pen, next, status
    case configurationFaults = "configuration_faults"
  }

  init(
    machine: Machine, configurationFaults: [String], units: [UnitFinding],
    daemon: DaemonFinding, access: AccessFinding, devices: [DeviceFinding], others: Int
  ) {
    self.machine = machine
    self.configurationFaults = configurationFaults
    self.units = units
    self.daemon = daemon
    self.access = access
    self.devices = devices
    self.others = others
    pen = PenFinding(daemon.devices?.map(\.capability), mayControl: daemon.permitsControl)
    next = Advice.sentence(machine, configurationFaults, units, daemon, access, devices)
    status = Diagnosis.status(configurationFaults, units, daemon, devices)
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

  /// Examines the machine without changing anything; requires neither a daemon nor permissions nor devices.
  ///
  /// - Parameters:
  ///   - socket: the argument of `--socket`.
  ///   - configuration: the configuration, or the defaults if it cannot be read.
  ///   - service: the configuration of the service, or the defaults if it cannot be read.
  ///   - faults: the errors in the configuration.
  ///   - stateFolders: the folders that may contain calibrations; the first match counts.
  /// - Returns: the findings.
  static func make(
    socket: String?, _ configuration: Configuration, service: Configuration, faults: [String],
    stateFolders: [String]
  ) -> Diagnosis {
    // Before the daemon is queried, because the query may start it by socket activation.
    let units = UnitFinding.installed()
    let daemon = DaemonFinding.query(named: socket)
    var devices: [DeviceFinding] = []
    var others = 0
    let stores = stateFolders.map { CalibrationStore(stateFolder: $0) }
    var names = DeviceNames()
    let nodes = DeviceFolder.nodes()
    for node in nodes {
      let used = daemon.received.first { $0.node == node }
      do throws(DeviceError) {
        let description = try EvdevDevice(opening: node).description
        let (surface, id) = try names.surface(of: description, under: configuration)
        let findings = stores.map { $0.find(id, settingAside: false) }
        let stored = findings.first { $0.fit != nil || !$0.warnings.isEmpty }
        var finding = DeviceFinding(node, description, surface, id, stored)
        if let used { finding.adopt(used) }
        devices.append(finding)
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
    devices += daemon.received.filter { !nodes.contains($0.node) }
      .map { DeviceFinding($0.node, $0) }
    let machine = Machine.current()
    return Diagnosis(
      machine: machine, configurationFaults: faults, units: units,
      daemon: daemon,
      access: AccessFinding.make(service.access, for: machine, LoginMonitor.seatsNow()),
      devices: devices, others: others)
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
    lines.append(Diagnosis.sentence(devices.count, others))
    lines.append("pen: \(pen.sentence)")
    lines.append("next: \(next)")
    return lines.map(\.onOneLine)
  }

  private static func sentence(_ count: Int, _ others: Int) -> String {
    switch (count, others) {
    case (0, 0): "devices: there are no input devices in \(DeviceFolder.path)"
    case (0, _): "devices: none of the \(others) input devices is a touch device"
    case (_, 0): "devices: \(count)"
    default: "devices: \(count), and \(others) that are not touch devices"
    }
  }
}

extension UnitFinding {
  fileprivate var sentence: String {
    let reason = result.map { ", \($0)" } ?? ""
    let ending = status.map { ", status \($0)" } ?? ""
    return "unit \(unit): \(state) (\(detail)\(hasFailed ? reason + ending : ""))"
  }
}

extension DaemonFinding {
  fileprivate var sentence: String {
    guard let path else { return fault ?? "none" }
    let devices = devices.map { list in
      list.isEmpty
        ? "no device"
        : list.map { $0.device + ($0.isBroken ? " (its pressure axis never changes)" : "") }
          .joined(separator: ", ")
    }
    return "version \(version ?? "unknown") answers at \(path), and reads "
      + (devices ?? "unknown devices")
  }
}

extension DeviceFinding {
  fileprivate var lines: [String] {
    guard refusal == nil else {
      let owner = rights.group.map { " (\(rights.mode ?? "?"), group \($0))" } ?? ""
      return ["\(node)\(rights.isReadable ? "" : owner): \(refusal ?? "")"]
    }
    var lines = [
      "\(node): \(name ?? "") (\(device ?? ""))",
      "  pressure: \(axis)",
      "  capability: \(capability ?? "none"), \(meaning)",
      "  grams: \(weightSource ?? "none"), \(gramsMeaning)",
      "  quirk: \(quirk ?? "none")",
      "  calibration: \(weightSource == "calibrated" && calibration == nil ? "that of the daemon" : stored)",
    ]
    lines += verdictLines
    if let padSettings { lines.append("  settings: \(padSettings)") }
    if let desktop { lines.append("  desktop: \(desktop.sentence)") }
    return lines + complaints.map { "  calibration error: \($0)" }
  }

  private var verdictLines: [String] {
    guard let verdict else { return [] }
    let certainty = verdict.certainty.map { ", \($0)" } ?? ""
    return ["  verdict: \(verdict.measures)\(certainty)"] + verdict.reasons.map { "    \($0)" }
  }

  private var axis: String {
    let isOwn = perContact == true && axes?["ABS_MT_PRESSURE"] != nil
    let name = isOwn ? "ABS_MT_PRESSURE" : "ABS_PRESSURE"
    guard let axis = axes?[name] else { return "none, \(slots ?? 0) slots" }
    let units = axis.resolution > 0 ? Double(axis.resolution).asUnitsPerGram : "no resolution"
    let sharing = perContact == true ? "one value per contact" : "one value for all contacts"
    let total = reportsTotal == true ? ", ABS_PRESSURE is their total" : ""
    let maximum = effectiveMaximum.map { ", effective maximum \($0)" } ?? ""
    return "\(name) \(axis.minimum) to \(axis.maximum), \(units)\(maximum), \(slots ?? 0) slots, "
      + sharing + total
  }

  private var meaning: String {
    switch capability {
    case "force": "measures force"
    case "size": "usually the contact area, not force"
    case "broken": "its pressure axis never changes"
    default: "no pressure axis"
    }
  }

  private var gramsMeaning: String {
    switch weightSource {
    case "calibrated": "from known weights"
    case "kernel": "from the axis resolution, which is rounded"
    case "descriptor": "from the unit in the report descriptor"
    case "nominal": "an estimate, not calibrated"
    default: "cannot weigh"
    }
  }

  private var stored: String {
    guard let calibration else { return "none" }
    var error = JSONLinesWriter(capacity: 64)
    error.append(calibration.errorGrams, decimals: 2)
    let force = calibration.isInForce ? "" : "; not in force: the axis has another range"
    return "\(calibration.points) points, \(calibration.shape), accurate to about ±\(error.text) g"
      + force
  }
}
