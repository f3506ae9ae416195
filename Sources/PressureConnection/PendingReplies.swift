package import PressureProtocol

/// Requests that wait for their replies: each has an ID, which its reply repeats.
///
/// The requests of a greeting have none: each is sent once for each connection and known by its verb, and a rejected connection
/// gets one reply that answers no request.
package struct PendingReplies<Context> {
  private var contexts: [Int64: Context] = [:]
  private var lastID: Int64 = 0

  package init() {}

  package var isEmpty: Bool { contexts.isEmpty }

  /// An ID that no other request of this client has.
  package mutating func newID() -> Int64 {
    lastID += 1
    return lastID
  }

  /// Adds a request that was given a new ID.
  package mutating func insert(_ context: Context, id: Int64) {
    contexts[id] = context
  }

  /// Appends a request as a line, with a new ID.
  package mutating func append(
    _ request: Request, for context: Context, to lines: inout JSONLinesWriter
  ) {
    let id = newID()
    insert(context, id: id)
    var request = request
    request.id = .integer(id)
    lines.append(request)
  }

  /// Removes the request that a reply answers, and returns its context; nil if it answers none of them.
  package mutating func remove(for reply: ReceivedReply) -> Context? {
    guard case .integer(let id)? = reply.id else { return nil }
    return remove(id)
  }

  /// Removes a request, and returns its context.
  package mutating func remove(_ id: Int64) -> Context? {
    contexts.removeValue(forKey: id)
  }

  /// Removes all requests but those with the given IDs, and returns their contexts.
  @discardableResult
  package mutating func removeAll(except kept: Set<Int64> = []) -> [Context] {
    let removed = contexts.filter { !kept.contains($0.key) }
    for id in removed.keys { contexts[id] = nil }
    return Array(removed.values)
  }
}
