public import PressureKit

/// A request that is understood.
public enum Command: Hashable, Sendable {
  /// A text for people.
  case help
  /// A sign of life.
  case ping
  /// The versions of program and protocol.
  case version
  /// All devices that are read.
  case devices(from: Int)
  /// What lies on each device.
  case state(device: String?, from: Int)
  /// The quick actions that there are.
  case actions(from: Int)
  /// Adds a quick action for as long as the client is connected.
  case addAction(Action)
  /// Removes one that the client has added.
  case removeAction(type: String)
  /// A quick action by its type.
  case perform(type: String, device: String?)
  /// What the client wants to hear from now on.
  case subscribe(Subscription)
  /// The next stable reading of a scale, for which somebody waits so many milliseconds.
  case weigh(device: String?, timeoutMilliseconds: Int)
  /// Something for a scale to do at once, after which it says what it reads.
  case scale(ScaleRequest, device: String?)
  /// A net weight to be reached; nil asks which it is, and one of 0 g is none.
  case target(ScaleTarget?, device: String?)
  /// How many pieces lie on a scale; with a sample, how many there are now.
  case count(sample: Int?, device: String?)
  /// The last stable readings of a scale.
  case history(last: Int, device: String?)
  /// A step of a calibration by known weights.
  case calibrate(device: String?, CalibrationStep)
  /// Whether touches of a device are for the daemon and its clients alone.
  case grab(device: String?, isOn: Bool)
  /// What has been done so far, in numbers.
  case stats(from: Int)
  /// The configuration, to be read again.
  case reload

  /// Understands a request, or says what is wrong with it.
  public init(_ request: Request) throws(RequestError) {
    var arguments = Arguments(request)
    guard Command.names.contains(where: { $0.hasSameBytes(as: request.verb) }) else {
      throw RequestError(.unknownCommand, "\(request.verb.glance) is not a command; try help")
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
      guard let isOn = try arguments.truth("on") else {
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
      throw RequestError(.unknownCommand, "\(request.verb.glance) is not a command; try help")
    }
    try arguments.finish()
  }
}

extension Command {
  /// What a client has to be allowed to do.
  public enum Right: Hashable, Sendable {
    /// To read, which all may that may connect.
    case read
    /// To change what others read, or to have an action performed.
    case use
    /// To change what the daemon does.
    case control
  }

  /// What whoever asks for it has to be allowed.
  public var right: Right {
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
  /// Where a list that is too long for one answer goes on.
  fileprivate mutating func start() throws(RequestError) -> Int {
    guard let start = try number("from", in: 0...4_294_967_295) else { return 0 }
    guard let start = Int(exactly: start) else {
      throw .badArgument("from must be a whole number")
    }
    return start
  }
}

extension Command {
  /// Understands what changes the list of actions; nil where the verb is for something else.
  package init?(actions verb: String, _ arguments: inout Arguments) throws(RequestError) {
    switch verb {
    case "add_action": self = .addAction(try Action(&arguments))
    case "remove_action":
      guard let type = try arguments.text("type", upTo: Action.longestName) else {
        throw .badArgument("remove_action needs a type, as in remove_action type=local.lamp")
      }
      self = .removeAction(type: type)
    default: return nil
    }
  }
}

extension Action {
  /// Actions that one client may add.
  public static let mostPerClient = 32

  /// Actions that all clients together may add.
  public static let mostOfClients = 256

  // Characters of what a client may write.
  fileprivate static let longestName = 128
  private static let longestText = 256
  private static let longestPath = 4096
  private static let longestInfo = 1024
  private static let mostInfo = 16

  fileprivate init(_ arguments: inout Arguments) throws(RequestError) {
    let type = try arguments.text("type", upTo: Action.longestName)
    let title = try arguments.text("title", upTo: Action.longestText)
    guard let type, let title else {
      throw .badArgument(
        "add_action needs a type and a title, as in add_action type=local.lamp title=Lamp")
    }
    self.init(type: type, title: title)
    subtitle = try arguments.text("subtitle", upTo: Action.longestText)
    icon = try arguments.text("icon", upTo: Action.longestText)
    iconFile = try arguments.text("icon_file", upTo: Action.longestPath)
    userInfo = try arguments.texts(
      "user_info", entries: Action.mostInfo, keysUpTo: Action.longestName,
      upTo: Action.longestInfo)
    trigger = try ActionTrigger.read(&arguments)
  }

  fileprivate static func name(
    _ key: String, _ arguments: inout Arguments
  ) throws(RequestError) -> String? {
    try arguments.text(key, upTo: longestName)
  }
}

extension ActionTrigger {
  /// The press that performs an action; nil where only a request does.
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
  /// How long somebody waits for a stable reading who does not say how long, in milliseconds.
  public static let weighTimeoutMilliseconds = 10_000

  /// How long somebody may wait at most: an hour.
  private static let longestWait = 3_600_000.0

  /// Pieces in a sample at most.
  private static let pieces = 1_000_000.0

  /// Understands what is for a scale; nil where the verb is for something else.
  package init?(scale verb: String, _ arguments: inout Arguments) throws(RequestError) {
    switch verb {
    case "tare": self = .scale(.tare, device: try arguments.text("device"))
    case "untare": self = .scale(.clearTare, device: try arguments.text("device"))
    case "zero": self = .scale(.zero, device: try arguments.text("device"))
    case "hold": self = .scale(.hold, device: try arguments.text("device"))
    case "release": self = .scale(.release, device: try arguments.text("device"))
    case "weigh":
      let wait = try arguments.number("timeout_ms", in: 0...Command.longestWait)
      self = .weigh(
        device: try arguments.text("device"),
        timeoutMilliseconds: wait.map { Int($0) } ?? Command.weighTimeoutMilliseconds)
    case "target": self = .target(try .init(&arguments), device: try arguments.text("device"))
    case "count":
      let sample = try arguments.whole("sample", in: 1...Command.pieces)
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
  /// How far off a target may be of which that is not said, in grams.
  private static let standardTolerance = 1.0

  /// Grams either way that a target may be of.
  private static let mostGrams = 1_000_000.0

  fileprivate init(_ arguments: inout Arguments) throws(RequestError) {
    let grams = try arguments.number("grams", in: -Self.mostGrams...Self.mostGrams)
    let tolerance = try arguments.number("tolerance", in: 0...Self.mostGrams)
    guard let grams else {
      guard tolerance == nil else {
        throw .badArgument("a tolerance needs grams, as in target grams=100 tolerance=2")
      }
      self = nil
      return
    }
    self = ScaleTarget(grams: grams, tolerance: tolerance ?? Self.standardTolerance)
  }
}

extension Arguments {
  fileprivate mutating func whole(
    _ key: String, in range: ClosedRange<Double>
  ) throws(RequestError) -> Int? {
    guard let number = try number(key, in: range) else { return nil }
    guard let whole = Int(exactly: number) else {
      throw .badArgument("\(key) must be a whole number")
    }
    return whole
  }
}
