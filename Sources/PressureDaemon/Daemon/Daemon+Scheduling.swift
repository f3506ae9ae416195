internal import PressureConnection
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// Requests are executed in turns. A turn ends when its cost limit is reached; then the next client in the queue gets
// one, of the user served least recently. Unparsed requests wait in the client's line framer.
//
//     readable ──▶ framer ──a whole line──▶ queue ──▶ a turn ──▶ a turn of another user …
//                                            ▲──more to do──┘

extension Daemon {
  /// The cost limit of a turn; the request that exceeds it is the last one of the turn.
  static let maximumTurnCost = 16 << 10

  /// The cost of a request besides its bytes and those of its reply: some microseconds.
  private static let requestCost = 512

  /// How much work is done between two reads of the devices: it takes a small part of the time in which the kernel's
  /// queue overflows, even if memory is slow or output must be queued.
  private static let readAheadInterval = 128 << 10

  /// Counts work across requests and turns, and reads the devices ahead in time.
  func countWork(_ cost: Int) {
    work &+= cost
    guard work &- workAtReadAhead > Daemon.readAheadInterval else { return }
    readAhead()
    workAtReadAhead = work
  }

  /// Reads requests from a client, or writes queued output to it.
  func handleReadiness(_ client: Client, _ readiness: Readiness) {
    // Do not execute requests here: if many connections of one user become readable together, each would get a turn
    // before the request of another user is read.
    if readiness.contains(.reading) { client.read() }
    // Requests may have waited for replies to be read.
    if readiness.contains(.writing) { client.flush() }
    if !readiness.isDisjoint(with: .gone) { client.peerClosed() }
    enqueue(client)
    if client.isDone || isStopping { sweep() }
  }

  /// Applies the half-close rule, and queues the client if it has another request.
  func enqueue(_ client: Client) {
    client.applyHalfCloseRule()
    guard client.hasLine, !client.isQueued else { return }
    client.isQueued = true
    requestQueue.append(client)
    requestSource.resume()
  }

  /// Serves the next client: the first one of the user served least recently.
  func serveNextClient() {
    fireOverdueTimers()
    guard let next = scheduler.next(of: requestQueue.lazy.map(\.userID)) else {
      return requestSource.pause()
    }
    let client = requestQueue.remove(at: next)
    client.isQueued = false
    serve(client)
    if client.isDone || isStopping { sweep() }
    if requestQueue.isEmpty { requestSource.pause() }
  }

  /// Fires overdue timers: their priority is lower, and turns may follow each other without a pause.
  private func fireOverdueTimers() {
    let present = loop.now
    if let dueAt, dueAt <= present { sendDueReadings() }
    if let weighDueAt, weighDueAt <= present { resolvePendingWeighs() }
    if let deadline, deadline.microseconds <= present { fireDeadlines() }
  }

  /// Executes requests of a client up to the cost limit of a turn.
  private func serve(_ client: Client) {
    let start = work
    scheduler.note(client.userID) { user in clients.contains { $0.userID == user } }
    while work &- start < Daemon.maximumTurnCost, let line = client.nextLine() {
      answer(line, for: client)
      countWork(Daemon.requestCost + line.cost + reply.count)
    }
    enqueue(client)
  }
}

extension LineFramer.Line {
  /// Parsing a byte costs about as much as writing one.
  fileprivate var cost: Int {
    switch self {
    case .whole(let bytes): bytes.count
    case .tooLong: 0
    }
  }
}

/// Selects the user that was served least recently, however many connections other users have.
struct UserScheduler {
  /// With more users than this, those that are not connected are removed.
  static let pruneThreshold = 64

  private(set) var lastTurns: [UInt32: UInt64] = [:]
  private var turn: UInt64 = 0

  /// The index of the next client in a queue, the first one of its user; nil if the queue is empty.
  func next(of users: some Collection<UInt32>) -> Int? {
    var best: (place: Int, turn: UInt64)?
    for (place, user) in users.enumerated() {
      let turn = lastTurns[user] ?? 0
      if best.map({ turn < $0.turn }) ?? true { best = (place, turn) }
      // A user that was never served comes first.
      if turn == 0 { break }
    }
    return best?.place
  }

  /// Records a turn of a user.
  ///
  /// - Parameters:
  ///   - user: the user ID.
  ///   - isConnected: whether a user still has a connection; called only with many users.
  mutating func note(_ user: UInt32, isConnected: (UInt32) -> Bool) {
    turn += 1
    if lastTurns[user] == nil, lastTurns.count >= UserScheduler.pruneThreshold {
      lastTurns = lastTurns.filter { isConnected($0.key) }
    }
    lastTurns[user] = turn
  }
}
