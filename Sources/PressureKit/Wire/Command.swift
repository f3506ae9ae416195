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

  /// The verbs, in the order of the manual page.
  public static let names = [
    "help", "ping", "version", "devices", "state", "subscribe", "weigh", "tare", "untare", "zero",
    "hold", "release", "target", "count", "history", "actions", "perform", "stats", "calibrate",
    "grab", "reload",
  ]

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

  /// What `help` answers.
  public static let helpText = """
    help                      this text
    ping                      a sign of life
    version                   the versions of program and protocol
    devices                   the devices that are read
    state [device=D]          what lies on each device
    subscribe [events=E,…] [devices=D,…] [max_hz=N] [min_change_grams=G]
                              what to hear from now on; max_hz=0 is every frame
    weigh [device=D] [timeout_ms=N]
                              the next stable reading; nothing else is answered before it
    tare [device=D]           what lies there now does not count
    untare [device=D]         all that lies there counts again
    zero [device=D]           what is read now is nothing; only near zero
    hold [device=D]           the reading stays as it is
    release [device=D]        the reading follows again
    target [device=D] [grams=G] [tolerance=G]
                              a net weight to be reached; grams=0 is none
    count [device=D] [sample=N]
                              how many pieces there are; sample=N says how many there are now
    history [device=D] [last=N]
                              the last stable readings
    actions                   the quick actions that there are
    perform type=T [device=D] performs one; the answer says whether it was handled
    stats                     what has been done so far, in numbers
    calibrate [device=D] step=begin
                              measures the empty surface; then, with known weights on it,
    calibrate [device=D] step=point grams=G
                              twice or more; each lies still for a second before
    calibrate [device=D] step=finish
                              weighs by them from the next touch on; or step=cancel
    grab [device=D] on=true   its touches no longer reach the desktop, until on=false or you leave;
                              begins and ends only while nothing touches it
    reload                    reads the configuration again; it holds from the next touch on
    """
}
