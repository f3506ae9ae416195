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

    var isRequest: Bool {
      switch self {
      case .queued, .sent: true
      case .awaitingEvent: false
      }
    }
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

  private var calls: [Int64: Call] = [:]
  private var lastID: Int64 = 0

  /// The calls that await an event, and the requests to send, in order.
  private var awaiting: [Int64] = []
  private var queue: [Int64] = []

  // A slice removes its first element in constant time.
  private var events: ArraySlice<ReceivedEvent> = []
  private var isConnected = false
  private(set) var end: DaemonError?

  var reads: Bool { events.count < Exchange.readLimit || calls.values.contains(where: \.isRequest) }

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
    if let end { return [Exchange.last(end, for: waiter)] }
    if isCancelled { return [.event(waiter, .success(nil))] }
    calls[id] = .awaitingEvent(waiter)
    awaiting.append(id)
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
    calls[id] = .queued(request, waiter)
    queue.append(id)
    return []
  }

  /// Cancels a call, if it has begun and was not answered: a queued request will not be sent.
  mutating func cancel(_ id: Int64) -> [Resumption] {
    if case .awaitingEvent(let waiter) = calls[id] {
      calls[id] = nil
      awaiting.removeAll { $0 == id }
      return [.event(waiter, .success(nil))]
    }
    return answer(id, .failure(CancellationError()))
  }

  // MARK: - For the thread

  /// The requests to send now; they stay queued while there is no connection.
  mutating func takeRequests() -> [Request] {
    guard isConnected else { return [] }
    defer { queue = [] }
    return queue.compactMap { id in
      guard case .queued(let request, let waiter) = calls[id] else { return nil }
      calls[id] = .sent(waiter)
      return request
    }
  }

  mutating func receive(_ event: ReceivedEvent, _ line: [UInt8]) -> [Resumption] {
    if case .reply(let reply) = event { return receive(reply, line) }
    if case .hello = event { isConnected = true }
    if !awaiting.isEmpty,
      case .awaitingEvent(let waiter) = calls.removeValue(forKey: awaiting.removeFirst())
    {
      return [.event(waiter, .success(event))]
    }
    if end == nil { events.append(event) }
    return isFull ? answerAll(.failure(DaemonError.eventsUnread)) : []
  }

  private mutating func receive(_ reply: ReceivedReply, _ line: [UInt8]) -> [Resumption] {
    let result: Result<[UInt8], any Error> =
      reply.isSuccess ? .success(line) : .failure(DaemonError.refused(reply.error))
    if case .integer(let id) = reply.id {
      guard case .sent = calls[id] else { return [] }
      return answer(id, result)
    }
    // A daemon that cannot read a request does not know its ID; all that were sent may be meant. The subscription has none either: its
    // refusal closes the connection before a request is sent.
    return reply.rejectsConnection ? answerSent(result) : []
  }

  /// The connection is lost: requests that were sent have no reply.
  mutating func disconnect() -> [Resumption] {
    isConnected = false
    return answerSent(.failure(DaemonError.disconnected))
  }

  mutating func finish(_ end: DaemonError) -> [Resumption] {
    self.end = self.end ?? end
    if end == .closed { events = [] }
    let waiters = awaiting.compactMap { id -> Resumption? in
      guard case .awaitingEvent(let waiter) = calls.removeValue(forKey: id) else { return nil }
      return Exchange.last(end, for: waiter)
    }
    awaiting = []
    return waiters + answerAll(.failure(end))
  }

  private static func last(_ end: DaemonError, for waiter: EventWaiter) -> Resumption {
    .event(waiter, end == .closed ? .success(nil) : .failure(end))
  }

  // MARK: - Answers

  private var isFull: Bool { events.count >= Exchange.eventLimit }

  private mutating func answer(_ id: Int64, _ result: Result<[UInt8], any Error>) -> [Resumption] {
    switch calls[id] {
    case .queued(_, let waiter):
      queue.removeAll { $0 == id }
      calls[id] = nil
      return [.reply(waiter, result)]
    case .sent(let waiter):
      calls[id] = nil
      return [.reply(waiter, result)]
    case .awaitingEvent, nil: return []
    }
  }

  private mutating func answerSent(_ result: Result<[UInt8], any Error>) -> [Resumption] {
    calls.keys.filter { if case .sent = calls[$0] { true } else { false } }
      .flatMap { answer($0, result) }
  }

  private mutating func answerAll(_ result: Result<[UInt8], any Error>) -> [Resumption] {
    queue = []
    return calls.keys.flatMap { answer($0, result) }
  }
}
