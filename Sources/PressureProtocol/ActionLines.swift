package import PressureKit

/// The cause of an action.
public enum ActionOrigin: String, CaseIterable, Sendable {
  /// A press.
  case press
  /// A request.
  case request
}

extension JSONLinesWriter {
  /// Appends the line of an action.
  ///
  /// - Parameters:
  ///   - action: The action that is performed.
  ///   - origin: Whether a press or a request performs it.
  ///   - device: The device that was pressed or that the request names, if any.
  ///   - time: The time of the press or of the request.
  ///   - request: The origin of the request, if a request performs it.
  package mutating func append(
    _ action: Action, by origin: ActionOrigin, on device: DeviceID?, at time: Timestamp,
    request: RequestOrigin? = nil
  ) {
    append("{\"event\":\"action\",\"time\":")
    append(time.microseconds)
    append(",\"device\":")
    append(quoted: device?.text)
    append(",")
    appendFields(of: action)
    append(",\"origin\":")
    append(quoted: origin.rawValue)
    append("}\n")
    if let request { append(request) }
  }

  /// Appends an action, as in the reply to `actions`.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - isDynamic: Whether a client has added it; omitted if nil.
  package mutating func append(_ action: Action, isDynamic: Bool? = nil) {
    append("{")
    appendFields(of: action)
    if let isDynamic {
      append(",\"dynamic\":")
      append(isDynamic)
    }
    append("}")
  }

  private mutating func appendFields(of action: Action) {
    append("\"type\":")
    append(quoted: action.type)
    append(",\"title\":")
    append(quoted: action.title)
    append(",\"subtitle\":")
    append(quoted: action.subtitle)
    append(",\"icon\":")
    append(quoted: action.icon)
    append(",\"icon_file\":")
    append(quoted: action.iconFile)
    append(",\"user_info\":{")
    let entries = action.userInfo.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (index, (key, value)) in entries.enumerated() {
      if index > 0 { append(",") }
      append(quoted: key)
      append(":")
      append(quoted: value)
    }
    append("}")
  }

  /// Appends a JSON string, or `null`.
  package mutating func append(quoted text: String?) {
    if let text { append(quoted: text) } else { append("null") }
  }
}

/// The user and the verb of a request that changed what other clients read.
package struct RequestOrigin: Hashable, Sendable {
  /// The user ID of the client that sent it.
  package var userID: UInt32

  /// The verb of the request.
  package var verb: String

  package init(userID: UInt32, verb: String) {
    (self.userID, self.verb) = (userID, verb)
  }
}

extension JSONLinesWriter {
  /// Appends the fields of a request's origin to the last line written.
  package mutating func append(_ origin: RequestOrigin) {
    reopen()
    append(",\"user\":")
    append(Int64(origin.userID))
    append(",\"request\":")
    append(quoted: origin.verb)
    append("}\n")
  }
}

/// The result of a request to perform a quick action.
package struct PerformedAction: Hashable, Sendable {
  /// Whether the action is built in or configured, and the scale did not reject it.
  package var isHandled: Bool

  /// Whether the daemon itself performed the effect of the action.
  package var isBuiltIn: Bool

  /// The number of other clients that the event was sent to.
  package var clientCount: Int

  package init(isHandled: Bool, isBuiltIn: Bool, clientCount: Int) {
    self.isHandled = isHandled
    self.isBuiltIn = isBuiltIn
    self.clientCount = clientCount
  }

  /// The result for an action that nothing handled.
  package static let notHandled = PerformedAction(
    isHandled: false, isBuiltIn: false, clientCount: 0)
}

extension JSONLinesWriter {
  /// Appends the result of an action, as in the reply to `perform`.
  package mutating func append(_ performed: PerformedAction) {
    append("{\"handled\":")
    append(performed.isHandled)
    append(",\"built_in\":")
    append(performed.isBuiltIn)
    append(",\"clients\":")
    append(Int64(performed.clientCount))
    append("}")
  }
}
