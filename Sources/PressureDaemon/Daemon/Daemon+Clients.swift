internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

extension Daemon {
  /// The cost of a rejected connection besides its bytes: some microseconds.
  private static let rejectedWork = 512

  /// What a connection costs of the budget for a turn.
  ///
  /// Serving one costs a snapshot, and rejecting one costs a line: the rejected connections of one user delay those behind
  /// them in the listen backlog as little as possible.
  static let servedCost = 8
  static let rejectedCost = 1

  /// Whether connections are accepted now: they wait, at most a second, while the login manager has not told who is at a seat.
  ///
  /// So a program such as `socat` need not know of suspensions; clients that are not at a seat wait, too.
  func mayAccept() -> Bool {
    guard !access.awaitsAnswer, access.isPending(configuration.access) else { return true }
    access.awaitsAnswer = true
    acceptor.pause()
    return false
  }

  func serveConnection(_ file: consuming Descriptor) -> Int {
    let user = PeerCredentials.userID(of: file.number) ?? .max
    let client = Client(
      number: statistics.newNumber(), file: file,
      bufferLimit: configuration.socket.clientBufferKibibytes * 1024,
      account: Account(userID: user, kind: .member), since: loop.now)
    do throws(RequestError) {
      try access.grant(client, configuration.access)
      try checkLimits(for: client)
    } catch {
      reject(client, error)
      return Daemon.rejectedCost
    }
    begin(client)
    return Daemon.servedCost
  }

  private func begin(_ client: Client) {
    do throws(SystemError) {
      client.source = try loop.watch(client.descriptor, for: .reading) {
        [unowned self, unowned client] readiness in
        handleReadiness(client, readiness)
      }
    } catch {
      return Log.warning(error.sentence)
    }
    // Open the devices before the snapshot, so that it includes their contacts.
    startReading()
    if client.isServedBySeat {
      updateSeats()
      client.seats = access.seats(of: client.userID, configuration.access)
    }
    // Not `reply`: another client's request may be the cause.
    var lines = JSONLinesWriter()
    lines.appendHello(version: Version.current, clock: .monotonic)
    // A client with access to one seat need not know of others.
    if client.seats.isEmpty {
      let seats = access.seats(of: client.userID, configuration.access) { $0 != .refused }
      appendSuspensions(of: client, at: seats, to: &lines)
    }
    appendSnapshot(for: client, at: client.seats, to: &lines)
    work.count(lines.count)
    client.send(lines)
    clients.append(client)
    statistics.counts.accepted += 1
    sweepLater()
  }

  /// Throws `busy` if there are too many clients.
  ///
  /// A user's connections are limited so as not to exclude other users; root and the daemon's own user are exempt.
  private func checkLimits(for client: Client) throws(RequestError) {
    let socket = configuration.socket
    if clients.count >= socket.maxClients {
      throw .busy(
        .clients,
        "\(clients.count) clients are connected, the maximum set by socket.max_clients")
    }
    guard client.account.kind != .privileged else { return }
    let places = socket.places(for: client.account.kind)
    guard clients.count(where: { $0.account.kind != .privileged }) < places else {
      throw .busy(
        .clients,
        "users have \(places) connections; the rest of socket.max_clients is reserved for others")
    }
    let count = clients.count { $0.userID == client.userID }
    guard count >= socket.maxClientsPerUser else { return }
    throw .busy(
      .clients,
      "user \(client.userID) has \(count) connections, a quarter of socket.max_clients")
  }

  /// Refuses a client that is not served yet; one of many by the same user is disconnected without the reason.
  func reject(_ client: Client, _ error: RequestError) {
    statistics.counts.refused += 1
    guard refused.admit(client) else { return work.count(Daemon.rejectedWork) }
    client.send(error)
    work.count(Daemon.rejectedWork + client.counts.bytes)
    refused.add(client)
  }

  /// Appends the state of the devices at some seats, as far as the client has subscribed to it.
  func appendSnapshot(for client: Client, at seats: SeatSet, to lines: inout JSONLinesWriter) {
    let present = devices.filter {
      !seats.isDisjoint(with: $0.seat) && client.subscription.includes($0.id)
    }
    // First all devices: a client that waits for the only scale knows then which one it is.
    if client.subscription.includes(.device) {
      for served in present { lines.append(served.device, .present, at: served.time) }
    }
    for served in present {
      if client.subscription.includes(.contact) {
        for contact in served.engine.contacts {
          lines.append(present: contact, device: served.device, at: served.time)
        }
      }
      for event in served.engine.snapshot(at: served.time)
      where client.subscription.includes(event.name) {
        lines.append(present: event, device: served.device)
      }
      // Before the first frame the load is unknown.
      guard client.subscription.includes(.scale), served.engine.time != nil else { continue }
      var scale = served.engine.scale
      if !hasReceivedFrames(served, for: client) { scale.rate = nil }
      let event = Event(time: served.time, kind: .scale(scale, isNewStable: false))
      lines.append(present: event, device: served.device)
    }
  }

  /// Closes finished connections, and the devices after the last of them.
  func sweep() {
    for client in clients where client.isDone {
      statistics.counts.add(client.totalCounts)
      if client.hasOverflowed { statistics.counts.stuck += 1 }
    }
    requests.removeDone()
    let gone = clients.filter(\.isDone)
    clients.removeAll { $0.isDone }
    if !gone.isEmpty {
      // A client that reads its end finds its devices released: its connection closes after this.
      withExtendedLifetime(gone) { releaseDevices() }
      removeActions { client, _ in gone.contains { $0.number == client } }
      timers.trim.set(noLaterThan: loop.now + Daemon.trimInterval)
    }
    // Closing a device while it is grabbed would pass the rest of a touch to the desktop.
    let isGrabbing = devices.contains { $0.grab != .free }
    if discovery.isOpen, clients.isEmpty, !readsWithoutClients, !isGrabbing { stopReading() }
    if isStopping, clients.isEmpty { end() }
  }

  /// Schedules a sweep, for callers that iterate over clients or devices.
  func sweepLater() {
    if clients.contains(where: \.isDone) { timers.sweep.set(noLaterThan: loop.now) }
  }
}

extension SocketConfiguration {
  /// The number of connected clients, without those of root and the daemon's own user, from which further ones of a kind are refused.
  ///
  /// An eighth of `maxClients` is reserved for root and the daemon's own user, another eighth for them and for users that the
  /// configuration names or that have a session at a seat.
  func places(for kind: Account.Kind) -> Int {
    switch kind {
    case .privileged: maxClients
    case .individual: maxClients - maxClients / 8
    case .member: maxClients - 2 * (maxClients / 8)
    }
  }
}
