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

  /// Appends the fields of a request's origin to the last line written.
  package mutating func append(_ origin: RequestOrigin) {
    reopen()
    append(",\"user\":", Int64(origin.userID))
    append(",\"request\":", quoted: origin.verb)
    append("}\n")
  }

  /// Appends the result of an action, as in the reply to `perform`.
  package mutating func append(_ performed: PerformResult) {
    append("{\"handled\":", performed.handled)
    append(",\"built_in\":", performed.isBuiltIn ?? false)
    append(",\"clients\":", Int64(performed.clientCount ?? 0))
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

/// The result of `perform`.
public struct PerformResult: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case handled
    case isBuiltIn = "built_in"
    case clientCount = "clients"
  }

  /// Whether the action is built in or configured, and the scale did not reject it.
  public var handled: Bool

  /// Whether the daemon itself performed the effect of the action; nil from older daemons.
  public var isBuiltIn: Bool?

  /// The number of other clients that the event was sent to; nil from older daemons.
  public var clientCount: Int?

  package init(handled: Bool, isBuiltIn: Bool = false, clientCount: Int = 0) {
    (self.handled, self.isBuiltIn, self.clientCount) = (handled, isBuiltIn, clientCount)
  }
}

/// A decoded `action` line.
public struct ReceivedAction: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, type, title, subtitle, icon, origin, user, request
    case iconFile = "icon_file"
    case userInfo = "user_info"
  }

  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The device; nil if a request that names no device performed the action.
  public var device: String?

  /// The unique type of the action.
  public var type: String

  /// The title shown to users.
  public var title: String?

  /// A second line for users; nil if the action has none.
  public var subtitle: String?

  /// An icon name in the desktop's icon theme; nil if the action has none.
  public var icon: String?

  /// The path of an image file; nil if the action has none.
  public var iconFile: String?

  /// Data for the client that performs the action.
  public var userInfo: [String: String]?

  /// Whether a press or a request performed it.
  public var origin: ProtocolValue<ActionOrigin>?

  /// The user ID of the client that requested it; nil if a press performed it.
  public var user: Int64?

  /// The verb of that request; nil if a press performed it.
  public var request: String?
}
