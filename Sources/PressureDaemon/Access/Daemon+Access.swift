internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// At a switch of users the old user's clients are suspended first: they receive what was read by then. What is touched
// from then on, until the new user's clients are resumed, is delivered to neither. The kernel's notification of a switch is
// asked for after each read of a device and before what was read is published, as it may come between the wakeup and the read.
//
// A client that is being closed may still have requests to execute, so it is suspended as any other.

extension Daemon {
  func visibleDevices(to client: Client) -> [ServedDevice] {
    client.seats == .all ? devices : devices.filter { client.mayReceive($0) }
  }

  /// Applies a change of who is at the seats, and accepts connections that waited for the login manager's answer.
  func seatsChanged() {
    updateSeats()
    if access.awaitsAnswer, !access.isPending(configuration.access) {
      access.awaitsAnswer = false
      acceptor.resume()
    }
    sweepLater()
  }

  /// Applies a changed configuration: clients that are no longer permitted are disconnected.
  func reviewAccess() {
    for client in clients where !client.isDone {
      do throws(RequestError) {
        try access.grant(client, configuration.access)
      } catch {
        suspend(client, keeping: [])
        client.send(error)
        client.discardRequests()
        client.closeAfterFlushing()
      }
    }
    seatsChanged()
  }

  func updateSeats() {
    let rules = configuration.access
    let granted = clients.filter { !$0.isDone }.map { client -> (client: Client, seats: SeatSet) in
      (client, client.isServedBySeat ? access.seats(of: client.userID, rules) : .all)
    }
    for (client, seats) in granted where !client.seats.isSubset(of: seats) {
      suspend(client, keeping: client.seats.intersection(seats))
    }
    revokeControl()
    let (begun, handedOver) = access.updatePresences(rules)
    let gaining = granted.filter { !$0.seats.isSubset(of: $0.client.seats) }
    let gained = gaining.reduce(into: begun) { $0.formUnion($1.seats.subtracting($1.client.seats)) }
    guard !gained.isEmpty else { return }
    if !handedOver.isEmpty { memory.releaseHolds(at: handedOver) }
    // Those who receive events already get these; those who gain access get the state after them.
    for served in devices where !gained.isDisjoint(with: served.seat) {
      served.input?.readAhead()
      for _ in 0..<Daemon.backlogTurns { guard drain(served) else { break } }
    }
    for served in devices where !gained.isDisjoint(with: served.seat) {
      let time = served.advance(clampingTo: now)
      // The held reading is of another user's touch.
      if served.engine.scale.isHeld, !handedOver.isDisjoint(with: served.seat) {
        try? served.update(at: now) { try $0.perform(.release, at: $1, into: &$2) }
      }
      let isBegun = !begun.isDisjoint(with: served.seat)
      if isBegun { served.beginTouchesAnew(at: time) }
      publish(served)
      // What was published belongs to the user before.
      guard isBegun else { continue }
      served.countsBefore = served.totalCounts
      access.delayPresence(at: served.seat, until: served.time)
    }
    for (client, seats) in gaining { resume(client, at: seats) }
  }

  /// The most turns that a backlog takes; a pipe can be filled without end.
  private static let backlogTurns = 256

  /// Ends what a client receives of the seats that it loses, for this client alone: whatever began is cancelled.
  private func suspend(_ client: Client, keeping seats: SeatSet) {
    let lost = client.seats.subtracting(seats)
    failPendingRequest(of: client, losing: lost)
    var lines = JSONLinesWriter()
    for served in devices where !lost.isDisjoint(with: served.seat) {
      client.forget(served.number)
      // Its contacts are cancelled for this client only, so in a copy of the engine.
      var engine = served.engine
      var output = EventBuffer()
      engine.cancelAll(at: now, into: &output)
      for event in output.events where client.receives(event.name, of: served.id) {
        // The copy may have learned something of the pad.
        if case .capability = event.kind { continue }
        lines.append(event, of: served.id, device: served.device)
      }
    }
    client.seats = seats
    if client.receives(.access) { appendSuspensions(of: client, at: lost, to: &lines) }
    client.send(lines)
  }

  func appendSuspensions(of client: Client, at seats: SeatSet, to lines: inout JSONLinesWriter) {
    for name in access.seatNames.names(in: seats) {
      let reason = access.suspension(of: client.userID, at: name, configuration.access)
      lines.appendAccess(suspended: reason, seat: name, at: now)
    }
  }

  private func resume(_ client: Client, at seats: SeatSet) {
    let gained = seats.subtracting(client.seats)
    client.seats = seats
    guard client.acceptsEvents else { return }
    var lines = JSONLinesWriter()
    if client.receives(.access) {
      for name in access.seatNames.names(in: gained) {
        lines.appendAccess(suspended: nil, seat: name, at: now)
      }
    }
    appendSnapshot(for: client, at: gained, to: &lines)
    work.count(lines.count)
    client.send(lines)
  }

  /// Refuses the request that waits for a reading of a device at the lost seats.
  ///
  /// One that is executed later is checked then, if seats are left.
  private func failPendingRequest(of client: Client, losing lost: SeatSet) {
    guard let pending = client.pending else { return }
    if lost != client.seats {
      guard case .stable(let device, count: _, timeoutMilliseconds: _) = pending.condition,
        devices.contains(where: { $0.number == device && !lost.isDisjoint(with: $0.seat) })
      else { return }
    }
    client.pending = nil
    client.send(Daemon.suspendedError, to: pending.request)
    enqueue(client)
  }

  static let suspendedError = RequestError(
    .notPermitted,
    "access is suspended: the user's session at this machine is not active, or it is locked; see the event access"
  )
}

// What a client may learn of the past. A client that is served by its seat alone learns nothing of what happened before
// the user's present access to the seat began: others may have touched the devices then.

extension Daemon {
  /// The stable readings that a client may know, the oldest first.
  func history(of served: ServedDevice, for client: Client) -> [ScaleReading] {
    let history = served.engine.scaleMemory.history
    guard client.isServedBySeat else { return history }
    let began = access.presenceBegan(at: served.seat)
    return history.filter { $0.time.microseconds > began }
  }

  /// A reading with a time that a client may know: a load may have come to rest under another user's eyes.
  func known(_ reading: ScaleReading, of served: ServedDevice, to client: Client) -> ScaleReading {
    guard client.isServedBySeat else { return reading }
    let began = Timestamp(microseconds: access.presenceBegan(at: served.seat))
    return reading.time < began && began <= now ? reading.at(began) : reading
  }

  /// Whether a device has sent frames that a client may know of; without one, the rate of change is that of an earlier
  /// user's touch.
  func hasReceivedFrames(_ served: ServedDevice, for client: Client) -> Bool {
    !client.isServedBySeat || served.counts.frames > served.countsBefore.frames
  }

  /// The cost of the counters of a device or a client, besides their bytes, in units of `WorkMeter`.
  private static let statisticsWork = 8

  /// Appends the statistics, with clients from `start` on; returns the number of the first client that did not fit, or nil.
  ///
  /// The totals are summed here, so that each event is counted in only one place while it happens. For a client of a seat they
  /// include only what the client may know of: any other counter would tell who types when.
  func appendStatistics(for asker: Client, from start: Int) -> Int? {
    let isRestricted = asker.isServedBySeat
    var sum = isRestricted ? DaemonCounts() : statistics.counts
    let devices = visibleDevices(to: asker).map { served in
      var device = (
        id: served.id, counts: served.totalCounts, since: served.since.microseconds
      )
      if isRestricted {
        device.counts = device.counts - served.countsBefore
        device.since = max(device.since, access.presenceBegan(at: served.seat))
      }
      return device
    }
    let clients = clients.filter {
      !isRestricted || $0.isServedBySeat && $0.userID == asker.userID
    }
    work.count((devices.count + clients.count) * Daemon.statisticsWork)
    for device in devices { sum.add(device.counts) }
    for client in clients { sum.add(client.totalCounts) }
    reply.append("{\"daemon\":")
    reply.append(
      sum, uptime: loop.now - statistics.since, rounds: isRestricted ? nil : loop.iterations)
    reply.append(",\"devices\":")
    append(devices) { [now = loop.now] in
      $0.append($1.counts, of: $1.id, uptime: max(now - $1.since, 0))
    }
    reply.append(",\"clients\":")
    // Clients are in the order of their numbers.
    let listed = clients.drop { $0.number < start }
    let left = append(listed) { [loop] in
      $0.append(
        $1.totalCounts, ofClient: $1.number, isYou: $1 === asker, uptime: loop.now - $1.since,
        waiting: $1.pendingByteCount)
    }
    reply.append("}")
    return left.map { listed[listed.startIndex + $0].number }
  }
}
