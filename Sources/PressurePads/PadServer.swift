internal import CLinux
internal import Glibc
internal import PressureClient
package import PressureKit
package import PressureLoop
package import PressureSystem

/// The program that sets one pad: it sends what is saved when the pad appears, serves requests, and ends when idle.
///
/// Its socket stays with the service manager, which starts it again at the next connection. A connection has one request:
///
///     connected ──line──▶ requested ──granted──▶ performed ──▶ answered
///         └──── 5 s, or refused by the rules for access ──────────▲
package final class PadServer {
  /// Without connections it ends after this time, in microseconds.
  private static let idleTime: Int64 = 20_000_000

  /// The time for a client to send its request, in microseconds.
  private static let requestTime: Int64 = 5_000_000

  /// The most connections at the same time of one user, and of all users but root.
  private static let maximumClientsOfUser = 4
  private static let maximumClients = 32

  /// A pad may not be ready at once after a suspend; so often and after this time, in microseconds, it is tried again.
  private static let maximumAttempts = 3
  private static let retryTime: Int64 = 2_000_000

  /// The most requests: a pad may keep its settings in a memory that wears out.
  private static let requestsPerSecond = 2.0
  private static let burst = 10.0

  private let controller: PadController
  private let loop: EventLoop
  private let listener: Descriptor
  private let rules: AccessConfiguration
  private let permissions: Permissions
  private var logins: LoginMonitor?
  private var clients: [PadConnection] = []
  private var acceptor: Acceptor?
  private var idleTimer: EventSource?
  private var retryTimer: EventSource?
  private var attempts = 0
  private var bucket = TokenBuckets()

  package init(
    _ controller: PadController, loop: EventLoop, listener: consuming Descriptor,
    configuration: Configuration
  ) throws(SystemError) {
    self.controller = controller
    self.loop = loop
    self.listener = listener
    rules = configuration.access
    permissions = Permissions(configuration)
    // One at a time: others take their turn in between.
    acceptor = try Acceptor(self.listener.number, loop: loop, budget: 1) { [unowned self] in
      serveConnection($0)
      return 1
    }
    idleTimer = try loop.timer { [unowned self] in
      if clients.isEmpty { loop.stop() }
    }
    retryTimer = try loop.timer { [unowned self] in apply(controller.restoreMissing) }
    idleTimer?.set(to: Timestamp.now.microseconds + PadServer.idleTime)
  }

  /// Refuses all connections that wait at a socket, so that the service manager does not start this again for them.
  package static func refuseAll(on listener: borrowing Descriptor, _ error: PadError) {
    for _ in 0..<SOMAXCONN {
      let number = pressured_accept(listener.number)
      guard number >= 0 else { return }
      let file = Descriptor(number)
      send(.init(error), to: file.number)
    }
  }

  /// Sends the saved settings to a pad that has not got them, and again if it does not answer.
  package func applyAtStart() {
    apply { () throws(PadError) in try controller.restoreAtStart(warn: Log.warning) }
  }

  private func apply(_ restore: () throws(PadError) -> [String]) {
    attempts += 1
    do throws(PadError) {
      for sentence in try restore() { Log.info("\(controller.pad.name): \(sentence)") }
    } catch {
      Log.warning("\(controller.pad.name): \(error.message)")
      retry(after: error)
    }
  }

  private func retry(after error: PadError) {
    guard error.code != .gone, attempts < PadServer.maximumAttempts else { return }
    // The time of the loop is outdated after a request to the pad.
    let now = Timestamp.now.microseconds
    retryTimer?.set(to: now + PadServer.retryTime)
    idleTimer?.set(to: now + PadServer.idleTime)
  }

  // MARK: - Access

  /// Checks whether a user may set the pad: root, users under `control` in the configuration, and the user whose session is
  /// active on the pad's seat and not locked.
  ///
  /// It returns false as long as the login manager has not answered, and throws why the user may not.
  private func admits(_ user: UInt32, on socket: Int32) throws(PadError) -> Bool {
    if permissions.mayControl(user, in: PeerCredentials.groupIDs(of: socket)) { return true }
    guard rules.seat else {
      throw refusal("access.seat is off in the configuration; it needs an entry under control")
    }
    if logins == nil, LoginMonitor.isPossible {
      logins = try? LoginMonitor(loop: loop) { [unowned self] in performDecided() }
    }
    guard let seats = logins?.seats else {
      throw refusal("it is not known who is at the machine, as systemd-logind does not run")
    }
    // udev assigns input devices to seats, not their hidraw nodes.
    guard let seat = PadFolder.eventNode(of: controller.pad.node).map(DeviceSeat.name) else {
      throw refusal("it is not known to which seat the pad belongs, as it has no input device")
    }
    switch seats.access(of: user, at: seat, suspendsWhenLocked: rules.suspendsWhenLocked) {
    case .granted: return true
    case .pending: return false
    case .locked: throw refusal("the session is locked")
    case .inactive: throw refusal("another session is active on \(seat)")
    case .unavailable: throw refusal("systemd-logind does not run")
    case .refused: throw refusal("user \(user) has no session on \(seat)")
    }
  }

  private func refusal(_ reason: String) -> PadError {
    PadError(
      .notPermitted,
      "\(reason); root, users under control in the configuration and the user at the machine may set the pad"
    )
  }

  // MARK: - Connections

  private func serveConnection(_ file: consuming Descriptor) {
    let number = file.number
    guard let user = PeerCredentials.userID(of: number) else { return }
    do throws(PadError) {
      _ = try admits(user, on: number)
      guard hasRoom(for: user) else {
        throw PadError(.busy, "too many programs set this pad; try again")
      }
    } catch {
      return PadServer.send(.init(error), to: number)
    }
    let client = PadConnection(file, user)
    clients.append(client)
    client.source = try? loop.watch(number, for: .reading) { [unowned self, unowned client] _ in
      receive(client)
    }
    client.timer = try? loop.timer { [unowned self, unowned client] in
      let reason =
        client.line == nil
        ? "no request came within \(PadServer.requestTime / 1_000_000) seconds"
        : "it is not known who is at the machine, as systemd-logind does not answer"
      close(client, PadError(.noAnswer, reason))
    }
    client.timer?.set(to: Timestamp.now.microseconds + PadServer.requestTime)
  }

  private func hasRoom(for user: UInt32) -> Bool {
    let others = clients.count { $0.userID != 0 }
    return clients.count { $0.userID == user } < PadServer.maximumClientsOfUser
      && (user == 0 || others < PadServer.maximumClients)
  }

  private func receive(_ client: PadConnection) {
    let size = PadRequest.maximumLength + 1
    let isOpen = withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) {
      let count = recv(client.file.number, $0.baseAddress, $0.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { return true }
      client.line = client.framer.push($0.prefix(max(count, 0)), isLast: count <= 0).first
      return count > 0
    }
    guard client.line != nil || !isOpen else { return }
    // Nothing after the request is read.
    client.source?.watch(for: [])
    if client.line == nil { return close(client, nil) }
    performDecided()
  }

  /// Performs the requests of clients about whom it is known by now what they may do.
  private func performDecided() {
    for client in clients {
      do throws(PadError) {
        if try admits(client.userID, on: client.file.number), let line = client.line {
          try answer(client, line)
        }
      } catch {
        close(client, error)
      }
    }
  }

  private func answer(_ client: PadConnection, _ line: LineFramer.Line) throws(PadError) {
    guard case .whole(let text) = line else {
      throw PadError(.badRequest, "a request has at most \(PadRequest.maximumLength) bytes")
    }
    let request = try PadRequest(text)
    // What the service itself does after a suspend does not wait for what users did before.
    let isLimited = client.userID != 0 && client.userID != geteuid()
    guard
      !isLimited
        || bucket.acquire(
          at: loop.now, perSecond: PadServer.requestsPerSecond, burst: PadServer.burst)
    else { throw PadError(.busy, "the pad was set too often; try again in a second") }
    PadServer.send(.init(done: try perform(request)), to: client.file.number)
    close(client, nil)
  }

  private func perform(_ request: PadRequest) throws(PadError) -> [String] {
    // The loop was blocked for as long as the pad took: the time of others begins anew.
    defer {
      for client in clients {
        client.timer?.set(to: Timestamp.now.microseconds + PadServer.requestTime)
      }
    }
    switch request {
    case .set(let targets, let isSaved): return try controller.set(targets, isSaved: isSaved)
    case .reset: return try controller.reset()
    case .restore:
      retryTimer?.set(to: nil)
      attempts = 1
      do throws(PadError) {
        return try controller.restore(warn: Log.warning)
      } catch {
        retry(after: error)
        throw error
      }
    }
  }

  private func close(_ client: PadConnection, _ error: PadError?) {
    if let error { PadServer.send(.init(error), to: client.file.number) }
    clients.removeAll { $0 === client }
    if clients.isEmpty { idleTimer?.set(to: Timestamp.now.microseconds + PadServer.idleTime) }
  }

  /// A reply fits into the buffer of a new socket.
  private static func send(_ reply: PadReply, to file: Int32) {
    var line = reply.line
    _ = DescriptorWriter.flush(&line, to: file, .socket)
  }
}

private final class PadConnection {
  let file: Descriptor
  let userID: UInt32
  var framer = LineFramer(limit: PadRequest.maximumLength)
  var line: LineFramer.Line?
  var source: EventSource?
  var timer: EventSource?

  init(_ file: consuming Descriptor, _ userID: UInt32) {
    self.file = file
    self.userID = userID
  }
}
