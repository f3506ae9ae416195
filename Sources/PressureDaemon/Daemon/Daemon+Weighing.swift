package import PressureKit
internal import PressureLoop
package import PressureProtocol

// Requests to scales. `weigh` waits for a stable reading; all others are done at once, unless the device was
// opened so recently that its filter has not seen it for long enough. The same client's later requests wait
// behind one that waits, as answers come in the order of requests. No other client waits.

extension Daemon {
  /// Does what somebody asks of a scale.
  package func perform(
    _ served: ServedDevice, _ request: ScaleRequest, by origin: RequestOrigin
  ) throws(RequestError) {
    // What was due before it is nobody's doing.
    bringUpToDate(served)
    served.origin = origin
    defer { served.origin = nil }
    do throws(ScaleError) {
      try served.perform(request, at: now)
    } catch {
      publish(served)
      throw RequestError(error)
    }
    publish(served)
  }

  /// Lets a scale that is silent go on to the present before it is read.
  func bringUpToDate(_ served: ServedDevice) {
    served.advance(to: now)
    publish(served)
  }

  /// How many pieces lie on a scale, after a sample where there is one.
  package func count(
    _ sample: Int?, on served: ServedDevice, by origin: RequestOrigin
  ) throws(RequestError) -> Int {
    bringUpToDate(served)
    if let sample { try perform(served, .sample(pieces: sample), by: origin) }
    guard served.engine.scale.grossGrams != nil else {
      throw RequestError(ScaleError.cannotWeigh)
    }
    guard let pieces = served.engine.pieces else {
      throw RequestError(
        .failed, "what does one piece weigh? put some on and say how many, as in count sample=10")
    }
    return pieces
  }
}

// MARK: - Waiting

extension Daemon {
  /// What lies on a scale at rest, or nil where the client has to wait for it.
  package func weigh(
    _ served: ServedDevice, for client: Client, _ request: Request, timeoutMilliseconds: Int
  ) throws(RequestError) -> ScaleReading? {
    bringUpToDate(served)
    if let reading = served.engine.stableReading { return reading }
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

  /// A device may have a stable reading for those who wait; they are answered once it was told of.
  func checkPendingWeighs(on served: ServedDevice) {
    guard weighDueAt != nil,
      served.hasNewStableReading() || served.engine.stableReading != nil
        || loop.now < served.settlingEndsAt
    else { return }
    if clients.contains(where: { $0.pending?.waits(for: served.number) ?? false }) {
      weighTimer.set(to: loop.now)
    }
  }

  /// Those who wait for a device that has gone need not wait.
  func wakePendingWeighs(of served: ServedDevice) {
    if clients.contains(where: { $0.pending?.waits(for: served.number) ?? false }) {
      weighTimer.set(to: loop.now)
    }
  }

  /// Answers those who have waited for long enough, and does what they have asked for since.
  func resolvePendingWeighs() {
    for client in clients {
      if let pending = client.pending, resolve(pending, of: client) { enqueue(client) }
    }
    setWeighTimer()
    sweep()
  }

  /// Answers somebody who waits; false where there is nothing to answer yet.
  private func resolve(_ pending: PendingWeigh, of client: Client) -> Bool {
    switch pending.condition {
    case .stable(let device, let count, let timeout):
      guard answerWeigh(pending, device, after: count, timeout, of: client) else { return false }
      client.pending = nil
    case .settled(let pending):
      if let due = settlingDeadline(of: pending) {
        client.pending?.due = due
        return false
      }
      client.pending = nil
      perform(pending, for: client)
    }
    return true
  }

  private func answerWeigh(
    _ pending: PendingWeigh, _ device: Int, after count: Int, _ timeoutMilliseconds: Int,
    of client: Client
  ) -> Bool {
    guard let served = devices.first(where: { $0.number == device }) else {
      return send(RequestError(.noDevice, "the device has gone"), to: pending.request, of: client)
    }
    if let reading = served.reading(after: count) {
      var line = JSONLinesWriter()
      line.beginReply(to: pending.request)
      line.append(reading, of: served.id)
      line.endReply()
      client.send(line)
      return true
    }
    guard pending.due <= loop.now else { return false }
    let status = served.engine.scale.status.rawValue
    let fault = RequestError(
      .timeout,
      "no stable reading came within \(timeoutMilliseconds) ms; the scale says \(status)")
    return send(fault, to: pending.request, of: client)
  }

  private func send(_ fault: RequestError, to request: Request, of client: Client) -> Bool {
    var line = JSONLinesWriter()
    line.appendFault(fault, to: request)
    client.counts.faults += 1
    client.send(line)
    return true
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
  func deferUntilSettled(_ pending: PendingRequest, of client: Client) -> Bool {
    guard let request = pending.request, let due = settlingDeadline(of: pending) else {
      return false
    }
    client.pending = PendingWeigh(request: request, condition: .settled(pending), due: due)
    setWeighTimer()
    return true
  }

  /// When the scales that a request needs may be relied on; nil if that is so now, or if it needs none.
  private func settlingDeadline(of pending: PendingRequest) -> Int64? {
    guard let command = try? pending.command.get() else { return nil }
    let present = loop.now
    return scales(for: command).compactMap { $0.settlingDeadline(after: present) }.max()
  }

  /// The devices whose readings are in the answer to a request, or decide what it does.
  ///
  /// `weigh` needs none, as it waits for a stable reading.
  private func scales(for command: Command) -> [ServedDevice] {
    switch command {
    case .state(let name, from: _): return (try? name.map(device)) ?? devices
    case .scale(_, let name), .target(_, let name), .count(_, let name):
      return (try? [soleDevice(named: name)]) ?? []
    case .perform(let type, let name):
      return actions.action(type)?.scaleRequest == nil ? [] : (try? [soleDevice(named: name)]) ?? []
    case .help, .ping, .version, .devices, .actions, .subscribe, .weigh, .history, .calibrate,
      .grab, .stats, .reload, .addAction, .removeAction:
      return []
    }
  }
}

/// A request that waits for a reading.
struct PendingWeigh {
  /// What it waits for.
  enum Condition {
    /// A stable reading of the device with this number, after so many, within so long.
    case stable(device: Int, count: Int, timeoutMilliseconds: Int)
    /// Readings that may be relied on, after which it is done.
    case settled(PendingRequest)
  }

  var request: Request

  var condition: Condition

  /// When to look again without news of a device, in microseconds of CLOCK_MONOTONIC.
  var due: Int64

  /// Whether news of a device may end the wait.
  func waits(for number: Int) -> Bool {
    switch condition {
    case .stable(let device, count: _, timeoutMilliseconds: _): device == number
    case .settled: true
    }
  }
}

/// What scales remember while their devices are closed, for a bounded number of devices.
///
/// Names of devices come from outside, and there may be any number of them. Where there is no more room, the
/// device that was used least recently is forgotten; those that a person has tared, zeroed or taught
/// something are kept the longest.
struct ScaleCache {
  /// Far more pads than a machine has; a device with a full history takes some 8 KB.
  static let capacity = 64

  private struct Entry {
    var memory: ScaleMemory
    var use: Int
  }

  private var entries: [DeviceID: Entry] = [:]
  private var uses = 0

  /// How many devices are remembered.
  var count: Int { entries.count }

  /// What a device's scale remembers; nothing where it is not known.
  mutating func load(_ device: DeviceID) -> ScaleMemory {
    guard var memory = entries.removeValue(forKey: device)?.memory else { return ScaleMemory() }
    memory.reserve()
    return memory
  }

  /// Keeps what a device's scale remembers, for which another device may be forgotten.
  mutating func store(_ memory: ScaleMemory, of device: DeviceID) {
    entries[device] = nil
    // What has nothing to remember needs no room.
    guard memory != ScaleMemory() else { return }
    if entries.count >= ScaleCache.capacity { forgetOne() }
    var memory = memory
    memory.compact()
    uses += 1
    entries[device] = Entry(memory: memory, use: uses)
  }

  private mutating func forgetOne() {
    let least = entries.min { first, second in
      let (kept, other) = (first.value.memory.isAdjusted, second.value.memory.isAdjusted)
      return kept == other ? first.value.use < second.value.use : !kept
    }
    if let least { entries[least.key] = nil }
  }
}
