/// A decoded line of the daemon.
///
/// Later daemons may add events and fields; unknown ones are ignored.
public enum ReceivedEvent: Decodable, Hashable, Sendable {
  /// The first line of each connection.
  case hello(ReceivedHello)
  /// A device is present, was added, was removed or has changed.
  case device(ReceivedDevice)
  /// A contact began, ended or was cancelled.
  case contact(ReceivedContact)
  /// The pressure of each contact.
  case weight(ReceivedWeight)
  /// A contact reached the maximum force, or was released from it.
  case maximumForce(ReceivedMaximumForce)
  /// The heaviest contact changed.
  case heaviest(ReceivedHeaviest)
  /// A press, a gesture of force, started, changed or ended.
  case press(ReceivedPress)
  /// The reading or the status of the scale changed.
  case scale(ReceivedScale)
  /// A quick action was performed.
  case action(ReceivedAction)
  /// The client's access to the devices of a seat was suspended or resumed.
  case access(ReceivedAccess)
  /// The daemon dropped `count` lines because the client did not read fast enough.
  case missed(count: Int)
  /// The reply to a request.
  case reply(ReceivedReply)
  /// An event that a later daemon has added.
  case other

  private enum CodingKeys: String, CodingKey {
    case event, count
  }

  public init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: CodingKeys.self)
    guard let name = EventName(rawValue: try line.decode(String.self, forKey: .event)) else {
      self = .other
      return
    }
    self =
      switch name {
      case .hello: .hello(try ReceivedHello(from: decoder))
      case .device: .device(try ReceivedDevice(from: decoder))
      case .contact: .contact(try ReceivedContact(from: decoder))
      case .weight: .weight(try ReceivedWeight(from: decoder))
      case .maximumForce: .maximumForce(try ReceivedMaximumForce(from: decoder))
      case .heaviest: .heaviest(try ReceivedHeaviest(from: decoder))
      case .press: .press(try ReceivedPress(from: decoder))
      case .scale: .scale(try ReceivedScale(from: decoder))
      case .action: .action(try ReceivedAction(from: decoder))
      case .access: .access(try ReceivedAccess(from: decoder))
      case .missed: .missed(count: try line.decode(Int.self, forKey: .count))
      case .reply: .reply(try ReceivedReply(from: decoder))
      }
  }
}

/// A value of one of the protocol's enumerations, to which later daemons may add values.
public enum ProtocolValue<Value: RawRepresentable<String> & Hashable & Sendable>: Hashable, Sendable
{
  /// A value that this version of the library knows.
  case known(Value)
  /// A value that a later daemon has added.
  case unknown

  /// The value as it is on the wire; `unknown` for a value that a later daemon has added.
  public var rawValue: String {
    switch self {
    case .known(let value): value.rawValue
    case .unknown: "unknown"
    }
  }

  /// Whether the left side is known and equal to the right side, as in `status == .stable`.
  public static func == (left: Self, right: Value) -> Bool { left == .known(right) }

  /// Whether the left side is unknown or differs from the right side.
  public static func != (left: Self, right: Value) -> Bool { left != .known(right) }
}

extension ProtocolValue: Codable {
  /// Encodes the value as it is on the wire.
  public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }

  public init(from decoder: any Decoder) throws {
    self = Value(rawValue: try String(from: decoder)).map(ProtocolValue.known) ?? .unknown
  }
}
