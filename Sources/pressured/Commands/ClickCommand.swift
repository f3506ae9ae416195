internal import ArgumentParser
internal import Glibc
internal import PressureClient
internal import PressureDesktop
internal import PressureDevices
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

struct ClickCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "click",
    abstract: "Make a force click another button, in place of the left click.",
    discussion: """
      Writes a plugin for libinput, which desktops load at the next login: set deep=middle, right, back, \
      forward or nothing, and force=light, medium, firm or grams for a click force of your own. off \
      removes it. Without an action it prints what this desktop can do, what is set and what is missing.

      Example: pressured click
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable {
    case show, set, off
  }

  @Argument(
    help: .init("show, set or off; show by default.", valueName: "action"),
    completion: .list(Action.allCases.map(\.rawValue)))
  var action: Action?

  @Argument(
    help: .init("What to set, such as deep=middle force=light.", valueName: "setting"),
    completion: .list(
      ClickPlugin.Button.allCases.map { "deep=\($0.rawValue)" }
        + ["force=light", "force=medium", "force=firm"]))
  var settings: [String] = []

  @Flag(name: .customLong("try"), help: "Print what each click would become; changes nothing.")
  var tries = false

  @Option("Try it with a recording.", value: "file", completion: .recording)
  var replay: String?

  @Option(help: ArgumentHelp("Keep the plugin in this folder.", visibility: .hidden))
  var folder: String?

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    if tries || replay != nil, action != nil { throw ValidationError("--try has no action") }
    if replay != nil, !tries { throw ValidationError("--replay belongs to --try") }
    try require(action == .set || settings.isEmpty, "only set has settings")
    if action == .set { _ = try choices() }
  }

  func run() throws(ExitError) {
    if tries { return try tryOut() }
    switch action ?? .show {
    case .show:
      let pads = try ClickCommand.pads(socketOptions.path)
      let finding = ClickFinding(pads: pads, folder: folder)
      for line in finding.lines { StandardOutput.print(line.onOneLine) }
    case .set: try set()
    case .off: try remove()
    }
  }

  // MARK: - Setting

  /// Grams that a finger presses with; a light touch has some 60 g.
  private static let grams = 60.0...350.0

  /// A button is released at this part of the force at which it is pressed, as in the sensitivities by name.
  private static let releasePart = 0.8

  private func choices() throws(ValidationError) -> (button: ClickPlugin.Button, force: String?) {
    var (button, force) = (ClickPlugin.Button?.none, String?.none)
    for setting in settings {
      let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
      switch (parts.first, parts.last) {
      case ("deep", let value?) where ClickPlugin.Button(rawValue: value) != nil:
        button = ClickPlugin.Button(rawValue: value)
      case ("force", let value?)
      where [PressFeel.light, .medium, .firm].contains { $0.rawValue == value }
        || ClickCommand.grams.contains(Double(value) ?? 0):
        force = value
      default:
        let names = ClickPlugin.Button.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError(
          "\(setting.quoted) is not deep= with one of \(names), or force= with light, medium, firm or 60 to 350 grams"
        )
      }
    }
    guard let button else { throw ValidationError("set needs deep=, such as deep=middle") }
    return (button, force)
  }

  private func set() throws(ExitError) {
    let pads = try ClickCommand.pads(socketOptions.path)
    guard let choices = try? choices() else { return }
    var written: [ClickPlugin.Pad] = []
    for pad in pads {
      guard var entry = pad.entry else { continue }
      if let force = choices.force {
        guard let own = button(force, of: pad) else {
          throw ExitError(
            "\(pad.name) does not measure grams; write force=light, medium or firm", .badData)
        }
        entry.values += [
          ("force", "\(own.press &- pad.minimum)"), ("release", "\(own.release &- pad.minimum)"),
        ]
      }
      written.append(entry)
    }
    let finding = ClickFinding(pads: pads, folder: self.folder)
    guard !written.isEmpty else { throw ExitError(finding.sentenceOnPads, .noInput) }
    let plugin = ClickPlugin(
      settings: settings.joined(separator: " "), button: choices.button, pads: written)
    let folder = finding.folder
    do throws(SystemError) {
      try plugin.write(to: folder)
    } catch {
      guard error.number == EACCES || error.number == EPERM else {
        throw ExitError(error.sentence, .cannotCreate)
      }
      throw ExitError(
        "\(finding.nameOfDesktop) reads plugins only from \(folder), which belongs to root; run: "
          + "sudo pressured click set \(settings.joined(separator: " "))", .permissionDenied)
    }
    StandardOutput.print(
      "written: \(folder)/\(ClickPlugin.fileName); it takes effect at the next login")
    for sentence in finding.obstacles { Log.warning(sentence) }
  }

  private func button(_ force: String, of pad: ClickPad) -> (press: Int32, release: Int32)? {
    var press = PressConfiguration()
    if let feel = PressFeel(rawValue: force) {
      press.feel = feel
      guard let stage = pad.surface.stages(of: press, clicks: pad.clicks).first else { return nil }
      return pad.surface.raw(of: stage.threshold, in: stage.unit, press)
    }
    guard pad.surface.gramsAreTrue, let grams = Double(force),
      let threshold = try? Threshold(press: grams, release: grams * ClickCommand.releasePart)
    else { return nil }
    return pad.surface.raw(of: threshold, in: .grams, press)
  }

  private func remove() throws(ExitError) {
    let installed = ClickFinding(pads: [], folder: folder).installed
    // Both folders may be the same one, by a link or by XDG_CONFIG_HOME.
    for (folder, _, _) in installed where ClickPlugin.installed(in: folder) != nil {
      let path = "\(folder)/\(ClickPlugin.fileName)"
      guard unlink(path) == 0 else {
        let error = SystemError(attempt: "remove \(path)", number: errno)
        throw ExitError("\(error.sentence); run: sudo pressured click off", .permissionDenied)
      }
      StandardOutput.print("removed: \(path); force clicks are clicks again from the next login on")
    }
    if installed.isEmpty { StandardOutput.print("nothing is set") }
  }
}

// MARK: - Pads

/// A touchpad, as far as this user can learn of it: from its node, or from the daemon that reads it.
struct ClickPad {
  let name: String
  let surface: Surface
  let press: PressConfiguration
  let clicks: ClickForce

  var minimum: Int32 { surface.pressure?.axis.minimum ?? 0 }

  /// Where a force click begins as far as it is known now, in units of the pressure axis; nil if the plugin cannot do it.
  var deep: Int32? {
    guard !surface.simulatesPress, let stage = surface.stages(of: press, clicks: clicks).last else {
      return nil
    }
    return surface.raw(of: stage.threshold, in: stage.unit, press)?.press
  }

  /// What the plugin needs to know of it.
  var entry: ClickPlugin.Pad? {
    guard let deep else { return nil }
    let description = surface.description
    var pad = ClickPlugin.Pad(
      bus: description.bus, vendor: description.vendor, product: description.product,
      isArea: surface.capability == .size)
    guard let numbers = surface.forceClickNumbers(press) else {
      pad.values.append(("deep", "\(deep &- minimum)"))
      return pad
    }
    pad.values += numbers.map { ($0.name, $0.value.shortDescription) }
    pad.add("strengths", clicks.strengths)
    return pad
  }
}

extension ClickCommand {
  static func pads(_ socket: String?) throws(ExitError) -> [ClickPad] {
    // The forces are those of the service, which the daemon applies.
    let configuration = try ConfigurationErrors.orExit(try ConfigurationFile.read(at: .ofService))
    let daemon = DaemonFinding(of: socket, onlyDevices: true)
    let stores = [StateFolder.usual(), StateFolder.system].compactMap(\.self)
      .map { CalibrationStore(stateFolder: $0) }
    var pads: [ClickPad] = []
    for node in DeviceFolder.nodes() {
      let received = daemon.received.first { $0.node == node }
      let opened = (try? EvdevDevice(opening: node))?.description
      guard let description = opened ?? received?.description(of: node),
        let surface = try? configuration.surface(of: description), surface.clicksBySurface
      else { continue }
      let id = DeviceID(description)
      let learned = surface.pressure.flatMap { pressure in
        stores.lazy.map { $0.learned.find(id, on: pressure.axis).learned.clicks }
          .first { $0.raw != nil }
      }
      let press = configuration.settings(for: received?.device ?? id.text).press
      pads.append(
        ClickPad(
          name: description.name, surface: surface, press: press, clicks: learned ?? ClickForce()))
    }
    return pads
  }

  // MARK: - Trying

  /// Prints what each click of the daemon's presses would become.
  private func tryOut() throws(ExitError) {
    let daemon =
      replay == nil
      ? try PrivateDaemon.startIfNoneRuns(socketOptions)
      : try PrivateDaemon(playing: replay, endsWithRecording: true)
    let connection = try socketOptions.connect(to: daemon)
    let deadline = Deadline(seconds: 3600)
    var trial = ClickTrial()
    do throws(ConnectionError) {
      var request = JSONLinesWriter()
      request.append(.subscribe(events: [.press]))
      try connection.send(request)
      while true {
        for line in try connection.nextLines(before: deadline) {
          guard let press = try? LineDecoder.decode(ReceivedPress.self, from: line) else {
            continue
          }
          if let sentence = trial.sentence(press) { StandardOutput.print(sentence) }
        }
      }
    } catch .ended where replay != nil {
    } catch {
      throw ExitError(error)
    }
  }
}

extension ReceivedDevice {
  /// The device as the daemon describes it; nil for one without a pressure axis.
  fileprivate func description(of node: String) -> DeviceDescription? {
    let numbers = device.split(separator: "-").prefix(3).compactMap { UInt16($0, radix: 16) }
    guard let pressure, numbers.count == 3, isPerContact else { return nil }
    var description = DeviceDescription()
    description.name = name
    (description.bus, description.vendor, description.product) = (
      numbers[0], numbers[1], numbers[2]
    )
    description.properties = DeviceFolder.properties(of: node)
    description.keys = [EventCode.leftButton.code, EventCode.touch.code]
    let resolution = sizeMillimeters == nil ? 0 : 1000
    func axis(_ index: Int) -> Axis {
      Axis(
        minimum: 0, maximum: Int32(clamping: Int((sizeMillimeters?[index] ?? 1) * 1000)),
        resolution: Int32(resolution))
    }
    description.axes[EventCode.positionX.code] = axis(0)
    description.axes[EventCode.positionY.code] = axis(1)
    description.axes[EventCode.slot.code] = Axis(minimum: 0, maximum: Int32(clamping: slots - 1))
    description.axes[EventCode.trackingID.code] = Axis(minimum: 0, maximum: 65535)
    description.axes[EventCode.pressure.code] = Axis(
      minimum: Int32(clamping: pressure.minimum), maximum: Int32(clamping: pressure.maximum),
      resolution: Int32(clamping: pressure.resolution))
    description.readDescriptor(of: node)
    return description
  }
}

/// What the clicks of presses become with the plugin, from the lines of the daemon.
struct ClickTrial {
  private struct Click {
    /// The stage in which the press started; before the first click of a pad it may be deep when the pad clicks.
    var firstStage: String?
    var time: Int64?
    var isDecided = false
  }

  /// The plugin must decide before the force is known, from how it rises.
  ///
  /// Whether the force comes within this time of the click, in microseconds, decides alike on 91 to 95 % of the clicks of `Tests/plugin`.
  private static let soon: Int64 = 150_000

  private var clicks: [Int64: Click] = [:]

  /// A sentence, once it is known what a click becomes.
  mutating func sentence(_ press: ReceivedPress) -> String? {
    let isOver = press.state == .known(.ended) || press.state == .known(.cancelled)
    var click = clicks[press.contact] ?? Click()
    defer { clicks[press.contact] = isOver ? nil : click }
    if press.state == .known(.started) { click.firstStage = press.stage }
    guard press.clicked == true else { return nil }
    let time = click.time ?? press.time
    click.time = time
    let isDeep = click.firstStage.map { $0 != press.stage } ?? false
    guard !click.isDecided, isDeep || isOver else { return nil }
    click.isDecided = true
    let milliseconds = (press.time - time) / 1000
    guard isDeep else { return "a click" }
    return press.time - time <= ClickTrial.soon
      ? "a force click: its force came \(milliseconds) ms after the click"
      : "a click: the force of a force click came \(milliseconds) ms after it, which is too late"
  }
}
