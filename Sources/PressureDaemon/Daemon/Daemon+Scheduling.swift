internal import PressureClient
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// Requests are done in scheduler. A turn ends when it has cost enough, and the clients that wait have theirs, that of
// the user first whose last turn is longest ago; the text of what else was asked waits in the client's framer.
//
//     readable ──▶ framer ──a whole line──▶ queue ──▶ a turn ──▶ a turn of another user …
//                                            ▲──more to do──┘

extension Daemon {
  /// What a turn may cost; the request that goes beyond it is the turn's last.
  static let maximumTurnCost = 16 << 10

  /// What a request costs besides its bytes and those of its answer: some microseconds.
  private static let requestCost = 512

  /// How much is done before devices are looked after: that takes a small part of the time for which the kernel's
  /// queue lasts, also where its memory is slow or a client's buffer must take the bytes.
  private static let readAheadInterval = 128 << 10

  /// Counts work, across requests and scheduler, and takes out what devices have said in time.
  func countWork(_ cost: Int) {
    work &+= cost
    guard work &- workAtReadAhead > Daemon.readAheadInterval else { return }
    readAhead()
    workAtReadAhead = work
  }

  /// Reads what a client says, or writes what it has room for.
  func handleReadiness(_ client: Client, _ readiness: Readiness) {
    // Never at once: many connections of one user that are readable together would each have their turn before
    // a request of another user has been read.
    if readiness.contains(.reading) { client.read() }
    // Answers may have waited for room.
    if readiness.contains(.writing) { client.flush() }
    if !readiness.isDisjoint(with: .gone) { client.peerClosed() }
    enqueue(client)
    if client.isDone || isStopping { sweep() }
  }

  /// Applies the half-close rule, and lets a client that has asked for more wait for its turn.
  func enqueue(_ client: Client) {
    client.applyHalfCloseRule()
    guard client.hasLine, !client.isQueued else { return }
    client.isQueued = true
    requestQueue.append(client)
    requestSource.resume()
  }

  /// Gives the next client its turn, of the user whose last turn is longest ago.
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

  /// Does what timers were to do: theirs is the lower priority, and scheduler may follow each other without a pause.
  private func fireOverdueTimers() {
    let present = loop.now
    if let dueAt, dueAt <= present { sendDueReadings() }
    if let weighDueAt, weighDueAt <= present { resolvePendingWeighs() }
    if let deadline, deadline.microseconds <= present { fireDeadlines() }
  }

  /// Does what a client has asked for, up to what a turn may cost.
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
  /// To read a byte takes about as long as to write one.
  fileprivate var cost: Int {
    switch self {
    case .whole(let bytes): bytes.count
    case .tooLong: 0
    }
  }
}

/// Whose turn is next: the user's whose last turn is longest ago, however many connections others have.
struct UserScheduler {
  /// With more users than this, those that are not connected are forgotten.
  static let pruneThreshold = 64

  private(set) var lastTurns: [UInt32: UInt64] = [:]
  private var turn: UInt64 = 0

  /// Gives the place of the next in a queue, the first of those of one user; nil where nobody waits.
  func next(of users: some Collection<UInt32>) -> Int? {
    var best: (place: Int, turn: UInt64)?
    for (place, user) in users.enumerated() {
      let turn = lastTurns[user] ?? 0
      if best.map({ turn < $0.turn }) ?? true { best = (place, turn) }
      // Nothing is longer ago than never.
      if turn == 0 { break }
    }
    return best?.place
  }

  /// Counts a turn of a user.
  ///
  /// - Parameters:
  ///   - user: whose it is.
  ///   - isConnected: whether a user still is, asked where there are many.
  mutating func note(_ user: UInt32, isConnected: (UInt32) -> Bool) {
    turn += 1
    if lastTurns[user] == nil, lastTurns.count >= UserScheduler.pruneThreshold {
      lastTurns = lastTurns.filter { isConnected($0.key) }
    }
    lastTurns[user] = turn
  }
}
