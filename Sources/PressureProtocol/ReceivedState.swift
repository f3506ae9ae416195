/// What lies on a device, as the answer to `state` has it.
public struct ReceivedState: Hashable, Sendable, Decodable {
  public var device: String

  /// Those that are down.
  public var contacts: [ReceivedPressure]

  /// The heaviest contact's number.
  public var heaviest: Int64?

  public var scale: ReceivedScale
}
