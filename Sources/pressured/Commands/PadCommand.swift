internal import ArgumentParser
internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressurePads
internal import PressureSettings
internal import PressureSystem

struct PadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pad", abstract: "Show and set the click force and the haptic strength of a pad.",
    discussion: """
      Lists the pads, or sets one: set click-force=light, medium, firm or grams, and haptics=0 to 100, in \
      percent. Settings are saved, and sent again when the pad appears and after a suspend. reset \
      deletes them. Only settings that the pad's report descriptor declares are written.

      Example: pressured pad
      """)

  /// What to do; the last three are for the units and the udev rule.
  enum Action: String, ExpressibleByArgument, CaseIterable {
    case list, set, reset, restore, serve, declares

    static var allValueStrings: [String] { ["list", "set", "reset", "restore"] }
  }

  @Argument(
    help: .init("list, set, reset or restore; list by default.", valueName: "action"),
    completion: .list(["list", "set", "reset", "restore"])) var action: Action?

  @Argument(
    help: .init("Settings, such as click-force=medium haptics=40.", valueName: "setting"),
    completion: .list([
      "click-force=light", "click-force=medium", "click-force=firm", "haptics=0", "haptics=50",
      "haptics=100",
    ])) var settings: [String] = []

  @Flag(help: "Print a JSON object for each pad, one per line.")
  var json = false

  @Option(
    "The pad, as its ID or its node; optional if only one has settings.", value: "id",
    completion: .custom { _, _, _ in
      PadFolder.pads().filter { !$0.layout.controls.isEmpty }.map(\.id)
    }) var device: String?

  @Flag(help: "Do not save the settings.")
  var once = false

  @Option(help: ArgumentHelp("Keep saved settings in this folder.", visibility: .hidden))
  var state: String?

  @Option(help: ArgumentHelp("Keep the settings in this folder.", visibility: .hidden))
  var runtime: String?

  func validate() throws {
    let action = action ?? .list
    guard action == .set || !once else { throw ValidationError("--once belongs to set") }
    guard action == .list || !json else { throw ValidationError("--json belongs to the list") }
    try require(
      [.set, .reset].contains(action) || device == nil, "--device belongs to set and reset")
    switch action {
    case .set:
      do throws(PadError) {
        _ = try PadRequest.targets(settings)
      } catch {
        throw ValidationError(error.message)
      }
    case .serve, .declares:
      guard settings.count == 1 else { throw ValidationError("name the node, such as hidraw0") }
    case .list, .reset, .restore:
      guard settings.isEmpty else {
        let advice =
          Action(rawValue: settings[0]) == nil
          ? "write set \(settings[0])" : "name one of list, set, reset and restore"
        throw ValidationError("\(action.rawValue) has no settings; \(advice)")
      }
    }
  }

  func run() throws(ExitError) {
    if action == .declares {
      // Silent, as udev asks it about each device.
      let isPad = PadFolder.pad(named: settings[0])?.layout.controls.isEmpty == false
      throw ExitError(sentences: [], status: isPad ? EXIT_SUCCESS : EXIT_FAILURE)
    }
    do throws(PadError) {
      switch action ?? .list {
      case .list: try list()
      case .set, .reset: try perform()
      case .restore: try restore()
      case .serve: try PadService.serve(settings[0], store)
      case .declares: break
      }
    } catch {
      throw ExitError(error)
    }
  }

  private var store: PadStore {
    PadStore(state: state ?? PadStore.systemState, runtime: runtime ?? PadStore.systemRuntime)
  }

  private static let noPad = PadError(
    .noPad,
    "no touchpad: no HID report descriptor declares one; pressured devices lists other touch devices"
  )

  private func list() throws(PadError) {
    let pads = PadFolder.pads()
    guard !pads.isEmpty else { throw PadCommand.noPad }
    for pad in pads {
      let state = PadState(pad, store.record(pad))
      for line in json ? [state.json] : state.lines { StandardOutput.print(line.onOneLine) }
    }
  }

  private func pad() throws(PadError) -> PadDevice {
    let pads = PadFolder.pads()
    if let device {
      let found = pads.first { [$0.id, $0.node, $0.path].contains(device) }
      if let found { return found }
      let known = pads.map(\.id).joined(separator: ", ")
      throw PadError(
        .noPad, "there is no pad \(device.quoted)" + (known.isEmpty ? "" : "; there are \(known)"))
    }
    let usable = pads.filter { !$0.layout.controls.isEmpty }
    if let pad = usable.first, usable.count == 1 { return pad }
    guard usable.isEmpty else {
      let known = usable.map(\.id).joined(separator: ", ")
      throw PadError(.badRequest, "several pads have settings: name one with --device: \(known)")
    }
    guard let first = pads.first else { throw PadCommand.noPad }
    throw PadError(.notDeclared, "\(first.name): \(first.remarks.joined(separator: "; "))")
  }

  /// Has the service of the pad set or reset it, or does so as root if there is no service.
  private func perform() throws(PadError) {
    let pad = try pad()
    let sentences: [String]
    if state == nil, runtime == nil, let path = PadClient.path(of: pad) {
      let words = action == .reset ? ["reset"] : ["set"] + settings + (once ? ["once"] : [])
      sentences = try PadClient.ask(words.joined(separator: " "), at: path)
    } else {
      // As in the service: a request that is interrupted would leave one of two settings.
      EventLoop.block([SIGTERM, SIGINT, SIGHUP])
      let controller = PadController(pad, store: store)
      sentences =
        try action == .reset
        ? controller.reset() : controller.set(PadRequest.targets(settings), isSaved: !once)
    }
    for sentence in sentences { StandardOutput.print(sentence.onOneLine) }
  }

  /// Has the services of all pads send what is saved, as after a suspend.
  private func restore() throws(PadError) {
    var last: PadError?
    for pad in PadFolder.pads() {
      guard let path = PadClient.path(of: pad) else { continue }
      do throws(PadError) {
        for sentence in try PadClient.ask("restore", at: path) {
          Log.info("\(pad.name): \(sentence)")
        }
      } catch {
        last = PadError(error.code, "\(pad.name): \(error.message)")
      }
    }
    if let last { throw last }
  }
}

private enum PadService {
  static func serve(_ node: String, _ store: PadStore) throws(PadError) {
    let pad = PadFolder.pad(named: node)
    let passed: Descriptor?
    do throws(PassedSocket.Unsuitable) {
      passed = try PassedSocket.adopt()
    } catch {
      throw PadError(.failed, "what the service manager passed is not a listening socket")
    }
    guard let pad, !pad.layout.controls.isEmpty else {
      let error = PadError(.noPad, "\(node) is not the node of a pad that can be set")
      guard ServiceNotifier.isAvailable else { throw error }
      // The pad may be gone already: the driver that was loaded first has been replaced by the pad's own. A service that ends
      // before it is ready counts as failed, whatever its exit status is.
      if let passed { PadServer.refuseAll(on: passed, error) }
      Log.info(error.message)
      return ServiceNotifier.ready(error.message)
    }
    guard let passed else {
      throw PadError(.badRequest, "no socket was passed; pressured-pad@.socket starts this")
    }
    do throws(SystemError) {
      let loop = try EventLoop()
      let controller = PadController(pad, store: store)
      let server = try PadServer(
        controller, loop: loop, listener: passed, configuration: configuration)
      // A request is performed within one turn of the loop, so that a service that is stopped leaves no half-set pad.
      let signals = try loop.onSignals([SIGTERM, SIGINT]) { _ in loop.stop() }
      ServiceNotifier.refusePrograms()
      server.applyAtStart()
      ServiceNotifier.ready("sets \(pad.name)")
      // The event sources of the loop do not retain the server.
      _ = try withExtendedLifetime((server, signals)) { () throws(SystemError) in try loop.run() }
    } catch {
      throw PadError(.failed, error.sentence)
    }
  }

  /// The configuration of the daemon, for the users under `control`; without a valid one only root is served.
  private static var configuration: Configuration {
    do throws(ConfigurationErrors) {
      return try ConfigurationFile.read(at: .ofService)
    } catch {
      for sentence in error.sentences { Log.warning(sentence) }
      var configuration = Configuration()
      configuration.access.seat = false
      return configuration
    }
  }
}

extension ExitError {
  fileprivate init(_ error: PadError) {
    let status: Status =
      switch error.code {
      case .badRequest: .usage
      case .notPermitted: .permissionDenied
      case .busy, .noAnswer: .timedOut
      case .noPad, .gone: .noInput
      case .notDeclared, .outOfRange, .unknownValue, .padError: .badData
      case .notSaved: .cannotCreate
      case .failed: .internalError
      }
    self.init(error.message, status)
  }
}
