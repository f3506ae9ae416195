internal import CLinux
internal import Glibc
internal import PressureClient
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// One connection to the socket: its subscription, its unparsed requests and its unsent output.
///
/// No call blocks. A client that does not read fills only its own queue.
///
/// Exclusivity checks are off for the state that each line needs: they would cost more than all other work per line.
/// One thread runs the daemon, and no callee re-enters a client.
package final class Client {
  package let number: Int
  package var source: EventSource?
  @exclusivity(unchecked) var subscription = Subscription()

  /// Live events have stopped: only replies and queued output are still sent, then the connection is closed.
  private(set) var isClosing = false { didSet { acceptsEvents = false } }

  @exclusivity(unchecked) private(set) var acceptsEvents = true

  /// The peer no longer reads: output is discarded, but pending requests are still executed.
  @exclusivity(unchecked) private(set) var isOutputClosed = false

  package private(set) var isBroken = false

  /// How many bytes are still read and discarded before the connection is closed.
  ///
  /// Closing a socket with unread input resets the connection, and the peer may lose the last lines sent to it.
  private var discardBudget = 0

  /// Lossless events alone filled the queue.
  private(set) var hasOverflowed = false

  /// Counters, except those that the queue and the rate limiters keep.
  @exclusivity(unchecked) var counts = ClientCounts()

  /// When the client connected, in microseconds of CLOCK_MONOTONIC.
  let since: Int64

  /// The peer has closed the connection; some of its requests may still be pending.
  private(set) var isPeerClosed = false

  var isQueued = false

  package var account: Account

  /// Whether only its user's active session at a seat entitles it to events, not the user, a group or the socket's mode.
  var isServedBySeat = false

  /// The seats whose events it may receive now.
  @exclusivity(unchecked) var seats = SeatSet.all

  /// The request that waits for a reading; later requests of this client wait behind it.
  var pending: PendingWeigh? { didSet { cancelUnneededWait() } }

  private let file: Descriptor
  private(set) var framer = LineFramer()
  @exclusivity(unchecked) private var sendQueue: SendQueue
  @exclusivity(unchecked) var rateLimiters: [RateLimiter] = []
  private var isInputEnded = false
  private var hasSubscribed = false

  init(
    number: Int, file: consuming Descriptor, bufferLimit: Int,
    account: Account = Account(userID: 0, kind: .privileged), since: Int64 = 0
  ) {
    self.number = number
    self.account = account
    self.since = since
    self.file = file
    sendQueue = SendQueue(limit: bufferLimit)
  }

  package var descriptor: Int32 { file.number }

  package var userID: UInt32 { account.userID }

  var groupIDs: [UInt32] { PeerCredentials.groupIDs(of: descriptor) }

  /// Bytes of output that the socket has not accepted yet.
  var pendingByteCount: Int { sendQueue.pendingByteCount }

  var totalCounts: ClientCounts {
    var counts = counts
    counts.missed += sendQueue.totalMissed
    return counts
  }

  package var isDone: Bool {
    isBroken
      || ((isClosing || isPeerClosed) && sendQueue.isEmpty && pending == nil && discardBudget <= 0
        && !framer.hasLine)
  }

  /// Closes the connection once all queued output is sent, and discards what the peer still sends.
  func closeAfterDrainingInput() {
    isClosing = true
    discardBudget = isInputEnded || isPeerClosed ? 0 : Client.maximumDiscarded
    shutIfSent()
  }

  /// Larger than any request, and small enough to discard at low cost, in bytes.
  private static let maximumDiscarded = 1 << 20

  package func closeAfterFlushing() {
    isClosing = true
  }

  func abort() {
    isBroken = true
    closeOutput()
  }

  /// Records a request, valid or not, for the half-close rule.
  func noteRequest(_ command: Command?) {
    counts.requests += 1
    if case .subscribe? = command { hasSubscribed = true }
  }
}

// MARK: - Pending requests

extension Client {
  /// The next request line, or nil while an earlier reply is pending.
  func nextLine() -> LineFramer.Line? {
    guard !isBroken, pending == nil, !isBackpressured else { return nil }
    let wasFull = framer.isFull
    let line = framer.next()
    if wasFull, !framer.isFull { updateReadiness() }
    return line
  }

  var hasLine: Bool { !isBroken && pending == nil && !isBackpressured && framer.hasLine }

  /// Whether replies fill half of the queue: further requests wait until the client has read some of them.
  ///
  /// Without this, a client that sends requests faster than it reads replies would be disconnected.
  private var isBackpressured: Bool { sendQueue.pendingByteCount > sendQueue.limit / 2 }

  func discardRequests() {
    pending = nil
    framer = LineFramer()
    if isInputEnded { framer.end() }
    updateReadiness()
  }

  /// The upper bound of bytes in the framer; further ones stay in the socket.
  static let maximumWaiting = Request.maximumLength + readSize
}

// MARK: - Input

extension Client {
  /// The most bytes that one call reads, so that other clients get their turn.
  private static let readSize = 4096

  /// Reads available bytes for `nextLine` to return.
  package func read() {
    withUnsafeTemporaryAllocation(byteCount: Client.readSize, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0, isClosing {
        discardBudget -= count
      } else if count > 0 {
        framer.append(buffer.prefix(count))
        if framer.isFull { updateReadiness() }
      } else if count == 0 || errno == ECONNRESET || errno == EAGAIN && isPeerClosed {
        // The kernel reports ECONNRESET after the last byte if the peer closed with unread input.
        isInputEnded = true
        discardBudget = 0
        if !isClosing { framer.end() }
      } else if errno != EAGAIN, errno != EINTR {
        abort()
      }
    }
  }

  /// Applies the half-close rule: a peer that sent requests, but did not subscribe, gets its replies and is closed.
  func applyHalfCloseRule() {
    guard isInputEnded else { return }
    // These bytes are not parsed yet; they can subscribe only if they contain the word or an escape.
    let isUnclear = framer.contains("subscribe") || framer.contains("\\")
    let hasRequested = counts.requests > 0 || !framer.isBlank
    if hasRequested, !hasSubscribed, !isUnclear { closeAfterFlushing() }
    // A socket at its end of file stays readable and would wake the loop continuously.
    updateReadiness()
  }

  /// Handles a connection that the peer has closed; requests sent before that are still executed.
  func peerClosed() {
    isPeerClosed = true
    // The source would wake the loop continuously.
    source = nil
    closeOutput()
    discardBudget = 0
    cancelUnneededWait()
    // What the peer left in the socket, up to the framer's limit: closing must not allow more requests than a connected
    // client may have pending.
    while !isInputEnded, !framer.isFull, !isBroken { read() }
  }

  /// Cancels a pending `weigh`, whose reply cannot be delivered; a request with an effect stays pending.
  private func cancelUnneededWait() {
    if isPeerClosed, case .stable? = pending?.condition { pending = nil }
  }

  /// Frees the queued output and sends nothing more.
  private func closeOutput() {
    guard !isOutputClosed else { return }
    isOutputClosed = true
    acceptsEvents = false
    counts = totalCounts
    rateLimiters = []
    sendQueue = SendQueue(limit: sendQueue.limit)
    // Without output there are only requests to wait for.
    updateReadiness()
  }
}

// MARK: - Output

extension Client {
  /// Sends lines that are for this client only.
  func send(_ lines: borrowing JSONLinesWriter) {
    counts.lines += lines.bytes.count { $0 == UInt8(ascii: "\n") }
    var gatherWrite = GatherWrite()
    gatherWrite.append(0..<lines.count, key: nil)
    send(gatherWrite, of: lines.bytes)
  }

  /// Sends the reply to a request that failed, or to a connection that is rejected.
  func send(_ error: RequestError, to request: Request? = nil) {
    var line = JSONLinesWriter()
    line.appendError(error, to: request)
    if request != nil { counts.failedRequests += 1 }
    send(line)
  }

  /// Sends lines in order; what the socket does not accept is queued.
  package func send(_ gatherWrite: borrowing GatherWrite, of bytes: UnsafeBufferPointer<UInt8>) {
    guard !isOutputClosed, gatherWrite.count > 0 else { return }
    var written = 0
    switch sendQueue.isEmpty ? gatherWrite.write(bytes, to: descriptor) : .blocked {
    case .written(let count):
      counts.bytes += count
      written = count
    case .blocked: break
    case .failed(let number): return writeFailed(number)
    }
    if written < gatherWrite.count { queue(gatherWrite, of: bytes, from: written) }
  }

  /// Handles a failed write: a peer that has closed may have sent requests before.
  private func writeFailed(_ number: Int32) {
    if number == EPIPE || number == ECONNRESET { closeOutput() } else { abort() }
  }

  /// Queues what the socket did not accept; the rest of a partially written line is never dropped.
  private func queue(
    _ gatherWrite: borrowing GatherWrite, of bytes: UnsafeBufferPointer<UInt8>, from written: Int
  ) {
    var written = written
    for piece in gatherWrite.pieces {
      guard !isOutputClosed else { return }
      if written >= piece.range.count {
        written -= piece.range.count
      } else {
        let rest = UnsafeBufferPointer(rebasing: bytes[piece.range.dropFirst(written)])
        queue(rest, key: piece.key, isRest: written > 0)
        written = 0
      }
    }
  }

  func flush() {
    let waited = sendQueue.pendingByteCount
    let outcome = sendQueue.drain { [descriptor] in
      DescriptorWriter.write(UnsafeRawBufferPointer($0), to: descriptor, .socket)
    }
    counts.bytes += waited - sendQueue.pendingByteCount
    if case .failed(let number) = outcome { return writeFailed(number) }
    if sendQueue.isEmpty { updateReadiness() }
    // At most one report at a time, for clients that read slowly.
    if sendQueue.pendingByteCount < waited || sendQueue.isEmpty, !sendQueue.isMissedReportQueued {
      reportMissed()
    }
    shutIfSent()
  }

  /// Signals a peer that still sends that no more output follows.
  private func shutIfSent() {
    if discardBudget > 0, sendQueue.isEmpty { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  private func queue(_ bytes: UnsafeBufferPointer<UInt8>, key: Subject?, isRest: Bool = false) {
    let wasEmpty = sendQueue.isEmpty
    defer { if wasEmpty, !sendQueue.isEmpty { updateReadiness() } }
    guard !isRest else { return sendQueue.add(bytes, key: nil) }
    // Not before each state: the queue of a client that does not read would fill with reports.
    if key == nil, !sendQueue.isMissedReportQueued { reportMissed() }
    guard !sendQueue.append(bytes, key: key) else { return }
    sendQueue.countMissed()
    // A newer state will follow; report the loss at once only if no other line is queued.
    guard key == nil else { return sendQueue.isEmpty ? reportMissed() : () }
    // Lossless events alone fill the queue: report that, if possible, and disconnect.
    reportMissed()
    flush()
    hasOverflowed = true
    abort()
  }

  private func reportMissed() {
    guard sendQueue.missed > 0 else { return }
    var line = JSONLinesWriter(capacity: 64)
    line.appendMissed(sendQueue.missed)
    guard sendQueue.hasRoom(for: line.count) else { return }
    if sendQueue.isEmpty {
      sendQueue.missed = 0
      send(line)
    } else {
      sendQueue.appendMissedReport(line.bytes)
    }
  }

  fileprivate func updateReadiness() {
    var readiness: Readiness = isInputEnded || framer.isFull ? [] : .reading
    if !sendQueue.isEmpty { readiness.insert(.writing) }
    source?.watch(for: readiness)
  }
}
