/// The `hello` line, the first line of each connection.
public enum Hello {
  /// The version of the protocol; it changes only with incompatible changes.
  public static let protocolVersion: Int64 = 1

  /// The clock of all times in the stream.
  public enum Clock: String, CaseIterable, Sendable {
    /// CLOCK_MONOTONIC of this machine.
    case monotonic
    /// The clock of the recording that is played.
    case file
  }
}

extension JSONLinesWriter {
  package mutating func appendHello(version: String, clock: Hello.Clock) {
    append("{\"event\":\"hello\",\"protocol\":", Hello.protocolVersion)
    append(",\"version\":", quoted: version)
    append(",\"clock\":", quoted: clock.rawValue)
    append(",\"commands\":", quoted: RequestDefinition.verbs)
    append(",\"events\":", quoted: EventName.allCases.map(\.rawValue))
    append("}\n")
  }

  package mutating func appendVersions(_ version: String) {
    append("{\"version\":", quoted: version)
    append(",\"protocol\":", Hello.protocolVersion)
    append("}")
  }

  /// Appends the line that reports how many lines were dropped because the client's buffer was full.
  package mutating func appendMissed(_ count: Int) {
    append("{\"event\":\"missed\",\"count\":", Int64(count))
    append("}\n")
  }
}

/// A decoded `hello` line.
public struct ReceivedHello: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case protocolVersion = "protocol"
    case version, clock, commands, events
  }

  /// The version of the protocol; this library decodes version 1.
  public var protocolVersion: Int

  /// The version of the program.
  public var version: String

  /// The clock of all times.
  public var clock: ProtocolValue<Hello.Clock>

  /// The verbs of all requests.
  public var commands: [String]

  /// The names of all events.
  public var events: [String]
}
