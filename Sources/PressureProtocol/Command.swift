package import PressureKit

/// A parsed request: a command with its validated arguments.
package enum Command: Hashable, Sendable {
  /// Returns the list of commands as text.
  case help
  /// Does nothing, to test the connection.
  case ping
  /// Returns the versions of the program and the protocol.
  case version
  /// Lists the devices that are read.
  case devices(from: Int)
  /// Returns the contacts and the reading of each device.
  case state(device: String?, from: Int)
  /// Lists the quick actions.
  case actions(from: Int)
  /// Adds a quick action, until the client disconnects.
  case addAction(Action)
  /// Removes a quick action that the client has added.
  case removeAction(type: String)
  /// Performs a quick action.
  case perform(type: String, device: String?)
  /// Selects the events that the client receives.
  case subscribe(Subscription)
  /// Waits for the next stable reading of a scale, at most `timeoutMilliseconds`.
  case weigh(device: String?, timeoutMilliseconds: Int)
  /// Changes the state of a scale and returns its reading.
  case scale(ScaleRequest, device: String?)
  /// Sets the target net weight; nil returns the current target, and 0 g removes it.
  case target(ScaleTarget?, device: String?)
  /// Counts the pieces on a scale; `sample` is the known number of pieces that are on it now.
  case count(sample: Int?, device: String?)
  /// Returns the last stable readings of a scale.
  case history(last: Int, device: String?)
  /// Performs a step of a calibration with known weights.
  case calibrate(device: String?, CalibrationStep)
  /// Grabs a device, so that only the daemon receives its touches, or releases it.
  case grab(device: String?, isOn: Bool)
  /// Returns counters of the daemon, its devices and its clients.
  case stats(from: Int)
  /// Reloads the configuration.
  case reload

  /// Parses the arguments of a request.
  ///
  /// - Throws: `unknown_command` or `bad_argument`.
  package init(_ request: Request) throws(RequestError) {
    var arguments = Arguments(request)
    guard Command.names.contains(where: { $0.hasSameBytes(as: request.verb) }) else {
      throw RequestError(.unknownCommand, "\(request.verb.truncated) is not a command; try help")
    }
    switch request.verb {
    case "help": self = .help
    case "ping": self = .ping
    case "version": self = .version
    case "devices": self = .devices(from: try arguments.start())
    case "state":
      self = .state(device: try arguments.text("device"), from: try arguments.start())
    case "subscribe": self = .subscribe(try Subscription(&arguments))
    case "actions": self = .actions(from: try arguments.start())
    case "perform":
      guard let type = try arguments.text("type") else {
        throw .badArgument("perform needs a type, as in perform type=local.next; try actions")
      }
      self = .perform(type: type, device: try arguments.text("device"))
    case "calibrate":
      self = .calibrate(
        device: try arguments.text("device"), try CalibrationStep(&arguments))
    case "stats": self = .stats(from: try arguments.start())
    case "reload": self = .reload
    case "grab":
      guard let isOn = try arguments.bool("on") else {
        throw .badArgument("grab needs on=true or on=false")
      }
      self = .grab(device: try arguments.text("device"), isOn: isOn)
    default:
      if let command = try Command(scale: request.verb, &arguments) {
        self = command
        break
      }
      if let command = try Command(actions: request.verb, &arguments) {
        self = command
        break
      }
      throw RequestError(.unknownCommand, "\(request.verb.truncated) is not a command; try help")
    }
    try arguments.rejectUnknown()
  }
}

extension Command {
  /// The permissions that commands require.
  package enum Permission: Hashable, Sendable {
    /// Reading, which each connected client may do.
    case read
    /// Changing what other clients read, or performing an action.
    case use
    /// Changing the behavior of the daemon or of a device.
    case control
  }

  /// The permission that the command requires.
  package var requiredPermission: Permission {
    switch self {
    case .help, .ping, .version, .devices, .state, .actions, .subscribe, .history, .stats: .read
    case .target(let target, device: _): target == nil ? .read : .use
    case .count(let sample, device: _): sample == nil ? .read : .use
    case .perform, .weigh, .scale: .use
    case .calibrate, .grab, .reload, .addAction, .removeAction: .control
    }
  }
}

extension Arguments {
  /// Reads `from`, the index from which a truncated list continues.
  fileprivate mutating func start() throws(RequestError) -> Int {
    guard let start = try number("from", in: 0...4_294_967_295) else { return 0 }
    guard let start = Int(exactly: start) else {
      throw .badArgument("from must be an integer")
    }
    return start
  }
}

extension Command {
  /// Parses the commands that change the list of actions; nil for other verbs.
  package init?(actions verb: String, _ arguments: inout Arguments) throws(RequestError) {
    switch verb {
    case "add_action": self = .addAction(try Action(&arguments))
    case "remove_action":
      guard let type = try arguments.text("type", upTo: Action.maxNameLength) else {
        throw .badArgument("remove_action needs a type, as in remove_action type=local.lamp")
      }
      self = .removeAction(type: type)
    default: return nil
    }
  }
}

extension Action {
  /// The maximum number of actions that one client may add.
  package static let maxPerClient = 32

  /// The maximum number of actions that all clients together may add.
  package static let maxForAllClients = 256

  // Maximum lengths in Unicode scalars, and the maximum number of entries of `user_info`.
  fileprivate static let maxNameLength = 128
  private static let maxTextLength = 256
  private static let maxPathLength = 4096
  private static let maxInfoLength = 1024
  private static let maxInfoEntries = 16

  fileprivate init(_ arguments: inout Arguments) throws(RequestError) {
    let type = try arguments.text("type", upTo: Action.maxNameLength)
    let title = try arguments.text("title", upTo: Action.maxTextLength)
    guard let type, let title else {
      throw .badArgument(
        "add_action needs a type and a title, as in add_action type=local.lamp title=Lamp")
    }
    self.init(type: type, title: title)
    subtitle = try arguments.text("subtitle", upTo: Action.maxTextLength)
    icon = try arguments.text("icon", upTo: Action.maxTextLength)
    iconFile = try arguments.text("icon_file", upTo: Action.maxPathLength)
    userInfo = try arguments.texts(
      "user_info", entries: Action.maxInfoEntries, keysUpTo: Action.maxNameLength,
      upTo: Action.maxInfoLength)
    trigger = try ActionTrigger.read(&arguments)
  }

  fileprivate static func name(
    _ key: String, _ arguments: inout Arguments
  ) throws(RequestError) -> String? {
    try arguments.text(key, upTo: maxNameLength)
  }
}

extension ActionTrigger {
  /// Reads the press that performs an action; nil if only requests perform it.
  fileprivate static func read(
    _ arguments: inout Arguments
  ) throws(RequestError) -> ActionTrigger? {
    let stage = try Action.name("press", &arguments)
    let fingers = try arguments.fingers("fingers")
    let region = try Action.name("region", &arguments)
    let device = try Action.name("device", &arguments)
    guard let stage else {
      guard fingers == nil, region == nil, device == nil else {
        throw .badArgument("fingers, region and device need press, the name of a stage")
      }
      return nil
    }
    var trigger = ActionTrigger(stage: stage)
    trigger.fingers = fingers ?? trigger.fingers
    trigger.region = region
    trigger.device = device.map { Glob($0) } ?? trigger.device
    return trigger
  }
}

extension Command {
  /// The default time limit of `weigh` in milliseconds.
  package static let defaultWeighTimeoutMilliseconds = 10_000

  /// The maximum time limit of `weigh` in milliseconds: an hour.
  private static let maxWeighTimeout = 3_600_000.0

  /// The maximum number of pieces in a sample.
  private static let maxSample = 1_000_000.0

  /// Parses the commands for a scale; nil for other verbs.
  package init?(scale verb: String, _ arguments: inout Arguments) throws(RequestError) {
    switch verb {
    case "tare": self = .scale(.tare, device: try arguments.text("device"))
    case "untare": self = .scale(.clearTare, device: try arguments.text("device"))
    case "zero": self = .scale(.zero, device: try arguments.text("device"))
    case "hold": self = .scale(.hold, device: try arguments.text("device"))
    case "release": self = .scale(.release, device: try arguments.text("device"))
    case "weigh":
      let wait = try arguments.number("timeout_ms", in: 0...Command.maxWeighTimeout)
      self = .weigh(
        device: try arguments.text("device"),
        timeoutMilliseconds: wait.map { Int($0) } ?? Command.defaultWeighTimeoutMilliseconds)
    case "target": self = .target(try .init(&arguments), device: try arguments.text("device"))
    case "count":
      let sample = try arguments.whole("sample", in: 1...Command.maxSample)
      self = .count(sample: sample, device: try arguments.text("device"))
    case "history":
      let most = ScaleMemory.historyLength
      let last = try arguments.whole("last", in: 0...Double(most)) ?? most
      self = .history(last: last, device: try arguments.text("device"))
    default: return nil
    }
  }
}

extension Optional<ScaleTarget> {
  /// The default tolerance of a target in grams.
  private static let defaultTolerance = 1.0

  fileprivate init(_ arguments: inout Arguments) throws(RequestError) {
    let limit = ScaleTarget.maximumGrams
    let grams = try arguments.number("grams", in: -limit...limit)
    let tolerance = try arguments.number("tolerance", in: 0...limit)
    guard let grams else {
      guard tolerance == nil else {
        throw .badArgument("a tolerance needs grams, as in target grams=100 tolerance=2")
      }
      self = nil
      return
    }
    self = ScaleTarget(grams: grams, tolerance: tolerance ?? Self.defaultTolerance)
  }
}

extension Arguments {
  fileprivate mutating func whole(
    _ key: String, in range: ClosedRange<Double>
  ) throws(RequestError) -> Int? {
    guard let number = try number(key, in: range) else { return nil }
    guard let whole = Int(exactly: number) else {
      throw .badArgument("\(key) must be an integer")
    }
    return whole
  }
}
