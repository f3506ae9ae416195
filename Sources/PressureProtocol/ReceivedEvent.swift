/// A line of the daemon's, as its clients read it.
///
/// Names and fields are only ever added, so what a client does not know is passed over.
public enum ReceivedEvent: Hashable, Sendable {
  /// The greeting.
  case hello(ReceivedHello)
  /// A device is there, comes, goes or changes.
  case device(ReceivedDevice)
  /// A contact begins, ends or is cancelled.
  case contact(ReceivedContact)
  /// How hard each contact presses.
  case weight(ReceivedWeight)
  /// A contact presses to the full, or no longer.
  case maximumForce(ReceivedMaximumForce)
  /// Another contact is the heaviest.
  case heaviest(ReceivedHeaviest)
  /// A force gesture.
  case press(ReceivedPress)
  /// What a scale reads.
  case scale(ReceivedScale)
  /// A quick action was performed.
  case action(ReceivedAction)
  /// So many lines did not fit, as this client has not read for too long.
  case missed(count: Int)
  /// The answer to a request.
  case reply(ReceivedReply)
  /// An event that only a later daemon has.
  case other
}

extension ReceivedEvent: Decodable {
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
      case .missed: .missed(count: try line.decode(Int.self, forKey: .count))
      case .reply: .reply(try ReceivedReply(from: decoder))
      }
  }
}

/// A word of the protocol out of a few, of which a later daemon may have more.
public protocol ReceivedWord: RawRepresentable<String>, Hashable, Sendable, Decodable {
  /// What stands for a word that only a later daemon knows.
  static var unknown: Self { get }
}

extension ReceivedWord {
  public init(from decoder: any Decoder) throws {
    self = Self(rawValue: try String(from: decoder)) ?? .unknown
  }
}

/// The `hello` line, as a client reads it.
public struct ReceivedHello: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case protocolVersion = "protocol"
    case version, clock, commands, events
  }

  /// The version of the protocol.
  public var protocolVersion: Int

  /// The version of the program.
  public var version: String

  /// `monotonic`, or `file` where all times are a recording's own.
  public var clock: String

  /// What can be asked.
  public var commands: [String]

  /// What may be heard.
  public var events: [String]
}
