/// A request that is understood.
public enum Command: Hashable, Sendable {
  /// A text for people.
  case help
  /// A sign of life.
  case ping
  /// The versions of program and protocol.
  case version
  /// All devices that are read.
  case devices
  /// What lies on each device.
  case state(device: String?)
  /// The quick actions that there are.
  case actions
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
  case stats
  /// The configuration, to be read again.
  case reload

  /// Understands a request, or says what is wrong with it.
  public init(_ request: Request) throws(RequestFault) {
    var arguments = Arguments(request)
    switch request.verb {
    case "help": self = .help
    case "ping": self = .ping
    case "version": self = .version
    case "devices": self = .devices
    case "state": self = .state(device: try arguments.text("device"))
    case "subscribe": self = .subscribe(try Subscription(&arguments))
    case "actions": self = .actions
    case "perform":
      guard let type = try arguments.text("type") else {
        throw .badArgument("perform needs a type, as in perform type=local.next; try actions")
      }
      self = .perform(type: type, device: try arguments.text("device"))
    case "calibrate":
      self = .calibrate(
        device: try arguments.text("device"), try CalibrationStep(&arguments))
    case "stats": self = .stats
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
      throw RequestFault(.unknownCommand, "\(request.verb.glance) is not a command; try help")
    }
    try arguments.finish()
  }
}
