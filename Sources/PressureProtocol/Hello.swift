/// The first line that a client gets.
public enum Hello {
  /// The version of the protocol; it changes only if a reader of the old one could not go on.
  public static let protocolVersion: Int64 = 1

  /// The clock that the times of a stream are of.
  public enum Clock: String, Sendable {
    /// CLOCK_MONOTONIC.
    case monotonic
    /// The recording's own.
    case file
  }
}

extension JSONLinesWriter {
  /// Adds the greeting.
  public mutating func appendHello(version: String, clock: Hello.Clock) {
    append("{\"event\":\"hello\",\"protocol\":")
    append(Hello.protocolVersion)
    append(",\"version\":")
    append(quoted: version)
    append(",\"clock\":")
    append(quoted: clock.rawValue)
    append(",\"commands\":")
    append(quoted: Command.names)
    append(",\"events\":")
    append(quoted: EventName.allCases.map(\.rawValue))
    append("}\n")
  }

  /// Adds the versions, as the answer to `version` has them.
  public mutating func appendVersions(_ version: String) {
    append("{\"version\":")
    append(quoted: version)
    append(",\"protocol\":")
    append(Hello.protocolVersion)
    append("}")
  }

  /// Adds a list of texts.
  public mutating func append(quoted texts: [String]) {
    append("[")
    for (index, text) in texts.enumerated() {
      if index > 0 { append(",") }
      append(quoted: text)
    }
    append("]")
  }

  /// Adds the line that says how much did not fit into a client's buffer.
  public mutating func appendMissed(_ count: Int) {
    append("{\"event\":\"missed\",\"count\":")
    append(Int64(count))
    append("}\n")
  }
}
