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
  /// What the client wants to hear from now on.
  case subscribe(SubscriptionRequest)

  /// The verbs, in the order of the manual page.
  public static let names = ["help", "ping", "version", "devices", "state", "subscribe"]

  /// Understands a request, or says what is wrong with it.
  public init(_ request: Request) throws(RequestFault) {
    var arguments = Arguments(request)
    switch request.verb {
    case "help": self = .help
    case "ping": self = .ping
    case "version": self = .version
    case "devices": self = .devices
    case "state": self = .state(device: try arguments.text("device"))
    case "subscribe": self = .subscribe(try SubscriptionRequest(&arguments))
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
    """
}

/// What a client wants to hear; what is nil is left as it is by default.
public struct SubscriptionRequest: Hashable, Sendable {
  /// Names of events; nil for all, an empty list for silence.
  public var events: [String]?

  /// Names of devices; nil for all.
  public var devices: [String]?

  /// Readings a second for each device; 0 for every frame.
  public var maximumRate: Double?

  /// Readings that differ less from the last one, in grams, are left out.
  public var minimumChange: Double?

  public init() {}

  init(_ arguments: inout Arguments) throws(RequestFault) {
    events = try arguments.texts("events")
    devices = try arguments.texts("devices")
    maximumRate = try arguments.number("max_hz", in: 0...100_000)
    minimumChange = try arguments.number("min_change_grams", in: 0...1_000_000)
    if let stranger = events?.first(where: { !Hello.events.contains($0) }) {
      throw .badArgument(
        "\(stranger) is no event; there are \(Hello.events.joined(separator: ", "))")
    }
  }
}

/// The arguments of a request, taken one by one, so that what nobody took is unknown.
struct Arguments {
  private let verb: String
  private var rest: [String: Argument]

  init(_ request: Request) {
    verb = request.verb
    rest = request.arguments
  }

  mutating func text(_ key: String) throws(RequestFault) -> String? {
    switch take(key) {
    case nil: nil
    case .text(let text)?: text
    default: throw .badArgument("\(key) must be a text")
    }
  }

  mutating func texts(_ key: String) throws(RequestFault) -> [String]? {
    guard let argument = take(key) else { return nil }
    guard let texts = argument.texts else { throw .badArgument("\(key) must be a list of texts") }
    return texts
  }

  mutating func number(
    _ key: String, in range: ClosedRange<Double>
  ) throws(RequestFault) -> Double? {
    guard let argument = take(key) else { return nil }
    guard let number = argument.double, range.contains(number) else {
      throw .badArgument(
        "\(key) must be a number from \(Int64(range.lowerBound)) to \(Int64(range.upperBound))")
    }
    return number
  }

  /// Refuses what no one has asked for: it is probably misspelt.
  func finish() throws(RequestFault) {
    guard let stranger = rest.keys.min() else { return }
    throw .badArgument("\(verb) takes no argument \(stranger)")
  }

  private mutating func take(_ key: String) -> Argument? {
    guard let argument = rest.removeValue(forKey: key), argument != .null else { return nil }
    return argument
  }
}
