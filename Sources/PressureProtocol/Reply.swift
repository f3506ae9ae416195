public import PressureKit

/// The answers to requests, in their order.
extension JSONLinesWriter {
  /// Begins the answer to a request that is done; the result follows, then `endReply`.
  public mutating func beginReply(to request: Request) {
    replyHead(id: request.id, verb: request.verb)
    append(",\"ok\":true,\"result\":")
  }

  /// Ends an answer.
  ///
  /// - Parameter next: what `from` is to be to get the rest of a list that was too long; nil if it is whole.
  public mutating func endReply(next: Int? = nil) {
    if let next {
      append(",\"next\":")
      append(Int64(next))
    }
    append("}\n")
  }

  /// How long a list in an answer may become, in bytes, before it is left for another request.
  public static var longestList: Int { 128 * 1024 }

  /// Adds the answer to a request that is not done; without a request, to a line that was none.
  public mutating func appendFault(_ fault: RequestError, to request: Request? = nil) {
    replyHead(id: request?.id ?? fault.id, verb: request?.verb ?? fault.verb)
    append(",\"ok\":false,\"error\":{\"code\":")
    append(quoted: fault.code.rawValue)
    append(",\"message\":")
    append(quoted: fault.message)
    if let reason = fault.reason {
      append(",\"reason\":")
      append(quoted: reason.rawValue)
    }
    if let milliseconds = fault.retryAfterMilliseconds {
      append(",\"retry_after_ms\":")
      append(Int64(milliseconds))
    }
    append("}}\n")
  }

  private mutating func replyHead(id: RequestValue, verb: String?) {
    append("{\"event\":\"reply\",\"id\":")
    append(id)
    append(",\"do\":")
    if let verb { append(quoted: verb.glance) } else { append("null") }
  }

  private mutating func append(_ id: RequestValue) {
    switch id {
    case .whole(let number): append(number)
    case .number(let number): for byte in String(number).utf8 { append(byte: byte) }
    case .text(let text): append(quoted: text)
    case .null, .truth, .list, .object: append("null")
    }
  }
}

extension JSONLinesWriter {
  /// Adds whether a device is grabbed, as the answer to `grab` has it.
  ///
  /// After `on=false` it may be for as long as something touches it.
  public mutating func appendGrab(_ isGrabbed: Bool, of device: DeviceID) {
    append("{\"device\":")
    append(quoted: device.text)
    append(",\"grabbed\":")
    append(isGrabbed)
    append("}")
  }
}

extension JSONLinesWriter {
  /// Adds what another configuration changes, as the answer to `reload` has it.
  ///
  /// - Parameters:
  ///   - keys: the settings that are others now, as the file names them.
  ///   - late: those of them that take a restart.
  public mutating func appendReload(changed keys: [String], needingRestart late: [String]) {
    append("{\"changed\":")
    append(quoted: keys)
    append(",\"needs_restart\":")
    append(quoted: late)
    append("}")
  }
}

extension JSONLinesWriter {
  /// Adds what lies on a device, as the answer to `state` has it.
  public mutating func append(stateOf engine: borrowing Engine, device: Device) {
    append("{\"device\":")
    append(quoted: device.id.text)
    append(",\"contacts\":[")
    for (index, contact) in engine.contacts.enumerated() {
      if index > 0 { append(",") }
      append(pressing: contact.atRest)
    }
    append("],\"heaviest\":")
    append(engine.heaviestContact)
    append(",\"scale\":")
    append(engine.scale)
    append("}")
  }
}
