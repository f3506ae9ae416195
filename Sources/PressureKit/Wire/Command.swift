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

  /// The verbs, in the order of the manual page.
  public static let names = [
    "help", "ping", "version", "devices", "state", "subscribe", "actions", "perform",
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
    default:
      throw RequestFault(.unknownCommand, "\(request.verb) is not a command; try help")
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
    actions                   the quick actions that there are
    perform type=T [device=D] performs one; the answer says whether it was handled
    """
}
