internal import CLinux
internal import Glibc
internal import PressureClient
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// Somebody at the other end of the socket: what they want, and what they have not written yet.
///
/// Nothing here waits. A client that does not read fills its own buffer and nobody else's.
///
/// Of what is needed for each line the runtime keeps no book of who is at it, as that would cost more than
/// all else that is ours: there is one thread, and nothing that is called with a part of it comes back here.
package final class Client {
  package let number: Int
  package var source: EventSource?
  @exclusivity(unchecked) var subscription = Subscription()

  /// Live events have stopped: only what is due is still sent, then the connection is closed.
  private(set) var isClosing = false { didSet { acceptsEvents = false } }

  /// Whether live events are still sent.
  private(set) var acceptsEvents = true

  /// The other side reads no more: output is discarded, and what it has asked for is still done.
  private(set) var isOutputClosed = false

  /// The connection is of no more use.
  package private(set) var isBroken = false

  /// How many bytes are still read and thrown away before the connection ends: who is hung up on with
  /// something unread gets an error, and may get it before what was said last.
  private var discardBudget = 0

  /// Happenings alone have filled its buffer.
  private(set) var hasOverflowed = false

  /// What it has cost so far, but for what its sendQueue and rateLimiters count themselves.
  @exclusivity(unchecked) var counts = ClientCounts()

  /// Microseconds of CLOCK_MONOTONIC when it came.
  let since: Int64

  /// The other side has closed the connection, and some of what it has asked for is still to be done.
  private(set) var isPeerClosed = false

  /// Whether it waits for its turn.
  var isQueued = false

  /// The user at the other end.
  package let userID: UInt32

  /// What it waits for; what it has asked for since waits behind that.
  var pending: PendingWeigh? { didSet { cancelUnneededWait() } }

  private let file: Descriptor
  private var framer = LineFramer()
  @exclusivity(unchecked) private var sendQueue: SendQueue
  @exclusivity(unchecked) var rateLimiters: [RateLimiter] = []
  private var hasRequested = false
  private var isInputEnded = false
  private var hasSubscribed = false

  init(
    number: Int, file: consuming Descriptor, bufferLimit: Int, userID: UInt32 = 0, since: Int64 = 0
  ) {
    self.number = number
    self.userID = userID
    self.since = since
    self.file = file
    sendQueue = SendQueue(limit: bufferLimit)
  }

  package var descriptor: Int32 { file.number }

  /// Bytes that it has not written yet.
  var pendingByteCount: Int { sendQueue.pendingByteCount }

  /// What it has cost so far.
  var totalCounts: ClientCounts {
    var counts = counts
    counts.missed += sendQueue.totalMissed
    for rateLimiter in rateLimiters { counts.replaced += rateLimiter.replaced }
    return counts
  }

  /// Whether all that was to be sent before the connection ends is sent.
  package var isDone: Bool {
    isBroken
      || ((isClosing || isPeerClosed) && sendQueue.isEmpty && pending == nil && discardBudget <= 0
        && !framer.hasLine)
  }

  /// Ends the connection once all that waits is sent, and the rest of what it is saying was heard.
  func closeAfterDrainingInput() {
    isClosing = true
    discardBudget = isInputEnded || isPeerClosed ? 0 : Client.maximumDiscarded
    shutIfSent()
  }

  /// Far more than any request, and little enough to be read for nothing.
  private static let maximumDiscarded = 1 << 20

  /// Ends the connection once all that waits is sent.
  package func closeAfterFlushing() {
    isClosing = true
  }

  /// Ends the connection now.
  func abort() {
    isBroken = true
    closeOutput()
  }

  /// Remembers a request, understood or not, for the half-close rule.
  func noteRequest(_ command: Command?) {
    hasRequested = true
    counts.requests += 1
    if case .subscribe? = command { hasSubscribed = true }
  }
}

// MARK: - Requests that wait

extension Client {
  /// The next line, unless the answer to the one before it is still to come.
  func nextLine() -> LineFramer.Line? {
    guard !isBroken, pending == nil, !isBackpressured else { return nil }
    let wasFull = framer.isFull
    let line = framer.next()
    if wasFull, !framer.isFull { updateReadiness() }
    return line
  }

  /// Whether `nextLine` would give one.
  var hasLine: Bool { !isBroken && pending == nil && !isBackpressured && framer.hasLine }

  /// Whether answers fill half of its buffer: what else it has asked for waits until it has read some, as
  /// whoever reads more slowly than it asks would be disconnected.
  private var isBackpressured: Bool { sendQueue.pendingByteCount > sendQueue.limit / 2 }

  /// Bytes of requests that wait, as they came.
  var requestBytes: Int { framer.pendingByteCount }

  /// How many those are at storageLimit; more than this are left in the socket.
  static let maximumWaiting = Request.maximumLength + readSize
}

// MARK: - From the client

extension Client {
  /// How much is read at once; whoever has more to say waits for the others.
  private static let readSize = 4096

  /// Reads what has come, for `nextLine` to give.
  package func read() {
    withUnsafeTemporaryAllocation(byteCount: Client.readSize, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0, isClosing {
        discardBudget -= count
      } else if count > 0 {
        framer.append(buffer.prefix(count))
        if framer.isFull { updateReadiness() }
      } else if count == 0 || errno == ECONNRESET || errno == EAGAIN && isPeerClosed {
        // ECONNRESET is reported behind the last byte when the other side closed with something unread.
        isInputEnded = true
        discardBudget = 0
        if !isClosing { framer.end() }
      } else if errno != EAGAIN, errno != EINTR {
        abort()
      }
    }
  }

  /// Reads what the other side left in the socket when it closed, as far as the framer has room: closing must not
  /// be a way to have more done than a client that stays can ask for at once.
  private func drainSocket() {
    while !isInputEnded, !framer.isFull, !isBroken { read() }
  }

  /// Applies the half-close rule: who has asked, and not subscribed, wants answers and no more.
  func applyHalfCloseRule() {
    guard isInputEnded else { return }
    // What waits is not understood yet; it may subscribe only if the word is there, or an escape.
    let isUnclear = framer.contains("subscribe") || framer.contains("\\")
    if hasRequested || !framer.isBlank, !hasSubscribed, !isUnclear { closeAfterFlushing() }
    // What is shut stays readable, and would wake the loop for ever.
    updateReadiness()
  }

  /// The other side has closed the connection; what it has asked for by then is still done.
  func peerClosed() {
    isPeerClosed = true
    // It would wake the loop for ever.
    source = nil
    closeOutput()
    discardBudget = 0
    cancelUnneededWait()
    drainSocket()
  }

  /// Ends a wait for a reading that is only an answer; a request that does something goes on waiting.
  private func cancelUnneededWait() {
    if isPeerClosed, case .stable? = pending?.condition { pending = nil }
  }

  /// Frees what waits to be sent, and sends nothing more.
  private func closeOutput() {
    guard !isOutputClosed else { return }
    isOutputClosed = true
    acceptsEvents = false
    counts = totalCounts
    rateLimiters = []
    sendQueue = SendQueue(limit: sendQueue.limit)
    // Without output there is nothing to wait for but requests.
    updateReadiness()
  }
}

// MARK: - To the client

extension Client {
  /// Sends lines that are for this client alone.
  func send(_ lines: borrowing JSONLinesWriter) {
    counts.lines += lines.bytes.count { $0 == UInt8(ascii: "\n") }
    var gatherWrite = GatherWrite()
    gatherWrite.append(lines.bytes, key: nil)
    send(gatherWrite)
  }

  /// Sends lines in order; what the socket does not take waits in the sendQueue.
  func send(_ gatherWrite: borrowing GatherWrite) {
    guard !isOutputClosed, gatherWrite.count > 0 else { return }
    let written = sendQueue.isEmpty ? write(gatherWrite) : 0
    if written < gatherWrite.count { queue(gatherWrite, from: written) }
  }

  private func write(_ gatherWrite: borrowing GatherWrite) -> Int {
    if let written = gatherWrite.write(to: descriptor) {
      counts.bytes += written
      return written
    }
    writeFailed(errno)
    return 0
  }

  /// A write has failed: where the other side has closed, it may have asked for something before.
  private func writeFailed(_ number: Int32) {
    if number == EPIPE || number == ECONNRESET { closeOutput() } else { abort() }
  }

  /// Keeps what the socket has not written; of a line that it took in part, the rest must follow.
  private func queue(_ gatherWrite: borrowing GatherWrite, from written: Int) {
    var written = written
    for piece in gatherWrite.pieces {
      guard !isOutputClosed else { return }
      if written >= piece.bytes.count {
        written -= piece.bytes.count
      } else {
        let rest = UnsafeBufferPointer(rebasing: piece.bytes[written...])
        queue(rest, key: piece.key, isRest: written > 0)
        written = 0
      }
    }
  }

  /// The socket has room again.
  func flush() {
    let waited = sendQueue.pendingByteCount
    var number: Int32 = 0
    let isWhole = sendQueue.drain { [descriptor] bytes in
      let count = Glibc.send(
        descriptor, bytes.baseAddress, bytes.count,
        Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      number = count < 0 ? errno : 0
      return count >= 0 ? count : number == EAGAIN || number == EINTR ? 0 : nil
    }
    counts.bytes += waited - sendQueue.pendingByteCount
    guard isWhole else { return writeFailed(number) }
    if sendQueue.isEmpty { updateReadiness() }
    // One at a time, for whoever takes little.
    if sendQueue.pendingByteCount < waited || sendQueue.isEmpty, !sendQueue.isMissedReportQueued {
      reportMissed()
    }
    shutIfSent()
  }

  /// Tells who is still speaking that no more will come.
  private func shutIfSent() {
    if discardBudget > 0, sendQueue.isEmpty { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  fileprivate func queue(
    _ bytes: UnsafeBufferPointer<UInt8>, key: SendQueue.Key?, isRest: Bool = false
  ) {
    let wasEmpty = sendQueue.isEmpty
    defer { if wasEmpty, !sendQueue.isEmpty { updateReadiness() } }
    guard !isRest else { return sendQueue.append(restOfLine: bytes) }
    // Not before each state: whoever takes nothing would have a buffer full of what it has missed.
    if key == nil, !sendQueue.isMissedReportQueued { reportMissed() }
    guard !sendQueue.append(bytes, key: key) else { return }
    sendQueue.countMissed()
    // A newer state will come; nobody would tell of this one where nothing waits.
    guard key == nil else { return sendQueue.isEmpty ? reportMissed() : () }
    // Happenings alone fill the buffer: the client is told, if it can be, and let go.
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
      sendQueue.resetMissed()
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
