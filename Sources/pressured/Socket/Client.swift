internal import CSystemd
internal import Glibc
internal import PressureKit

/// Somebody at the other end of the socket: what they want, and what they have not taken yet.
///
/// Nothing here waits. A client that does not read fills its own buffer and nobody else's.
///
/// Of what is needed for each line the runtime keeps no book of who is at it, as that would cost more than
/// all else that is ours: there is one thread, and nothing that is called with a part of it comes back here.
final class Client {
  let number: Int
  var source: EventSource?
  @exclusivity(unchecked) var subscription = Subscription()

  /// Live events have stopped: only what is due is still sent, then the connection is closed.
  private(set) var isLeaving = false { didSet { takesEvents = false } }

  /// Whether live events are still sent.
  private(set) var takesEvents = true

  /// The other side reads no more: output is discarded, and what it has asked for is still done.
  private(set) var isDeaf = false

  /// The connection is of no more use.
  private(set) var isBroken = false

  /// How many bytes are still read and thrown away before the connection ends: who is hung up on with
  /// something unread gets an error, and may get it before what was said last.
  private var discarding = 0

  /// Happenings alone have filled its buffer.
  private(set) var isStuck = false

  /// What it has cost so far, but for what its outbox and paces count themselves.
  @exclusivity(unchecked) var counts = ClientCounts()

  /// Microseconds of CLOCK_MONOTONIC when it came.
  let since: Int64

  /// The other side has closed the connection, and some of what it has asked for is still to be done.
  private(set) var hasHungUp = false

  /// Whether it waits for its turn.
  var isQueued = false

  /// The user at the other end.
  let userID: UInt32

  /// What it waits for; what it has asked for since waits behind that.
  var pending: PendingWeigh? { didSet { skipUnheardWait() } }

  private let file: Descriptor
  private var inbox = Inbox()
  @exclusivity(unchecked) private var outbox: Outbox
  @exclusivity(unchecked) var paces: [Pace] = []
  private var hasAsked = false
  private var hasShut = false
  private var hasSubscribed = false

  init(
    number: Int, file: consuming Descriptor, bufferLimit: Int, userID: UInt32 = 0, since: Int64 = 0
  ) {
    self.number = number
    self.userID = userID
    self.since = since
    self.file = file
    outbox = Outbox(limit: bufferLimit)
  }

  var descriptor: Int32 { file.number }

  /// Bytes that it has not taken yet.
  var waiting: Int { outbox.waiting }

  /// What it has cost so far.
  var allCounts: ClientCounts {
    var counts = counts
    counts.missed += outbox.missedInAll
    for pace in paces { counts.replaced += pace.replaced }
    return counts
  }

  /// Whether all that was to be sent before the connection ends is sent.
  var isDone: Bool {
    isBroken
      || ((isLeaving || hasHungUp) && outbox.isEmpty && pending == nil && discarding <= 0
        && !inbox.hasLine)
  }

  /// Ends the connection once all that waits is sent, and the rest of what it is saying was heard.
  func leaveAfterHearing() {
    isLeaving = true
    discarding = hasShut || hasHungUp ? 0 : Client.mostDiscarded
    shutIfSent()
  }

  /// Far more than any request, and little enough to be read for nothing.
  private static let mostDiscarded = 1 << 20

  /// Ends the connection once all that waits is sent.
  func leave() {
    isLeaving = true
  }

  /// Ends the connection now.
  func abandon() {
    isBroken = true
    discardOutput()
  }

  /// Remembers a request, understood or not, for the half-close rule.
  func noteRequest(_ command: Command?) {
    hasAsked = true
    counts.requests += 1
    if case .subscribe? = command { hasSubscribed = true }
  }
}

// MARK: - Requests that wait

extension Client {
  /// The next line, unless the answer to the one before it is still to come.
  func nextLine() -> Inbox.Line? {
    guard !isBroken, pending == nil, !isBehind else { return nil }
    let wasFull = inbox.isFull
    let line = inbox.next()
    if wasFull, !inbox.isFull { watch() }
    return line
  }

  /// Whether `nextLine` would give one.
  var hasLine: Bool { !isBroken && pending == nil && !isBehind && inbox.hasLine }

  /// Whether answers fill half of its buffer: what else it has asked for waits until it has read some, as
  /// whoever reads more slowly than it asks would be disconnected.
  private var isBehind: Bool { outbox.waiting > outbox.limit / 2 }

  /// Bytes of requests that wait, as they came.
  var requestBytes: Int { inbox.waiting }

  /// How many those are at most; more than this are left in the socket.
  static let maximumWaiting = Request.maximumLength + readSize
}

// MARK: - From the client

extension Client {
  /// How much is read at once; whoever has more to say waits for the others.
  private static let readSize = 4096

  /// Reads what has come, for `nextLine` to give.
  func read() {
    withUnsafeTemporaryAllocation(byteCount: Client.readSize, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0, isLeaving {
        discarding -= count
      } else if count > 0 {
        inbox.append(buffer.prefix(count))
        if inbox.isFull { watch() }
      } else if count == 0 || errno == ECONNRESET || errno == EAGAIN && hasHungUp {
        // ECONNRESET is reported behind the last byte when the other side closed with something unread.
        hasShut = true
        discarding = 0
        if !isLeaving { inbox.end() }
      } else if errno != EAGAIN, errno != EINTR {
        abandon()
      }
    }
  }

  /// Reads what the client sent before it closed the connection, up to the limit of the inbox: closing must not
  /// allow more requests than a connected client can have waiting.
  private func readRest() {
    while !hasShut, !inbox.isFull, !isBroken { read() }
  }

  /// Applies the half-close rule: who has asked, and not subscribed, wants answers and no more.
  func settleAfterReading() {
    guard hasShut else { return }
    // What waits is not understood yet; it may subscribe only if the word is there, or an escape.
    let isUnclear = inbox.contains("subscribe") || inbox.contains("\\")
    if hasAsked || !inbox.isBlank, !hasSubscribed, !isUnclear { leave() }
    // What is shut stays readable, and would wake the loop for ever.
    watch()
  }

  /// The other side has closed the connection; what it has asked for by then is still done.
  func hangUp() {
    hasHungUp = true
    // It would wake the loop for ever.
    source = nil
    discardOutput()
    discarding = 0
    skipUnheardWait()
    readRest()
  }

  /// Ends a wait for a reading that is only an answer; a request that does something goes on waiting.
  private func skipUnheardWait() {
    if hasHungUp, case .stable? = pending?.condition { pending = nil }
  }

  /// Frees what waits to be sent, and sends nothing more.
  private func discardOutput() {
    guard !isDeaf else { return }
    isDeaf = true
    takesEvents = false
    counts = allCounts
    paces = []
    outbox = Outbox(limit: outbox.limit)
    // Without output there is nothing to wait for but requests.
    watch()
  }
}

// MARK: - To the client

extension Client {
  /// Sends lines that are for this client alone.
  func send(_ lines: borrowing JSONLines) {
    counts.lines += lines.bytes.count { $0 == UInt8(ascii: "\n") }
    var parcel = Parcel()
    parcel.append(lines.bytes, key: nil)
    send(parcel)
  }

  /// Sends lines in order; what the socket does not take waits in the outbox.
  func send(_ parcel: borrowing Parcel) {
    guard !isDeaf, parcel.count > 0 else { return }
    let taken = outbox.isEmpty ? write(parcel) : 0
    if taken < parcel.count { queue(parcel, from: taken) }
  }

  private func write(_ parcel: borrowing Parcel) -> Int {
    if let taken = parcel.write(to: descriptor) {
      counts.bytes += taken
      return taken
    }
    loseWriting(errno)
    return 0
  }

  /// A write has failed: where the other side has closed, it may have asked for something before.
  private func loseWriting(_ number: Int32) {
    if number == EPIPE || number == ECONNRESET { discardOutput() } else { abandon() }
  }

  /// Keeps what the socket has not taken; of a line that it took in part, the rest must follow.
  private func queue(_ parcel: borrowing Parcel, from taken: Int) {
    var taken = taken
    for piece in parcel.pieces {
      guard !isDeaf else { return }
      if taken >= piece.bytes.count {
        taken -= piece.bytes.count
      } else {
        let rest = UnsafeBufferPointer(rebasing: piece.bytes[taken...])
        queue(rest, key: piece.key, isRest: taken > 0)
        taken = 0
      }
    }
  }

  /// The socket has room again.
  func flush() {
    let waited = outbox.waiting
    var number: Int32 = 0
    let isWhole = outbox.drain { [descriptor] bytes in
      let count = Glibc.send(
        descriptor, bytes.baseAddress, bytes.count,
        Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      number = count < 0 ? errno : 0
      return count >= 0 ? count : number == EAGAIN || number == EINTR ? 0 : nil
    }
    counts.bytes += waited - outbox.waiting
    guard isWhole else { return loseWriting(number) }
    if outbox.isEmpty { watch() }
    // One at a time, for whoever takes little.
    if outbox.waiting < waited || outbox.isEmpty, !outbox.tellsMissed { sayMissed() }
    shutIfSent()
  }

  /// Tells who is still speaking that no more will come.
  private func shutIfSent() {
    if discarding > 0, outbox.isEmpty { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  fileprivate func queue(
    _ bytes: UnsafeBufferPointer<UInt8>, key: Outbox.Key?, isRest: Bool = false
  ) {
    let wasEmpty = outbox.isEmpty
    defer { if wasEmpty, !outbox.isEmpty { watch() } }
    guard !isRest else { return outbox.append(restOfLine: bytes) }
    // Not before each state: whoever takes nothing would have a buffer full of what it has missed.
    if key == nil, !outbox.tellsMissed { sayMissed() }
    guard !outbox.append(bytes, key: key) else { return }
    outbox.miss()
    // A newer state will come; nobody would tell of this one where nothing waits.
    guard key == nil else { return outbox.isEmpty ? sayMissed() : () }
    // Happenings alone fill the buffer: the client is told, if it can be, and let go.
    sayMissed()
    flush()
    isStuck = true
    abandon()
  }

  private func sayMissed() {
    guard outbox.missed > 0 else { return }
    var line = JSONLines(capacity: 64)
    line.appendMissed(outbox.missed)
    guard outbox.hasRoom(for: line.count) else { return }
    if outbox.isEmpty {
      outbox.forgetMissed()
      send(line)
    } else {
      outbox.tellMissed(line.bytes)
    }
  }

  fileprivate func watch() {
    var readiness: Readiness = hasShut || inbox.isFull ? [] : .reading
    if !outbox.isEmpty { readiness.insert(.writing) }
    source?.watch(for: readiness)
  }
}
