package import PressureKit

/// The cause of an action.
public enum ActionOrigin: String, CaseIterable, Sendable {
  /// A press.
  case press
  /// A request.
  case request
}

extension JSONLinesWriter {
  /// Appends the line of an action; the device is the one that was pressed or that the request names, if any.
  package mutating func append(
    _ action: Action, by origin: ActionOrigin, on device: DeviceID?, at time: Timestamp,
    request: RequestOrigin? = nil
  ) {
    append("{\"event\":\"action\",\"time\":", time.microseconds)
    append(",\"device\":", quoted: device?.text)
    append(",")
    appendFields(of: action)
    append(",\"origin\":", quoted: origin.rawValue)
    append("}\n")
    if let request { append(request) }
  }

  /// Appends an action, as in the reply to `actions`; that a client has added it or not is omitted if nil.
  package mutating func append(_ action: Action, isDynamic: Bool? = nil) {
    append("{")
    appendFields(of: action)
    if let isDynamic {
      append(",\"dynamic\":", isDynamic)
    }
    append("}")
  }

  private mutating func appendFields(of action: Action) {
    append("\"type\":", quoted: action.type)
    append(",\"title\":", quoted: action.title)
    append(",\"subtitle\":", quoted: action.subtitle)
    append(",\"icon\":", quoted: action.icon)
    append(",\"icon_file\":", quoted: action.iconFile)
    append(",\"user_info\":{")
    let entries = action.userInfo.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    append(list: entries) { writer, entry in
      writer.append(quoted: entry.key)
      writer.append(":", quoted: entry.value)
    }
    append("}")
  }
}

/// The user and the verb of a request that changed what other clients read.
package struct RequestOrigin: Hashable, Sendable {
  package var userID: UInt32
  package var verb: String

  package init(userID: UInt32, verb: String) {
    (self.userID, self.verb) = (userID, verb)
  }
}

extension JSONLinesWriter {
  /// Appends the fields of a request's origin to the last line written.
  package mutating func append(_ origin: RequestOrigin) {
    reopen()
    append(",\"user\":", Int64(origin.userID))
    append(",\"request\":", quoted: origin.verb)
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
    append("{\"handled\":", performed.isHandled)
    append(",\"built_in\":", performed.isBuiltIn)
    append(",\"clients\":", Int64(performed.clientCount))
    append("}")
  }
}
