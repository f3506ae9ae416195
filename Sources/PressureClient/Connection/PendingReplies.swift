package import PressureProtocol

/// Requests that wait for their replies: each has an ID, which its reply repeats.
///
/// The requests of a greeting have none: each is sent once for each connection and known by its verb, and a rejected connection
/// gets one reply that answers no request.
package struct PendingReplies<Context> {
  private var contexts: [Int64: Context] = [:]
  private var lastID: Int64 = 0

  package init() {}

  /// Appends a request as a line, with a new ID.
  package mutating func append(
    _ request: Request, for context: Context, to lines: inout JSONLinesWriter
  ) {
    lastID += 1
    contexts[lastID] = context
    var request = request
    request.id = .integer(lastID)
    lines.append(request)
  }

  /// Removes the request that a reply answers, and returns its context; nil if it answers none of them.
  package mutating func remove(for reply: ReceivedReply) -> Context? {
    guard case .integer(let id)? = reply.id else { return nil }
    return contexts.removeValue(forKey: id)
  }

  package mutating func removeAll() {
    contexts = [:]
  }
}
