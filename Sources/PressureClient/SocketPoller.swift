internal import CLinux
internal import Glibc
internal import PressureProtocol
internal import PressureSystem
internal import Synchronization

/// A thread that polls a client's socket, and what it shares with tasks.
///
///     task ──request──▶            ──▶ thread ──▶ socket
///                        Exchange
///     task ◀──event────            ◀── thread ◀── socket
final class SocketPoller: Sendable {
  typealias Waiter = CheckedContinuation<Result<ReceivedEvent?, DaemonError>, Never>
  typealias ReplyWaiter = CheckedContinuation<Result<[UInt8], any Error>, Never>
  private typealias Shared = Exchange<Waiter, ReplyWaiter>

  private let shared = Mutex(Shared())

  /// An eventfd that wakes the thread.
  let wakeup: Int32

  static func defaultPaths() throws(InvalidVariable) -> [String] {
    if let path = try Environment.validated("PRESSURED_SOCKET") { return [path] }
    let session = try Environment.validated("XDG_RUNTIME_DIR").map { "\($0)/pressured.sock" }
    return [session, "/run/pressured/pressured.sock"].compactMap(\.self)
  }

  init(paths: [String]?, subscription: Request?, reconnects: Bool) {
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let number = errno
    if wakeup < 0 {
      let error = SystemError(attempt: "create an event descriptor", number: number)
      finish(.unavailable(description: error.sentence))
    } else {
      start(paths, subscription, reconnects)
    }
  }

  private func start(_ paths: [String]?, _ subscription: Request?, _ reconnects: Bool) {
    let found: [String]
    do throws(InvalidVariable) {
      if let paths { found = paths } else { found = try SocketPoller.defaultPaths() }
    } catch {
      return finish(.unavailable(description: error.sentence))
    }
    let thread = PollThread(
      poller: self, paths: found, subscription: subscription, reconnects: reconnects)
    if !thread.start() { finish(.unavailable(description: "cannot start a thread")) }
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
}

// MARK: - For tasks

extension SocketPoller {
  /// Waits for an event; nil after `close()` or if the task is cancelled.
  func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(DaemonError) -> ReceivedEvent? {
    let id = shared.withLock { $0.makeCall() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter) in
        var readsAgain = false
        change { shared in
          let didRead = shared.reads
          defer { readsAgain = !didRead && shared.reads }
          return shared.awaitEvent(id, waiter)
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
    let id = shared.withLock { $0.makeCall() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: ReplyWaiter) in
        change { $0.send(request, id, waiter) }
        wake()
      }
    } onCancel: {
      cancel(id)
    }
    return try result.get()
  }

  private func cancel(_ id: Int64) {
    change { $0.cancel(id) }
  }
}

// MARK: - For the thread

extension SocketPoller {
  var isFinished: Bool { shared.withLock { $0.end != nil } }
  var reads: Bool { shared.withLock { $0.reads } }

  func outgoingRequests() -> [Request] { shared.withLock { $0.takeRequests() } }

  func receive(_ line: [UInt8]) {
    let event = ReceivedEvent(line: line)
    change { $0.receive(event, line) }
  }

  func connectionLost() { change { $0.disconnect() } }

  func finish(_ end: DaemonError) { change { $0.finish(end) } }
}
