package import PressureKit

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

  /// Appends an `access` line; without a reason access is resumed.
  package mutating func appendAccess(
    suspended reason: SuspensionReason?, seat: String, at time: Timestamp
  ) {
    append("{\"event\":\"access\",\"time\":", time.microseconds)
    append(",\"seat\":", quoted: seat)
    append(",\"state\":", quoted: (reason == nil ? AccessState.resumed : .suspended).rawValue)
    append(",\"reason\":", quoted: reason?.rawValue)
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

/// Whether a client receives the events of the devices at a seat.
public enum AccessState: String, CaseIterable, Sendable {
  /// The client receives none until access is resumed; its contacts have been cancelled.
  case suspended
  /// The client receives events again; a snapshot of the devices follows.
  case resumed
}

/// Why access is suspended.
public enum SuspensionReason: String, CaseIterable, Sendable {
  /// The user's session is not the active one on the seat.
  case inactive
  /// The session is locked.
  case locked
  /// The login manager does not run or does not answer.
  case unavailable
}

/// A decoded `access` line.
public struct ReceivedAccess: Hashable, Sendable, Decodable {
  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The name of the seat, such as `seat0`.
  public var seat: String

  /// Whether access was suspended or resumed.
  public var state: ProtocolValue<AccessState>

  /// Why access is suspended; nil if it was resumed.
  public var reason: ProtocolValue<SuspensionReason>?

  package var sentence: String {
    guard state == .suspended else { return "touches at \(seat) are reported again" }
    let cause =
      switch reason {
      case .known(.locked): "the session is locked"
      case .known(.unavailable): "systemd-logind does not answer"
      case .known(.inactive), .unknown, nil: "this user's session is not active"
      }
    return "touches at \(seat) are not reported now: \(cause)"
  }
}
