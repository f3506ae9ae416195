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

  private mutating func append(_ id: RequestValue) {
    switch id {
    case .integer(let number): append(number)
    case .largeInteger(let digits): append(plain: digits)
    case .number(let number): for byte in String(number).utf8 { append(byte: byte) }
    case .text(let text): append(quoted: text)
    case .null, .bool, .list, .object: append("null")
    }
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
    append(list: engine.contacts) { $0.append(pressing: $1.atRest) }
    append("],\"heaviest\":")
    append(engine.heaviestContact)
    append(",\"scale\":")
    var scale = engine.scale
    if !includesRate { scale.rate = nil }
    append(scale)
    append("}")
  }
}
