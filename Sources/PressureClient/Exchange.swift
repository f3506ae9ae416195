internal import PressureProtocol

/// The calls of a client's tasks and the events between them and the socket, without locks, threads or descriptors.
///
///     queued ──▶ sent ──▶ answered             a request
///     awaiting an event ──▶ answered           a step of an iterator
///
/// Cancellation, an error and the end of the client answer a call in any state. Each change returns whom to resume: every call
/// is resumed once, and is forgotten then.
struct Exchange<EventWaiter: Sendable, ReplyWaiter: Sendable>: Sendable {
  /// What a call waits for.
  private enum Call {
    case awaitingEvent(EventWaiter)
    /// A connection.
    case queued(Request, ReplyWaiter)
    /// The reply.
    case sent(ReplyWaiter)

    var isSent: Bool { if case .sent = self { true } else { false } }
    var isRequest: Bool { if case .awaitingEvent = self { false } else { true } }
  }

  enum Resumption: Sendable {
    case event(EventWaiter, Result<ReceivedEvent?, DaemonError>)
    case reply(ReplyWaiter, Result<[UInt8], any Error>)
  }

  /// The number of events from which on the socket is read only if a request waits.
  private static var readLimit: Int { 256 }

  /// The number of events at which requests fail, as their replies are behind events that nobody reads: what a daemon sends in
  /// two minutes with its default rate.
  static var eventLimit: Int { 32_768 }

  /// In the order in which they began.
  private var calls: [(id: Int64, call: Call)] = []
  private var lastID: Int64 = 0

  // A slice removes its first element in constant time.
  private var events: ArraySlice<ReceivedEvent> = []
  private var isConnected = false
  private(set) var end: DaemonError?

  var reads: Bool { events.count < Exchange.readLimit || calls.contains { $0.call.isRequest } }

  // MARK: - For tasks

  /// The ID of a new call, with which `awaitEvent` or `send` begins it.
  mutating func makeID() -> Int64 {
    lastID += 1
    return lastID
  }

  /// Has a call wait for the next event; nil after `close` or if its task is cancelled.
  mutating func awaitEvent(
    _ id: Int64, _ waiter: EventWaiter, isCancelled: Bool = false
  ) -> [Resumption] {
    if let event = events.popFirst() { return [.event(waiter, .success(event))] }
    if let end { return [.event(waiter, Exchange.last(end))] }
    if isCancelled { return [.event(waiter, .success(nil))] }
    calls.append((id: id, call: .awaitingEvent(waiter)))
    return []
  }

  mutating func send(
    _ request: Request, _ id: Int64, _ waiter: ReplyWaiter, isCancelled: Bool = false
  ) -> [Resumption] {
    if let end { return [.reply(waiter, .failure(end))] }
    if isCancelled { return [.reply(waiter, .failure(CancellationError()))] }
    if isFull { return [.reply(waiter, .failure(DaemonError.eventsUnread))] }
    var request = request
    request.id = .integer(id)
    calls.append((id: id, call: .queued(request, waiter)))
    return []
  }

  /// Cancels a call, if it has begun and was not answered: a queued request will not be sent.
  mutating func cancel(_ id: Int64) -> [Resumption] {
    answer(.failure(CancellationError())) { $0.id == id }
  }

  // MARK: - For the thread

  /// The requests to send now; they stay queued while there is no connection.
  mutating func takeRequests() -> [Request] {
    guard isConnected else { return [] }
    return calls.indices.compactMap { index in
      guard case .queued(let request, let waiter) = calls[index].call else { return nil }
      calls[index].call = .sent(waiter)
      return request
    }
  }

  mutating func receive(_ event: ReceivedEvent, _ line: [UInt8]) -> [Resumption] {
    if case .reply(let reply) = event { return receive(reply, line) }
    if case .hello = event { isConnected = true }
    if let index = calls.firstIndex(where: { !$0.call.isRequest }),
      case .awaitingEvent(let waiter) = calls.remove(at: index).call
    {
      return [.event(waiter, .success(event))]
    }
    if end == nil { events.append(event) }
    return isFull ? answer(.failure(DaemonError.eventsUnread)) { $0.call.isRequest } : []
  }

  private mutating func receive(_ reply: ReceivedReply, _ line: [UInt8]) -> [Resumption] {
    let result: Result<[UInt8], any Error> =
      reply.isSuccess ? .success(line) : .failure(DaemonError.refused(reply.error))
    if case .integer(let id) = reply.id {
      return answer(result) { $0.id == id && $0.call.isSent }
    }
    // A daemon that cannot read a request does not know its ID; all that were sent may be meant. The subscription has none either: its
    // refusal closes the connection before a request is sent.
    return reply.rejectsConnection ? answer(result) { $0.call.isSent } : []
  }

  /// The connection is lost: requests that were sent have no reply.
  mutating func disconnect() -> [Resumption] {
    isConnected = false
    return answer(.failure(DaemonError.disconnected)) { $0.call.isSent }
  }

  mutating func finish(_ end: DaemonError) -> [Resumption] {
    self.end = self.end ?? end
    if end == .closed { events = [] }
    return answer(.failure(end), event: Exchange.last(end)) { _ in true }
  }

  private static func last(_ end: DaemonError) -> Result<ReceivedEvent?, DaemonError> {
    end == .closed ? .success(nil) : .failure(end)
  }

  // MARK: - Answers

  private var isFull: Bool { events.count >= Exchange.eventLimit }

  /// Forgets the calls that a condition accepts, and answers each with the result for its kind.
  private mutating func answer(
    _ reply: Result<[UInt8], any Error>, event: Result<ReceivedEvent?, DaemonError> = .success(nil),
    where isAnswered: ((id: Int64, call: Call)) -> Bool
  ) -> [Resumption] {
    let answered = calls.filter(isAnswered)
    calls.removeAll(where: isAnswered)
    return answered.map { answered in
      switch answered.call {
      case .awaitingEvent(let waiter): .event(waiter, event)
      case .queued(_, let waiter), .sent(let waiter): .reply(waiter, reply)
      }
    }
  }
}
