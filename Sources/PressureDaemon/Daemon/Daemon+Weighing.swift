package import PressureKit
internal import PressureLoop
package import PressureProtocol
internal import PressureSystem

// Requests to scales. `weigh` waits for a stable reading; all others are executed at once, unless the device was opened
// so recently that its filter has not settled. Later requests of the same client wait behind a pending one, as replies
// are in the order of requests. Other clients do not wait.

extension Daemon {
  package func perform(
    _ served: ServedDevice, _ request: ScaleRequest, by origin: RequestOrigin
  ) throws(RequestError) {
    // Events that were due before the request do not have its origin.
    bringUpToDate(served)
    served.origin = origin
    defer { served.origin = nil }
    do throws(ScaleError) {
      try served.update(at: now) { engine, time, output throws(ScaleError) in
        try engine.perform(request, at: time, into: &output)
      }
    } catch {
      publish(served)
      throw RequestError(error)
    }
    publish(served)
  }

  /// Advances a silent scale to the present before it is read.
  func bringUpToDate(_ served: ServedDevice) {
    served.updateDate()
    served.update(at: now) { $0.advance(to: $1, into: &$2) }
    publish(served)
  }

  /// The number of pieces on a scale; with `sample`, after storing the weight of one piece.
  package func count(
    _ sample: Int?, on served: ServedDevice, by origin: RequestOrigin
  ) throws(RequestError) -> Int {
    bringUpToDate(served)
    if let sample { try perform(served, .sample(pieces: sample), by: origin) }
    guard served.engine.scale.grossGrams != nil else {
      throw RequestError(served.canWeigh ? ScaleError.unknownLoad : .cannotWeigh)
    }
    guard let pieces = served.engine.pieces else {
      throw RequestError(
        .failed,
        "the weight of one piece is unknown; place some pieces and send their number, as in count sample=10"
      )
    }
    return pieces
  }
}

// MARK: - Pending requests

extension Daemon {
  /// The stable reading of a scale, or nil if the client has to wait for one.
  package func weigh(
    _ served: ServedDevice, for client: Client, _ request: Request, timeoutMilliseconds: Int
  ) throws(RequestError) -> ScaleReading? {
    bringUpToDate(served)
    if let reading = served.engine.stableReading { return known(reading, of: served, to: client) }
    switch served.engine.scale.status {
    case .fault, .calibrationNeeded: throw RequestError(ScaleError.cannotWeigh)
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

  /// Schedules the replies to pending requests if a device may have a stable reading; its events are sent first.
  func checkPendingWeighs(on served: ServedDevice) {
    guard timers.weighs.moment != nil,
      served.hasNewStableReading() || served.engine.stableReading != nil
        || loop.now < served.settlingEndsAt + restTime
    else { return }
    resolveWeighsSoon(of: served.number)
  }

  /// Makes all pending requests due if one waits for this device.
  func resolveWeighsSoon(of device: Int) {
    let isAwaited = clients.contains { client in
      switch client.pending?.condition {
      case .stable(let awaited, count: _, timeoutMilliseconds: _)?: awaited == device
      case .settled?: true
      case nil: false
      }
    }
    if isAwaited { timers.weighs.set(noLaterThan: loop.now) }
  }

  /// Sets the timer to when the first request is checked again, unless it is set to an earlier time.
  private func setWeighTimer() {
    let due = clients.compactMap(\.pending?.due).min()
    if let due { timers.weighs.set(noLaterThan: due) } else { timers.weighs.set(to: nil) }
  }

  /// Replies to pending requests that are resolved, and continues with later requests of their clients.
  func resolvePendingWeighs() {
    for client in clients {
      if let pending = client.pending, resolve(pending, of: client) { enqueue(client) }
    }
    setWeighTimer()
    sweep()
  }

  /// Resolves a pending request; returns false if it has to wait longer.
  private func resolve(_ pending: PendingWeigh, of client: Client) -> Bool {
    switch pending.condition {
    case .stable(let device, let count, let timeout):
      let served = devices.first { $0.number == device }
      if let served, let reading = served.reading(after: count) {
        var line = JSONLinesWriter()
        line.beginReply(to: pending.request)
        line.append(known(reading, of: served, to: client), of: served.id)
        line.endReply()
        client.send(line)
      } else if let served {
        guard pending.due <= loop.now else { return false }
        let reason = served.engine.reasonForNoReading
        client.send(
          RequestError(.timeout, "no stable reading came within \(timeout) ms; \(reason)"),
          to: pending.request)
      } else {
        client.send(RequestError(.noDevice, "the device was removed"), to: pending.request)
      }
      client.pending = nil
    case .settled(let pending):
      if let due = settlingDeadline(of: pending, for: client) {
        client.pending?.due = due
        return false
      }
      client.pending = nil
      perform(pending, for: client)
    }
    return true
  }
}

// MARK: - Devices that were just opened

extension Daemon {
  /// The deadline for a device that is opened now to settle, in microseconds of CLOCK_MONOTONIC: one second for
  /// its first frame, and twice the filter time.
  var settlingEndsAt: Int64 {
    loop.now + 1_000_000 + 2 * Int64(configuration.scale.filterMilliseconds) * 1000
  }

  /// How long a load on a device that was just opened may take to come to rest once the filter is filled: two windows, as a
  /// vibrating one does.
  private var restTime: Int64 { 2 * configuration.scale.settlingTime }

  /// Defers a request until the scales that it needs have settled; returns false if they have.
  func deferUntilSettled(_ pending: PendingRequest, of client: Client) -> Bool {
    guard let request = pending.request, let due = settlingDeadline(of: pending, for: client) else {
      return false
    }
    client.pending = PendingWeigh(request: request, condition: .settled(pending), due: due)
    setWeighTimer()
    return true
  }

  /// When the scales that a request needs will have settled; nil if they have, or if it needs none.
  private func settlingDeadline(of pending: PendingRequest, for client: Client) -> Int64? {
    guard let command = try? pending.command.get() else { return nil }
    // Only these are refused while the load is in motion.
    let needsRest =
      switch command {
      case .count(.some, device: _), .calibrate(device: _, .check): true
      default: false
      }
    let (present, restTime) = (loop.now, needsRest ? restTime : 0)
    return scales(for: command, of: client)
      .compactMap { $0.settlingDeadline(after: present, restTime: restTime) }.max()
  }

  /// The devices whose readings a reply contains or depends on.
  ///
  /// `weigh` needs none, as it waits for a stable reading.
  private func scales(for command: Command, of client: Client) -> [ServedDevice] {
    switch command {
    case .state(let name, from: _): return (try? devices(named: name, for: client)) ?? []
    case .scale(_, let name), .target(_, let name), .count(_, let name),
      .calibrate(let name, .check):
      return (try? [soleDevice(named: name, for: client)]) ?? []
    case .perform(let type, let name):
      return actions.find(type, at: client.seats)?.action.scaleRequest == nil
        ? [] : (try? [soleDevice(named: name, for: client)]) ?? []
    // Most requests neither read nor change a scale.
    default: return []
    }
  }
}

struct PendingWeigh {
  enum Condition {
    /// A stable reading of the device with this number, after its first `count` ones, within the timeout.
    case stable(device: Int, count: Int, timeoutMilliseconds: Int)
    /// Settled scales, after which the request is executed.
    case settled(PendingRequest)
  }

  var request: Request

  var condition: Condition

  /// When to check again even without device events, in microseconds of CLOCK_MONOTONIC.
  var due: Int64
}
