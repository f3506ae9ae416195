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
