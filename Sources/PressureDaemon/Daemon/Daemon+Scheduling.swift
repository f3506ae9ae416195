internal import PressureClient
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// Requests are executed in turns: see `RequestQueue`.

extension Daemon {
  /// Reads requests from a client, or writes queued output to it.
  func handleReadiness(_ client: Client, _ readiness: Readiness) {
    // Do not execute requests here: if many connections of one user become readable together, each would get a turn
    // before the request of another user is read.
    if readiness.contains(.reading) { client.read() }
    // Requests may have waited for replies to be read.
    if readiness.contains(.writing) { client.flush() }
    if readiness.isGone { client.peerClosed() }
    enqueue(client)
    if client.isDone || shutdown.hasBegun { sweep() }
    fireOverdueTimers()
  }

  /// Applies the half-close rule, and queues the client if it has another request.
  func enqueue(_ client: Client) {
    client.applyHalfCloseRule()
    requests.add(client)
  }

  /// Gives the next client in the queue its turn.
  func serveNextClient() {
    fireOverdueTimers()
    guard let client = requests.next(connected: Set(clients.map(\.userID))) else { return }
    serve(client)
    if client.isDone || shutdown.hasBegun { sweep() }
    requests.pauseIfEmpty()
  }

  /// How late a timer is fired here, in microseconds: usually the loop fires it before.
  private static let timerGrace: Int64 = 10_000

  /// Fires overdue timers: their priority is lower, and sources of the normal priority may be ready without a pause.
  func fireOverdueTimers() {
    let moment = loop.now - Daemon.timerGrace
    delivery.fireIfDue(at: moment)
    weighs.fireIfDue(at: moment)
    guard let deadline = timers.deadlines.moment, deadline <= moment else { return }
    // Engines advance to the first unread event, which may cancel the deadline.
    readAhead()
    timers.deadlines.fireIfDue(at: moment)
  }

  /// Fires overdue timers after each 64 turns of devices: after each turn, they would cost 100 instructions per frame.
  func fireOverdueTimersSometimes() {
    deviceTurns &+= 1
    if deviceTurns.isMultiple(of: 64) { fireOverdueTimers() }
  }

  /// Executes requests of a client up to the cost limit of a turn.
  private func serve(_ client: Client) {
    let start = work.total
    while work.total &- start < RequestQueue.maximumTurnCost, let line = client.nextLine() {
      answer(line, for: client)
      work.count(RequestQueue.requestCost + line.cost + reply.count)
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
