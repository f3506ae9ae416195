internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// All that `pressured doctor` finds, for people and for bug reports.
struct Diagnosis: Encodable {
  let version = Version.current
  let machine: Machine

  /// What is wrong with the configuration; empty where nothing is.
  let configurationFaults: [String]

  /// What systemd knows of the service; empty where it is not installed, or there is no systemd.
  let units: [UnitFinding]

  let daemon: DaemonFinding

  /// Touch devices, those that are refused for more than being something else, and nodes that cannot be
  /// opened.
  let devices: [DeviceFinding]

  /// How many input devices are none of ours.
  let others: Int

  /// One sentence on what to do next.
  let next: String

  private enum CodingKeys: String, CodingKey {
    case version, machine, units, daemon, devices, others, next
    case configurationFaults = "configuration_faults"
  }

  init(
    machine: Machine, configurationFaults: [String], units: [UnitFinding],
    daemon: DaemonFinding, devices: [DeviceFinding], others: Int
  ) {
    self.machine = machine
    self.configurationFaults = configurationFaults
    self.units = units
    self.daemon = daemon
    self.devices = devices
    self.others = others
    next = Advice.sentence(machine, configurationFaults, units, daemon, devices)
  }
}

extension Diagnosis {
  /// Looks at everything, changes nothing, and needs neither a daemon nor rights nor devices.
  ///
  /// - Parameters:
  ///   - socket: the argument of `--socket`.
  ///   - configuration: what is configured, as far as it can be read.
  ///   - faults: why it cannot.
  ///   - stateFolders: where calibrations may be, the likeliest first.
  /// - Returns: what was found.
  static func make(
    socket: String?, _ configuration: Configuration, faults: [String], stateFolders: [String]
  ) -> Diagnosis {
    var devices: [DeviceFinding] = []
    var others = 0
    let stores = stateFolders.map { CalibrationStore(stateFolder: $0) }
    var names = DeviceNames()
    for node in DeviceFolder.nodes() {
      do throws(DeviceError) {
        let (surface, id) = try names.surface(
          of: EvdevDevice(opening: node).description, under: configuration)
        let findings = stores.map { $0.find(id, settingAside: false) }
        let stored = findings.first { $0.fit != nil || !$0.warnings.isEmpty }
        devices.append(DeviceFinding(node, surface, id, stored))
      } catch {
        if error.isOfSomethingElse {
          others += 1
        } else {
          devices.append(DeviceFinding(node, refusal: error))
        }
      }
    }
    // Before the daemon is asked, which the first question may start, or fail to.
    let units = UnitFinding.look()
    return Diagnosis(
      machine: Machine.look(), configurationFaults: faults, units: units,
      daemon: DaemonFinding.ask(named: socket), devices: devices, others: others)
  }
}

extension DeviceError {
  /// Whether it is no touch device at all, of which nobody need hear.
  fileprivate var isOfSomethingElse: Bool {
    switch self {
    case .refused(_, let refusal):
      switch refusal {
      case .keyboard, .noPosition, .fakeSlots, .pen, .noTouch: true
      case .incompleteSlots, .protocolA, .tooManySlots: false
      }
    case .unreadable, .ignored: false
    }
  }
}
