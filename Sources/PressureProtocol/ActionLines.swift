public import PressureKit

/// Who has performed an action.
public enum ActionOrigin: String, Sendable {
  /// A press.
  case press
  /// A request.
  case request
}

extension JSONLinesWriter {
  /// Adds the line that tells of an action.
  ///
  /// - Parameters:
  ///   - action: what is performed.
  ///   - origin: by whom.
  ///   - device: the device that it is meant for or that was pressed, if any.
  ///   - time: when.
  ///   - request: whose request it was, where it was one.
  public mutating func append(
    _ action: Action, by origin: ActionOrigin, on device: DeviceID?, at time: Timestamp,
    request: RequestOrigin? = nil
  ) {
    append("{\"event\":\"action\",\"time\":")
    append(time.microseconds)
    append(",\"device\":")
    append(quoted: device?.text)
    append(",")
    fields(of: action)
    append(",\"origin\":")
    append(quoted: origin.rawValue)
    append("}\n")
    if let request { append(request) }
  }

  /// Adds an action as the answer to `actions` has it.
  ///
  /// - Parameters:
  ///   - action: what there is.
  ///   - isDynamic: whether a client has added it.
  public mutating func append(_ action: Action, isDynamic: Bool = false) {
    append("{")
    fields(of: action)
    if isDynamic { append(",\"dynamic\":true") }
    append("}")
  }

  private mutating func fields(of action: Action) {
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

  /// Adds a text in quotes, or null.
  package mutating func append(quoted text: String?) {
    if let text { append(quoted: text) } else { append("null") }
  }
}

/// Whose request has changed what others read.
public struct RequestOrigin: Hashable, Sendable {
  /// The number of the user at the other end of the connection.
  public var userID: UInt32

  /// The verb.
  public var verb: String

  public init(userID: UInt32, verb: String) {
    (self.userID, self.verb) = (userID, verb)
  }
}

extension JSONLinesWriter {
  /// Adds the fields of a request's origin to the line that was written last.
  public mutating func append(_ origin: RequestOrigin) {
    reopen()
    append(",\"user\":")
    append(Int64(origin.userID))
    append(",\"request\":")
    append(quoted: origin.verb)
    append("}\n")
  }
}

/// What became of a request to perform a quick action.
public struct PerformedAction: Hashable, Sendable {
  /// Whether the action is built in or configured, and was not refused by the scale.
  public var isHandled: Bool

  /// Whether the daemon itself has done what it is for.
  public var isBuiltIn: Bool

  /// How many clients got the event, without the one that has asked.
  public var clientCount: Int

  public init(isHandled: Bool, isBuiltIn: Bool, clientCount: Int) {
    self.isHandled = isHandled
    self.isBuiltIn = isBuiltIn
    self.clientCount = clientCount
  }

  public static let notHandled = PerformedAction(isHandled: false, isBuiltIn: false, clientCount: 0)
}

extension JSONLinesWriter {
  /// Adds what became of an action, as the answer to `perform` has it.
  public mutating func append(_ performed: PerformedAction) {
    append("{\"handled\":")
    append(performed.isHandled)
    append(",\"built_in\":")
    append(performed.isBuiltIn)
    append(",\"clients\":")
    append(Int64(performed.clientCount))
    append("}")
  }
}
