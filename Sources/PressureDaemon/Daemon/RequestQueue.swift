internal import PressureClient
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// Clients with requests to execute, in the order in which they became ready, and their turns.
///
/// A turn ends when its cost limit is reached; then the next client in the queue gets one, of the user served least
/// recently. Unparsed requests wait in the client's line framer.
///
///     readable ──▶ framer ──a whole line──▶ queue ──▶ a turn ──▶ a turn of another user …
///                                            ▲──more to do──┘
final class RequestQueue {
  /// The cost limit of a turn; the request that exceeds it is the last one of the turn.
  static let maximumTurnCost = 16 << 10

  /// The cost of a request besides its bytes and those of its reply: some microseconds.
  static let requestCost = 512

  var limits = UseLimits()

  private var clients: [Client] = []
  private var scheduler = UserScheduler()
  private let source: EventSource

  /// Creates an empty queue; `serve` is called in each iteration of the loop while there are clients in it.
  init(loop: EventLoop, serve: @escaping () -> Void) throws(SystemError) {
    source = try loop.recurring(serve)
  }

  func add(_ client: Client) {
    guard client.hasLine, !client.isQueued else { return }
    client.isQueued = true
    clients.append(client)
    source.resume()
  }

  /// Removes and returns the first client of the user served least recently, if there is one.
  func next(connected: @autoclosure () -> Set<UInt32>) -> Client? {
    guard let index = scheduler.next(of: clients.lazy.map(\.account)) else {
      source.pause()
      return nil
    }
    let client = clients.remove(at: index)
    client.isQueued = false
    scheduler.note(client.account, connected: connected())
    return client
  }

  func removeDone() {
    clients.removeAll { $0.isDone }
  }

  func pauseIfEmpty() {
    if clients.isEmpty { source.pause() }
  }
}

/// Selects the user that was served least recently, however many connections other users have.
///
/// All members together have the turns of one user, and share these in the same way.
struct UserScheduler {
  /// With more users than this, those that are not connected are removed.
  static let pruneThreshold = 64

  private(set) var lastTurns: [UInt32: UInt64] = [:]
  private var lastTurnOfMembers: UInt64 = 0
  private var turn: UInt64 = 0

  /// The index of the next client in a queue, the first one of its user; nil if the queue is empty.
  func next(of accounts: some Collection<Account>) -> Int? {
    var best: (place: Int, turns: (UInt64, UInt64))?
    for (place, account) in accounts.enumerated() {
      let own = lastTurns[account.userID] ?? 0
      let turns = (account.kind == .member ? lastTurnOfMembers : own, own)
      if best.map({ turns < $0.turns }) ?? true { best = (place, turns) }
      // A user that was never served comes first.
      if turns == (0, 0) { break }
    }
    return best?.place
  }

  /// Records a turn; `connected`, users with a connection, is evaluated only with many users.
  mutating func note(_ account: Account, connected: @autoclosure () -> Set<UInt32>) {
    turn += 1
    if lastTurns[account.userID] == nil, lastTurns.count >= UserScheduler.pruneThreshold {
      let connected = connected()
      lastTurns = lastTurns.filter { connected.contains($0.key) }
    }
    lastTurns[account.userID] = turn
    if account.kind == .member { lastTurnOfMembers = turn }
  }
}

/// The rate limits of each user, and of users together, for requests that change what other clients receive.
struct UseLimits {
  /// The factor from the limit of one user to that of all users together, except root and the daemon's own user.
  private static let sharedFactor = 4.0

  /// The factor for all members together: the rest is left to users who cannot be multiplied.
  private static let memberFactor = 3.0

  private var buckets = TokenBuckets()

  /// Admits a request, or returns the milliseconds until the next one is admitted.
  mutating func admit(_ account: Account, at now: Int64, _ rules: UseConfiguration) -> Int? {
    let wait = buckets.acquire(
      UseLimits.shares(of: account), at: now, perSecond: Double(rules.requestsPerSecond),
      burst: Double(rules.burst))
    return wait.map { Int(($0 + 999) / 1000) }
  }

  /// Charges for lossless lines that a request has sent to clients: no send queue may drop them.
  mutating func charge(_ account: Account, bytes: Int) {
    buckets.charge(UseLimits.shares(of: account), Double(bytes / UseLimits.bytesPerRequest))
  }

  private static func shares(of account: Account) -> [TokenBuckets.Share] {
    let own: TokenBuckets.Share = (.one(account.userID), 1)
    return switch account.kind {
    case .privileged: [own]
    case .individual: [own, (.all, sharedFactor)]
    case .member: [own, (.members, memberFactor), (.all, sharedFactor)]
    }
  }

  /// This many bytes of a line cost one more request, so that by default the lines that all users may cause at once fit
  /// into the send queue of one client.
  private static let bytesPerRequest = 256
}

// MARK: - Turns

extension Daemon {
  func handleReadiness(_ client: Client, _ readiness: Readiness) {
    // Do not execute requests here: if many connections of one user become readable together, each would get a turn
    // before the request of another user is read.
    if readiness.contains(.reading) { client.read() }
    // Requests may have waited for replies to be read.
    if readiness.contains(.writing) { client.flush() }
    if readiness.isGone { client.peerClosed() }
    enqueue(client)
    if client.isDone || isStopping { sweep() }
  }

  /// Applies the half-close rule, and queues the client if it has another request.
  func enqueue(_ client: Client) {
    client.applyHalfCloseRule()
    requests.add(client)
  }

  /// Executes requests of the next client up to the cost limit of a turn.
  func serveNextClient() {
    guard let client = requests.next(connected: Set(clients.map(\.userID))) else { return }
    let start = work.total
    while work.total &- start < RequestQueue.maximumTurnCost, let line = client.nextLine() {
      answer(line, for: client)
      // Parsing a byte costs about as much as writing one.
      let length = if case .whole(let bytes) = line { bytes.count } else { 0 }
      work.count(RequestQueue.requestCost + length + reply.count)
    }
    enqueue(client)
    if client.isDone || isStopping { sweep() }
    requests.pauseIfEmpty()
  }
}
