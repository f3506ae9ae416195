package import PressureKit

extension JSONLinesWriter {
  /// Begins the reply to a successful request; the result follows, then `endReply`.
  package mutating func beginReply(to request: Request) {
    beginReplyLine(id: request.id, verb: request.verb)
    append(",\"ok\":true,\"result\":")
  }

  /// Ends a reply; of a truncated list, `next` is the `from` argument that returns the rest.
  package mutating func endReply(next: Int? = nil) {
    if let next { append(",\"next\":", Int64(next)) }
    append("}\n")
  }

  /// The length in bytes after which a list in a reply is truncated, so that another request gets the rest.
  package static var maxListLength: Int { 128 * 1024 }

  /// Appends the reply to a request that failed, or to a line that is none.
  package mutating func appendError(_ error: RequestError, to request: Request? = nil) {
    beginReplyLine(id: request?.id ?? error.id, verb: request?.verb ?? error.verb)
    append(",\"ok\":false,\"error\":{\"code\":", quoted: error.code.rawValue)
    append(",\"message\":", quoted: error.message)
    if let reason = error.reason { append(",\"reason\":", quoted: reason.rawValue) }
    if let milliseconds = error.retryAfterMilliseconds {
      append(",\"retry_after_ms\":", Int64(milliseconds))
    }
    append("}}\n")
  }

  private mutating func beginReplyLine(id: RequestValue, verb: String?) {
    append("{\"event\":\"reply\",\"id\":")
    append(id)
    append(",\"do\":", quoted: verb?.truncated)
  }

  /// Appends whether a device is grabbed, as in the reply to `grab`.
  ///
  /// After `on=false` it stays grabbed until nothing touches it.
  package mutating func appendGrab(_ isGrabbed: Bool, of device: DeviceID) {
    append("{\"device\":", quoted: device.text)
    append(",\"grabbed\":", isGrabbed)
    append("}")
  }

  /// Appends the keys whose values have changed, as in the reply to `reload`.
  package mutating func appendReload(changed keys: [String], needingRestart restartKeys: [String]) {
    append("{\"changed\":", quoted: keys)
    append(",\"needs_restart\":", quoted: restartKeys)
    append("}")
  }

  /// Appends the contacts and the reading of a device, as in the reply to `state`.
  package mutating func append(
    stateOf engine: borrowing Engine, device: Device, includesRate: Bool = true
  ) {
    append("{\"device\":", quoted: device.id.text)
    append(",\"contacts\":[")
    append(list: engine.contacts) { $0.append(pressing: $1.with(.stationary)) }
    append("],\"heaviest\":")
    append(engine.heaviestContact)
    append(",\"scale\":")
    var scale = engine.scale
    if !includesRate { scale.rate = nil }
    append(scale)
    append("}")
  }
}

/// The error of a `reply` line.
public struct ReceivedError: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case code, message, reason
    case retryAfterMilliseconds = "retry_after_ms"
  }

  /// The error code.
  public var code: ProtocolValue<ErrorCode>

  /// With `too_fast`, the number of milliseconds after which the request may be retried.
  public var retryAfterMilliseconds: Int?

  /// A message for people.
  public var message: String

  /// With `busy`, what is busy.
  public var reason: ProtocolValue<BusyReason>?
}

/// The ID that a client chose for a request and that the reply repeats.
public enum RequestID: Hashable, Sendable, Decodable {
  /// An integer of at most 64 bits.
  case integer(Int64)
  /// Another number.
  case number(Double)
  /// A string.
  case text(String)

  /// Decodes a number or a string.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try value.decode(String.self))
    }
  }
}

/// A decoded `reply` line without its result, which `ReceivedResult` decodes.
public struct ReceivedReply: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case id, error, next
    case verb = "do"
    case isSuccess = "ok"
  }

  /// The ID of the request; nil if it had none.
  public var id: RequestID?

  /// The verb of the request; nil if the daemon could not parse it.
  public var verb: String?

  /// Whether the request succeeded.
  public var isSuccess: Bool

  /// The error, if the request failed.
  public var error: ReceivedError?

  /// If a list was too long for one reply, the value of `from` with which another request gets the rest.
  public var next: Int?
}

/// The result of a `reply` line, decoded as the type that belongs to the request.
public struct ReceivedResult<Value: Decodable>: Decodable {
  /// The result.
  public var result: Value
}

/// The contacts and the reading of a device, in the reply to `state`.
public struct ReceivedState: Hashable, Sendable, Decodable {
  /// The ID of the device.
  public var device: String

  /// The contacts that are down.
  public var contacts: [ReceivedPressure]

  /// The tracking ID of the heaviest contact.
  public var heaviest: Int64?

  /// The reading of its scale.
  public var scale: ReceivedScale
}
