internal import PressureKit

// What is asked of scales. Everything is done at once but `weigh`, which waits for a stable reading:
// meanwhile the same client's later requests wait behind it, as answers come in the order of requests.
// Nobody else waits.

extension Daemon {
  /// Does what somebody asks of a scale.
  func ask(_ served: ServedDevice, _ request: ScaleRequest) throws(RequestFault) {
    do throws(ScaleRefusal) {
      try served.perform(request, at: now)
    } catch {
      publish(served)
      throw RequestFault(error)
    }
    publish(served)
  }

  /// How many pieces lie on a scale, after a sample where there is one.
  func count(_ sample: Int?, on served: ServedDevice) throws(RequestFault) -> Int {
    if let sample { try ask(served, .sample(pieces: sample)) }
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
    served.advance(to: now)
    publish(served)
    if let reading = served.engine.stableReading { return reading }
    switch served.engine.scale.status {
    case .fault, .calibrationNeeded: throw RequestFault(ScaleRefusal.cannotWeigh)
    case .stableZero, .inMotion, .stable, .underZero, .overWeight, .rezeroNeeded: break
    }
    client.pending = PendingWeigh(
      request: request, device: served.number, count: served.engine.stableCount,
      timeoutMilliseconds: timeoutMilliseconds,
      due: loop.now + Int64(timeoutMilliseconds) * 1000)
    setWeighTimer()
    return nil
  }

  /// A device may have a stable reading for those who wait; they are answered once it was told of.
  func lookForWeighs(on served: ServedDevice) {
    guard weighDueAt != nil, served.noteStable() else { return }
    if clients.contains(where: { $0.pending?.device == served.number }) {
      weighTimer.set(to: loop.now)
    }
  }

  /// Those who wait for a device that has gone need not wait.
  func releaseWeighs(of served: ServedDevice) {
    if clients.contains(where: { $0.pending?.device == served.number }) {
      weighTimer.set(to: loop.now)
    }
  }

  /// Answers those who have waited for long enough, and does what they have asked for since.
  func settleWeighs() {
    for client in clients {
      while let pending = client.pending, settle(pending, of: client) {
        client.pending = nil
        catchUp(with: client)
      }
    }
    setWeighTimer()
    sweep()
  }

  /// Answers somebody who waits; false where there is nothing to answer yet.
  private func settle(_ pending: PendingWeigh, of client: Client) -> Bool {
    guard let served = devices.first(where: { $0.number == pending.device }) else {
      return send(RequestFault(.noDevice, "the device has gone"), to: pending.request, of: client)
    }
    if let reading = served.engine.scaleMemory.stable(after: pending.count) {
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
      "no stable reading came within \(pending.timeoutMilliseconds) ms; the scale says \(status)")
    return send(fault, to: pending.request, of: client)
  }

  private func send(_ fault: RequestFault, to request: Request, of client: Client) -> Bool {
    var line = JSONLines()
    line.appendFault(fault, to: request)
    client.counts.faults += 1
    client.send(line)
    return true
  }

  private func catchUp(with client: Client) {
    while client.pending == nil, let errand = client.nextErrand() { run(errand, for: client) }
  }

  private func setWeighTimer() {
    weighDueAt = clients.compactMap(\.pending?.due).min()
    weighTimer.set(to: weighDueAt)
  }
}
