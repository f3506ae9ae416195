internal import CLinux
internal import Glibc
internal import PressureConnection
internal import PressureProtocol
internal import PressureSystem
internal import Synchronization

/// A thread that polls a client's socket, and the queues between it and tasks.
///
///     task ──request──▶ outgoing ──▶ thread ──▶ socket
///     task ◀──event──── events  ◀── thread ◀── socket
final class SocketPoller: Sendable {
  typealias Waiter = CheckedContinuation<Result<ReceivedEvent?, DaemonError>, Never>
  typealias ReplyWaiter = CheckedContinuation<Result<[UInt8], any Error>, Never>

  /// What the thread and tasks share.
  private struct Shared {
    var events: [ReceivedEvent] = []
    var waiters: [(id: Int64, waiter: Waiter)] = []
    var outgoing: [Request] = []
    var replies = PendingReplies<ReplyWaiter>()
    var isConnected = false

    /// Why there will be no more events.
    var end: DaemonError?
  }

  /// The number of events from which on the socket is not read.
  private static let queueLimit = 256

  private let shared = Mutex(Shared())

  /// An eventfd that wakes the thread.
  let wakeup: Int32

  static var defaultPaths: [String] {
    if let path = Environment.value("PRESSURED_SOCKET") { return [path] }
    let session = Environment.value("XDG_RUNTIME_DIR").map { "\($0)/pressured.sock" }
    return [session, "/run/pressured/pressured.sock"].compactMap(\.self)
  }

  init(paths: [String], subscription: Request?, reconnects: Bool) {
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let thread = PollThread(
      poller: self, paths: paths, subscription: subscription, reconnects: reconnects)
    if !thread.start() { finish(.unavailable(description: "cannot start a thread")) }
  }

  deinit {
    Glibc.close(wakeup)
  }

  /// Ends the thread; all waiters are resumed.
  func close() {
    finish(.closed)
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    // A full counter blocks, and wakes the thread as well.
    _ = withUnsafeBytes(of: &one) { DescriptorWriter.write($0, to: wakeup) }
  }
}

// MARK: - For tasks

extension SocketPoller {
  /// Waits for an event; nil after `close()` or if the task is cancelled.
  func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(DaemonError) -> ReceivedEvent? {
    let id = newID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter) in
        if let result = poll(for: waiter, id: id) { waiter.resume(returning: result) }
      }
    } onCancel: {
      cancelWaiter(id)
    }
    return try result.get()
  }

  /// The next event if there is one; otherwise the waiter is queued.
  private func poll(for waiter: Waiter, id: Int64) -> Result<ReceivedEvent?, DaemonError>? {
    let isCancelled = Task.isCancelled
    let (result, wasFull) = shared.withLock {
      shared -> (Result<ReceivedEvent?, DaemonError>?, Bool) in
      let wasFull = shared.events.count >= SocketPoller.queueLimit
      if !shared.events.isEmpty { return (.success(shared.events.removeFirst()), wasFull) }
      if let end = shared.end { return (end == .closed ? .success(nil) : .failure(end), false) }
      if isCancelled { return (.success(nil), false) }
      shared.waiters.append((id, waiter))
      return (nil, false)
    }
    if wasFull { wake() }
    return result
  }

  private func cancelWaiter(_ id: Int64) {
    let waiter = shared.withLock { shared -> Waiter? in
      guard let index = shared.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return shared.waiters.remove(at: index).waiter
    }
    waiter?.resume(returning: .success(nil))
  }

  /// Sends a request and waits for the line of its reply, which grants it.
  func reply(to request: Request) async throws -> [UInt8] {
    let id = newID()
    var request = request
    request.id = .integer(id)
    let sent = request
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: ReplyWaiter) in
        if let failure = enqueue(sent, id: id, waiter) {
          waiter.resume(returning: .failure(failure))
        }
      }
    } onCancel: {
      finishReply(id, .failure(CancellationError()))
    }
    return try result.get()
  }

  private func enqueue(_ request: Request, id: Int64, _ waiter: ReplyWaiter) -> (any Error)? {
    let isCancelled = Task.isCancelled
    let failure = shared.withLock { shared -> (any Error)? in
      if let end = shared.end { return end }
      if isCancelled { return CancellationError() }
      shared.replies.insert(waiter, id: id)
      shared.outgoing.append(request)
      return nil
    }
    if failure == nil { wake() }
    return failure
  }

  private func newID() -> Int64 {
    shared.withLock { $0.replies.newID() }
  }
}

// MARK: - For the thread

extension SocketPoller {
  /// Whether the thread is to end.
  var isFinished: Bool { shared.withLock { $0.end != nil } }

  /// Whether the socket is to be read: its buffer has space for events, or a task waits for a reply.
  var reads: Bool {
    shared.withLock { $0.events.count < SocketPoller.queueLimit || !$0.replies.isEmpty }
  }

  /// The requests to send now; they stay queued while there is no connection.
  func outgoingRequests() -> [Request] {
    shared.withLock { shared in
      guard shared.isConnected else { return [] }
      defer { shared.outgoing = [] }
      return shared.outgoing
    }
  }

  /// Receives a line of the daemon.
  func receive(_ line: [UInt8]) {
    let event = ReceivedEvent(line: line)
    if case .reply(let reply) = event {
      // Only the subscription has no identifier, and its refusal ends the client elsewhere.
      guard case .integer(let id)? = reply.id else { return }
      return finishReply(
        id, reply.isSuccess ? .success(line) : .failure(DaemonError.refused(reply.error)))
    }
    let waiter = shared.withLock { shared -> Waiter? in
      if case .hello = event { shared.isConnected = true }
      guard shared.waiters.isEmpty else { return shared.waiters.removeFirst().waiter }
      if shared.end == nil { shared.events.append(event) }
      return nil
    }
    waiter?.resume(returning: .success(event))
  }

  /// The connection is lost: requests that were sent have no reply.
  func connectionLost() {
    let waiters = shared.withLock { shared -> [ReplyWaiter] in
      shared.isConnected = false
      let unsent = Set(
        shared.outgoing.compactMap { if case .integer(let id) = $0.id { id } else { nil } })
      return shared.replies.removeAll(except: unsent)
    }
    for waiter in waiters { waiter.resume(returning: .failure(DaemonError.disconnected)) }
  }

  /// There will be no more events.
  func finish(_ end: DaemonError) {
    let (waiters, replyWaiters) = shared.withLock { shared -> ([Waiter], [ReplyWaiter]) in
      shared.end = shared.end ?? end
      if end == .closed { shared.events = [] }
      defer { (shared.waiters, shared.outgoing) = ([], []) }
      return (shared.waiters.map(\.waiter), shared.replies.removeAll())
    }
    for waiter in waiters {
      waiter.resume(returning: end == .closed ? .success(nil) : .failure(end))
    }
    for waiter in replyWaiters { waiter.resume(returning: .failure(end)) }
  }

  private func finishReply(_ id: Int64, _ result: Result<[UInt8], any Error>) {
    let waiter = shared.withLock { $0.replies.remove(id) }
    waiter?.resume(returning: result)
  }
}
