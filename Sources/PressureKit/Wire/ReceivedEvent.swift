/// A line of the daemon's, as its clients read it.
///
/// Names and fields are only ever added, so what a client does not know is passed over.
public enum ReceivedEvent: Hashable, Sendable {
  /// A force gesture.
  case press(ReceivedPress)
  /// A quick action was performed.
  case action(ReceivedAction)
  /// The answer to a request.
  case reply(ReceivedReply)
  /// An event that is not read yet, or that a later daemon has.
  case other
}

extension ReceivedEvent: Decodable {
  private enum CodingKeys: String, CodingKey {
    case event
  }

  public init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: CodingKeys.self)
    switch try line.decode(String.self, forKey: .event) {
    case "press": self = .press(try ReceivedPress(from: decoder))
    case "action": self = .action(try ReceivedAction(from: decoder))
    case "reply": self = .reply(try ReceivedReply(from: decoder))
    default: self = .other
    }
  }
}
