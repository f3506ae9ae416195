internal import PressureKit

// Requests to scales. `weigh` waits for a stable reading; all others are done at once, unless the device was
// opened so recently that its filter has not seen it for long enough. The same client's later requests wait
// behind one that waits, as answers come in the order of requests. No other client waits.

extension Daemon {
  /// Does what somebody asks of a scale.
  func ask(
    _ served: ServedDevice, _ request: ScaleRequest, by origin: RequestOrigin
  ) throws(RequestFault) {
    // What was due before it is nobody's doing.
    bringUpToDate(served)
    served.origin = origin
    defer { served.origin = nil }
    do throws(ScaleRefusal) {
      try served.perform(request, at: now)
    } catch {
      publish(served)
      throw RequestFault(error)
    }
    publish(served)
  }

  /// Lets a scale that is silent go on to the present before it is read.
  func bringUpToDate(_ served: ServedDevice) {
    served.advance(to: now)
    publish(served)
  }

  /// How many pieces lie on a scale, after a sample where there is one.
  func count(
    _ sample: Int?, on served: ServedDevice, by origin: RequestOrigin
  ) throws(RequestFault) -> Int {
    bringUpToDate(served)
    if let sample { try ask(served, .sample(pieces: sample), by: origin) }
    guard served.engine.scale.grossGrams != nil else {
      throw RequestFault(ScaleRefusal.cannotWeigh)
    }
    guard let pieces = served.engine.pieces else {
      throw RequestFault(
        .failed, "what does one piece weigh? put some on and say how many, as in count sample=10")
    }
    return pieces
  }
}

// MARK: - Waiting

extension Daemon {
  /// What lies on a scale at rest, or nil where the client has to wait for it.
  func weigh(
    _ served: ServedDevice, for client: Client, _ request: Request, timeoutMilliseconds: Int
  ) throws(RequestFault) -> ScaleReading? {
    bringUpToDate(served)
    if let reading = served.engine.stableReading { return reading }
    switch served.engine.scale.status {
    case .fault, .calibrationNeeded: throw RequestFault(ScaleRefusal.cannotWeigh)
    case .stableZero, .inMotion, .stable, .underZero, .overWeight, .rezeroNeeded: break
    }
    client.pending = PendingWeigh(
      request: request,
      condition: .stable(
        device: served.number, count: served.engine.stableCount,
        timeoutMilliseconds: timeoutMilliseconds),
      due: loop.now + Int64(timeoutMilliseconds) * 1000)
    setWeighTimer()
    return nil
  }

  /// A device may have a stable reading for those who wait; they are answered once it was told of.
  func lookForWeighs(on served: ServedDevice) {
    guard weighDueAt != nil,
      served.noteStable() || served.engine.stableReading != nil || loop.now < served.settlingEndsAt
    else { return }
    if clients.contains(where: { $0.pending?.waits(for: served.number) ?? false }) {
      settleWeighsSoon()
    }
  }

  /// Those who wait for a device that has gone need not wait.
  func releaseWeighs(of served: ServedDevice) {
    if clients.contains(where: { $0.pending?.waits(for: served.number) ?? false }) {
      settleWeighsSoon()
    }
  }

  /// Answers those who have waited for long enough, and does what they have asked for since.
  func settleWeighs() {
    for client in clients {
      if let pending = client.pending, settle(pending, of: client) { enqueue(client) }
    }
    setWeighTimer()
    sweep()
  }

  /// Answers somebody who waits; false where there is nothing to answer yet.
  private func settle(_ pending: PendingWeigh, of client: Client) -> Bool {
    switch pending.condition {
    case .stable(let device, let count, let timeout):
      guard answerWeigh(pending, device, after: count, timeout, of: client) else { return false }
      client.pending = nil
    case .settled(let errand):
      if let due = settlingTime(of: errand) {
        client.pending?.due = due
        return false
      }
      client.pending = nil
      perform(errand, for: client)
    }
    return true
  }

  private func answerWeigh(
    _ pending: PendingWeigh, _ device: Int, after count: Int, _ timeoutMilliseconds: Int,
    of client: Client
  ) -> Bool {
    guard let served = devices.first(where: { $0.number == device }) else {
      return send(RequestFault(.noDevice, "the device has gone"), to: pending.request, of: client)
    }
    if let reading = served.weighed(after: count) {
      var line = JSONLines()
      line.beginReply(to: pending.request)
      line.append(reading, of: served.id)
      line.endReply()
      client.send(line)
      return true
    }
    guard pending.due <= loop.now else { return false }
    let status = served.engine.scale.status.rawValue
    let fault = RequestFault(
      .timeout,
      "no stable reading came within \(timeoutMilliseconds) ms; the scale says \(status)")
    return send(fault, to: pending.request, of: client)
  }

  private func send(_ fault: RequestFault, to request: Request, of client: Client) -> Bool {
    var line = JSONLines()
    line.appendFault(fault, to: request)
    client.counts.faults += 1
    client.send(line)
    return true
  }

  /// Makes pending requests due: for the timer or, if turns keep the loop busy, for the next turn.
  private func settleWeighsSoon() {
    weighDueAt = loop.now
    weighTimer.set(noLaterThan: loop.now)
  }

  private func setWeighTimer() {
    weighDueAt = clients.compactMap(\.pending?.due).min()
    weighTimer.set(to: weighDueAt)
  }
}

// MARK: - Devices that were just opened

extension Daemon {
  /// When readings are no longer waited for of a device that is opened now, in microseconds of
  /// CLOCK_MONOTONIC: a second for its first frame, and twice the filter.
  var settlingEndsAt: Int64 {
    loop.now + 1_000_000 + 2 * Int64(configuration.scale.filterMilliseconds) * 1000
  }

  /// Whether a request has to wait until the scales that it needs may be relied on.
  func waitsForReadings(_ errand: Errand, of client: Client) -> Bool {
    guard let request = errand.request, let due = settlingTime(of: errand) else { return false }
    client.pending = PendingWeigh(request: request, condition: .settled(errand), due: due)
    setWeighTimer()
    return true
  }

  /// When the scales that a request needs may be relied on; nil if that is so now, or if it needs none.
  private func settlingTime(of errand: Errand) -> Int64? {
    guard let command = try? errand.command.get() else { return nil }
    let present = loop.now
    return scales(for: command).compactMap { $0.settles(after: present) }.max()
  }

  /// The devices whose readings are in the answer to a request, or decide what it does.
  ///
  /// `weigh` needs none, as it waits for a stable reading.
  private func scales(for command: Command) -> [ServedDevice] {
    switch command {
    case .state(let name, from: _): return (try? name.map(device)) ?? devices
    case .scale(_, let name), .target(_, let name), .count(_, let name):
      return (try? [sole(named: name)]) ?? []
    case .perform(let type, let name):
      return actions.action(type)?.scaleRequest == nil ? [] : (try? [sole(named: name)]) ?? []
    case .help, .ping, .version, .devices, .actions, .subscribe, .weigh, .history, .calibrate,
      .grab, .stats, .reload, .addAction, .removeAction:
      return []
    }
  }
}
