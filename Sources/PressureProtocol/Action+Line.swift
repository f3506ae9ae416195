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
