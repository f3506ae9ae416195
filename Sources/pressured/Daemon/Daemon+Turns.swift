internal import PressureKit

// Requests are done in turns. A turn ends when it has cost enough, and the clients that wait have theirs, that of
// the user first whose last turn is longest ago; the text of what else was asked waits in the client's inbox.
//
//     readable ──▶ inbox ──a whole line──▶ queue ──▶ a turn ──▶ a turn of another user …
//                                            ▲──more to do──┘

extension Daemon {
  /// What a turn may cost; the request that goes beyond it is the turn's last.
  static let turnCost = 16 << 10

  /// What a request costs besides its bytes and those of its answer: some microseconds.
  private static let requestCost = 512

  /// How much is done before devices are looked after: that takes a small part of the time for which the kernel's
  /// queue lasts, also where its memory is slow or a client's buffer must take the bytes.
  private static let workInARow = 128 << 10

  /// Counts work, across requests and turns, and takes out what devices have said in time.
  func spend(_ cost: Int) {
    work &+= cost
    guard work &- workAtReadAhead > Daemon.workInARow else { return }
    readAhead()
    workAtReadAhead = work
  }

  /// Reads what a client says, or writes what it has room for.
  func attend(_ client: Client, _ readiness: Readiness) {
    // Not served here: if many connections of one user become readable together, each would have a turn before the
    // request of another user is read.
    if readiness.contains(.reading) { client.read() }
    // Replies may have waited for room.
    if readiness.contains(.writing) { client.flush() }
    if !readiness.isDisjoint(with: .gone) { client.hangUp() }
    enqueue(client)
    if client.isDone || isStopping { sweep() }
  }

  /// Applies the half-close rule, and lets a client that has asked for more wait for its turn.
  func enqueue(_ client: Client) {
    client.settleAfterReading()
    guard client.hasLine, !client.isQueued else { return }
    client.isQueued = true
    queue.append(client)
    turnSource.resume()
  }

  /// Gives the next client its turn, of the user whose last turn is longest ago.
  func takeTurn() {
    passOverdue()
    guard let next = turns.next(of: queue.lazy.map(\.userID)) else { return turnSource.pause() }
    let client = queue.remove(at: next)
    client.isQueued = false
    serve(client)
    if client.isDone || isStopping { sweep() }
    if queue.isEmpty { turnSource.pause() }
  }

  /// Fires overdue timers: their priority is lower, and turns may follow each other without a pause.
  private func passOverdue() {
    let present = loop.now
    if let dueAt, dueAt <= present { sendDueReadings() }
    if let weighDueAt, weighDueAt <= present { settleWeighs() }
    if let deadline, deadline.microseconds <= present { passDeadlines() }
  }

  /// Does what a client has asked for, up to what a turn may cost.
  private func serve(_ client: Client) {
    let start = work
    turns.note(client.userID) { user in clients.contains { $0.userID == user } }
    while work &- start < Daemon.turnCost, let line = client.nextLine() {
      answer(line, for: client)
      spend(Daemon.requestCost + line.cost + answers.count)
    }
    enqueue(client)
  }
}

extension Inbox.Line {
  /// To read a byte takes about as long as to write one.
  fileprivate var cost: Int {
    switch self {
    case .whole(let bytes): bytes.count
    case .tooLong: 0
    }
  }
}
