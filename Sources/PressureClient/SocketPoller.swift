internal import CLinux
internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem
internal import Synchronization

/// A thread that polls a client's socket, and what it shares with tasks; it ends when the client is closed or released.
///
///     task ──request──▶            ──▶ thread ──▶ socket
///                        Exchange
///     task ◀──event────            ◀── thread ◀── socket
final class SocketPoller: Sendable {
  typealias Waiter = CheckedContinuation<Result<ReceivedEvent?, DaemonError>, Never>
  typealias ReplyWaiter = CheckedContinuation<Result<[UInt8], any Error>, Never>
  private typealias Shared = Exchange<Waiter, ReplyWaiter>

  private let shared = Mutex(Shared())
  private let wakeup: Int32

  static func defaultPaths() throws(InvalidText) -> [String] {
    if let path = try Environment.validated("PRESSURED_SOCKET") { return [path] }
    let session = try Environment.validated("XDG_RUNTIME_DIR").map { "\($0)/pressured.sock" }
    return [session, "/run/pressured/pressured.sock"].compactMap(\.self)
  }

  init(paths: [String]?, subscription: Request?, reconnects: Bool) {
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let number = errno
    guard wakeup >= 0 else {
      let error = SystemError(attempt: "create an event descriptor", number: number)
      finish(.unavailable(description: error.sentence))
      return
    }
    do throws(InvalidText) {
      let found = if let paths { paths } else { try SocketPoller.defaultPaths() }
      let isStarted = DetachedThread.start { self.run(found, subscription, reconnects) }
      if !isStarted { finish(.unavailable(description: "cannot start a thread")) }
    } catch {
      finish(.unavailable(description: error.sentence))
    }
  }

  deinit {
    if wakeup >= 0 { Glibc.close(wakeup) }
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

  private func finish(_ end: DaemonError) { change { $0.finish(end) } }

  /// Makes a change and resumes whom it answers.
  private func change(_ body: (inout Shared) -> [Shared.Resumption]) {
    let resumptions = shared.withLock { body(&$0) }
    for resumption in resumptions {
      switch resumption {
      case .event(let waiter, let result): waiter.resume(returning: result)
      case .reply(let waiter, let result): waiter.resume(returning: result)
      }
    }
  }

  // MARK: - For tasks

  /// Waits for an event; nil after `close()` or if the task is cancelled.
  func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(DaemonError) -> ReceivedEvent? {
    let id = shared.withLock { $0.makeID() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter) in
        var readsAgain = false
        change { shared in
          let didRead = shared.reads
          defer { readsAgain = !didRead && shared.reads }
          return shared.awaitEvent(id, waiter, isCancelled: Task.isCancelled)
        }
        if readsAgain { wake() }
      }
    } onCancel: {
      cancel(id)
    }
    return try result.get()
  }

  /// Sends a request and waits for the line of its reply, which grants it.
  func reply(to request: Request) async throws -> [UInt8] {
    let id = shared.withLock { $0.makeID() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: ReplyWaiter) in
        change { $0.send(request, id, waiter, isCancelled: Task.isCancelled) }
        wake()
      }
    } onCancel: {
      cancel(id)
    }
    return try result.get()
  }

  /// Cancels a call, or has no effect before it begins: it is known then that its task is cancelled.
  private func cancel(_ id: Int64) { change { $0.cancel(id) } }

  // MARK: - The thread

  private func run(_ paths: [String], _ subscription: Request?, _ reconnects: Bool) {
    let connection = ReconnectingConnection(
      paths: { paths }, greeting: { if let subscription { $0.append(subscription) } },
      now: { Timestamp.now.microseconds },
      handler: { [unowned self] in handle($0, reconnects: reconnects) })
    connection.start()
    while shared.withLock({ $0.end == nil }) {
      let requests = shared.withLock { $0.takeRequests() }
      if !requests.isEmpty {
        var lines = JSONLinesWriter()
        for request in requests { lines.append(request) }
        connection.send(lines)
      }
      wait(connection)
    }
  }

  /// Waits once for the socket, the deadline or a task.
  private func wait(_ connection: ReconnectingConnection) {
    var wanted = connection.readiness
    if !shared.withLock(\.reads) { wanted.remove(.reading) }
    var mask: Int16 = 0
    if wanted.contains(.reading) { mask |= Int16(POLLIN) }
    if wanted.contains(.writing) { mask |= Int16(POLLOUT) }
    // A negative descriptor is ignored: without anything to wait for, a hang-up would be reported again and again.
    let socket = mask == 0 ? -1 : connection.descriptor ?? -1
    var polled = [
      pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: mask, revents: 0),
    ]
    // In milliseconds, rounded up.
    let left = connection.deadline.map { max($0 - Timestamp.now.microseconds + 999, 0) / 1000 }
    let count = poll(&polled, nfds_t(polled.count), Int32(clamping: left ?? -1))
    if count > 0, polled[0].revents != 0 {
      var counter: UInt64 = 0
      _ = read(wakeup, &counter, MemoryLayout<UInt64>.size)
    }
    if count > 0, polled[1].revents != 0 {
      let isWritable = polled[1].revents & Int16(POLLOUT) != 0
      connection.descriptorReady(isWritable ? [.reading, .writing] : .reading)
    }
    connection.deadlineReached()
  }

  private func handle(_ update: ReconnectingConnection.Update, reconnects: Bool) {
    switch update {
    case .line(let line):
      let event = ReceivedEvent(line: line)
      change { $0.receive(event, line) }
    case .lost: change { $0.disconnect() }
    case .unavailable(let error, _):
      let error = DaemonError(error)
      // A refusal is final, unless the daemon has too many clients for the moment.
      var isFinal = !reconnects
      if case .refused(let refusal) = error, refusal?.code != .known(.busy) { isFinal = true }
      if isFinal { finish(error) }
    }
  }
}

/// What a thread does that is not joined; its context.
final class DetachedThread {
  private let body: () -> Void

  private init(_ body: @escaping () -> Void) { self.body = body }

  /// Starts a thread, which owns what the body captures; returns false if that is not possible.
  static func start(_ body: @escaping () -> Void) -> Bool {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(DetachedThread(body))
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<DetachedThread>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
