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
