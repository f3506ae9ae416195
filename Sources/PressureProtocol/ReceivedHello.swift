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
