internal import ArgumentParser
internal import PressureDevices
internal import PressureKit
internal import PressurePads
internal import PressureProtocol
internal import PressureSystem

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

  func run() throws(ExitError) {
    let configuration = try ConfigurationOptions.read()
    let nodes = DeviceFolder.nodes()
    let daemon = DaemonFinding(of: socketOptions.path, onlyDevices: true)
    guard !nodes.isEmpty || !daemon.received.isEmpty else {
      throw ExitError("there are no input devices in \(DeviceFolder.path)", .noInput)
    }
    var denied = 0
    var names = DeviceNames()
    for node in nodes {
      let sentences = describe(node, configuration, daemon, &names, &denied)
      let settings = PadFolder.settingsSentence(ofInput: node)
      DevicesCommand.print(sentences + [settings].compactMap(\.self), of: node)
    }
    for device in daemon.received where !nodes.contains(device.node) {
      let sentences = device.summary("is read by the daemon at \(daemon.path ?? "")")
      DevicesCommand.print(sentences, of: device.node)
    }
    guard denied > 0, daemon.path == nil else { return }
    let devices = "\(denied) of \(nodes.count) input device\(nodes.count == 1 ? "" : "s")"
    let silence = daemon.isForbidden ? "" : ", and no daemon answers"
    let advice =
      daemon.isForbidden
      ? "the daemon does not serve you; pressured doctor shows why"
      : Machine.current().rule == nil
        ? "run sudo pressured devices, or install the service, which can read them"
        : "start the service, which can read them: sudo systemctl enable --now pressured.socket"
    throw ExitError("no permission to read \(devices)\(silence); \(advice)", .permissionDenied)
  }

  /// Prints what is known of a node: a line, and an indented one for each further sentence.
  private static func print(_ sentences: [String], of node: String) {
    for (index, sentence) in sentences.enumerated() {
      StandardOutput.print(((index == 0 ? "\(node): " : "  ") + sentence).onOneLine)
    }
  }

  private func describe(
    _ node: String, _ configuration: Configuration, _ daemon: DaemonFinding,
    _ names: inout DeviceNames, _ denied: inout Int
  ) -> [String] {
    let used = daemon.received.first { $0.node == node }
    if let used, let path = daemon.path { return used.summary("is read by the daemon at \(path)") }
    do throws(DeviceError) {
      let device = try EvdevDevice(opening: node)
      let (surface, id) = try names.surface(of: device.description, under: configuration)
      let reading = daemon.path.map { "can be read, but the daemon at \($0) does not read it" }
      return ReceivedDevice(surface, id, at: node)?.summary(reading ?? "is read") ?? []
    } catch {
      guard error.isPermissionDenied else { return [error.sentence] }
      guard DeviceFolder.mayBeTouchDevice(node) else { return ["is not a touch device"] }
      denied += 1
      let others = daemon.path.map { "; nor does the daemon at \($0) read it" } ?? ""
      return [error.sentence + others]
    }
  }
}

extension ReceivedDevice {
  fileprivate func summary(_ reading: String) -> [String] {
    let contacts = slots == 1 ? "one contact" : "\(slots) slots"
    let reasons = verdict?.reasons ?? []
    return ["\(name) (\(device)) \(reading): \(contacts), \(meaning)"]
      + reasons.filter { $0 != "it reports no pressure" }
  }

  private var meaning: String {
    guard let pressure else { return "no pressure" }
    let source = verdict?.rangeSource
    let isRangeBelieved = source != .known(.inherited) && source != .known(.use)
    let range = isRangeBelieved ? "pressure \(pressure.minimum) to \(pressure.maximum)" : "pressure"
    let sharing = isPerContact ? "" : ", one value for all contacts"
    return switch capability {
    case .known(.force) where pressure.resolution > 0:
      "\(range), \(Double(pressure.resolution).asUnitsPerGram)\(sharing)"
    case .known(.force) where weightSource == .descriptor: "\(range), force in grams\(sharing)"
    case .known(.force): "\(range), force in unknown units\(sharing)"
    case .known(.size): "\(range), which is usually the contact area and not force\(sharing)"
    case .known(.broken): "\(range), an axis that never changes"
    case .known(.none): "no pressure"
    case .unknown: "\(range)\(sharing)"
    }
  }
}
