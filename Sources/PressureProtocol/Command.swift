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
