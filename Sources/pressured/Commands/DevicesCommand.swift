internal import ArgumentParser
internal import Glibc
internal import PressureClient
internal import PressureDevices
internal import PressureKit
internal import PressurePads
internal import PressureProtocol
internal import PressureSystem

/// `pressured devices`: lists the input devices, and for each whether and by which process it is read.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the input devices, what each measures, and why one is not read.",
    discussion: """
      If a daemon runs, it is queried as well, because it may have permissions that you do not have. The \
      exit status is 77 if you have no permission to read a device and no daemon answers.

      Example: pressured devices
      """)

  @OptionGroup var socketOptions: SocketOptions

  func run() throws {
    try reportingErrors { () throws(ExitError) in
      let configuration = try ConfigurationOptions.read()
      let nodes = DeviceFolder.nodes()
      let daemon = DaemonListing.query(named: socketOptions.path)
      guard !nodes.isEmpty || !daemon.devices.isEmpty else {
        throw ExitError("there are no input devices in \(DeviceFolder.path)", .noInput)
      }
      var denied = 0
      var names = DeviceNames()
      for node in nodes {
        let (sentences, isDenied) = describe(node, configuration, daemon, &names)
        DevicesCommand.print(sentences, of: node)
        denied += isDenied ? 1 : 0
      }
      for device in daemon.devices where !nodes.contains(device.node) {
        let sentences = DeviceSummary(device).sentences(
          "is read by the daemon at \(daemon.path ?? "")")
        DevicesCommand.print(sentences, of: device.node)
      }
      guard denied == 0 || daemon.path != nil else {
        throw DevicesCommand.failure(denied, of: nodes.count, daemon.fault)
      }
    }
  }

  /// Prints what is known of a node: a line, and an indented one for each further sentence.
  private static func print(_ sentences: [String], of node: String) {
    for (index, sentence) in sentences.enumerated() {
      StandardOutput.print(((index == 0 ? "\(node): " : "  ") + sentence).onOneLine)
    }
  }

  /// The error for nodes that this user has no permission to read, with the next step.
  private static func failure(
    _ denied: Int, of count: Int, _ fault: ConnectionError?
  ) -> ExitError {
    let devices = "\(denied) of \(count) input device\(count == 1 ? "" : "s")"
    let silence =
      fault == nil || fault?.isPermissionDenied == true ? "" : ", and no daemon answers"
    let advice =
      fault?.isPermissionDenied == true
      ? "the daemon does not serve you; pressured doctor states why"
      : Machine.current().rule == nil
        ? "run sudo pressured devices, or install the service, which can read them"
        : "start the service, which can read them: sudo systemctl enable --now pressured.socket"
    return ExitError(
      "no permission to read \(devices)\(silence); \(advice)", .permissionDenied)
  }

  /// What can be set of its click, to follow the sentences about a device.
  private static func settings(of node: String) -> [String] {
    [PadFolder.settingsSentence(ofInput: node)].compactMap(\.self)
  }

  /// Describes a node, and reports whether it is not read for lack of permission.
  private func describe(
    _ node: String, _ configuration: Configuration, _ daemon: DaemonListing,
    _ names: inout DeviceNames
  ) -> (sentences: [String], isDenied: Bool) {
    let used = daemon.devices.first { $0.node == node }
    if let used, let path = daemon.path {
      let sentences = DeviceSummary(used).sentences("is read by the daemon at \(path)")
      return (sentences + DevicesCommand.settings(of: node), false)
    }
    do throws(DeviceError) {
      let device = try EvdevDevice(opening: node)
      let (surface, id) = try names.surface(of: device.description, under: configuration)
      let reading = daemon.path.map { "can be read, but the daemon at \($0) does not read it" }
      let sentences = DeviceSummary(surface, id).sentences(reading ?? "is read")
      return (sentences + DevicesCommand.settings(of: node), false)
    } catch {
      guard error.isPermissionDenied else { return ([error.sentence], false) }
      guard DeviceFolder.mayBeTouchDevice(node) else { return (["is not a touch device"], false) }
      let others = daemon.path.map { "; nor does the daemon at \($0) read it" } ?? ""
      return ([error.sentence + others], true)
    }
  }
}

/// The devices that a daemon reads, or why it does not answer.
private struct DaemonListing {
  var path: String?
  var devices: [ReceivedDevice] = []
  var fault: ConnectionError?

  static func query(named path: String?) -> DaemonListing {
    do throws(ConnectionError) {
      let found = try DaemonFinding.devices(named: path)
      return DaemonListing(path: found.path, devices: found.devices)
    } catch {
      return DaemonListing(fault: error)
    }
  }
}

/// A description of a device: its name, its contacts and the meaning of its pressure.
private struct DeviceSummary {
  var name: String
  var device: String
  var contacts: String
  var capability: ProtocolValue<Surface.Capability>
  var pressure: (minimum: Int, maximum: Int, resolution: Int)?
  var isPerContact: Bool
  var isInGrams: Bool
  var isRangeBelieved: Bool

  /// Why it is so; empty from a daemon of an earlier version.
  var reasons: [String]

  init(_ surface: Surface, _ id: DeviceID) {
    name = surface.description.name
    device = id.text
    contacts = surface.hasSlots ? "\(surface.slotCount) slots" : "one contact"
    capability = .known(surface.capability)
    pressure = surface.pressure.map {
      (Int($0.axis.minimum), Int($0.axis.maximum), Int($0.axis.resolution))
    }
    isPerContact = surface.isPerContact
    let verdict = surface.verdict
    isInGrams = verdict.weightSource == .descriptor
    isRangeBelieved = verdict.rangeSource != .inherited && verdict.rangeSource != .use
    reasons = verdict.reasons
  }

  init(_ received: ReceivedDevice) {
    name = received.name
    device = received.device
    contacts = received.slots == 1 ? "one contact" : "\(received.slots) slots"
    capability = received.capability
    pressure = received.pressure.map { ($0.minimum, $0.maximum, $0.resolution) }
    isPerContact = received.isPerContact
    isInGrams = received.weightSource == .known(.descriptor)
    let source = received.verdict?.rangeSource
    isRangeBelieved = source != .known(.inherited) && source != .known(.use)
    reasons = received.verdict?.reasons ?? []
  }

  /// The description, and the reasons for it.
  func sentences(_ reading: String) -> [String] {
    ["\(name) (\(device)) \(reading): \(contacts), \(meaning)"]
      + reasons.filter { $0 != "it reports no pressure" }
  }

  private var meaning: String {
    guard let pressure else { return "no pressure" }
    let range = isRangeBelieved ? "pressure \(pressure.minimum) to \(pressure.maximum)" : "pressure"
    let sharing = isPerContact ? "" : ", one value for all contacts"
    return switch capability {
    case .known(.force) where pressure.resolution > 0:
      "\(range), \(Double(pressure.resolution).asUnitsPerGram)\(sharing)"
    case .known(.force) where isInGrams: "\(range), force in grams\(sharing)"
    case .known(.force): "\(range), force in unknown units\(sharing)"
    case .known(.size): "\(range), which is usually the contact area and not force\(sharing)"
    case .known(.broken): "\(range), an axis that never changes"
    case .known(.none): "no pressure"
    case .unknown: "\(range)\(sharing)"
    }
  }
}
