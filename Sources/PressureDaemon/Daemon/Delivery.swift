internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// Counts work across requests, turns and deliveries, and has the devices read ahead in time.
///
/// Exclusivity checks are off: it is used for each client and batch, and `readAhead` does not count work.
final class WorkMeter {
  /// How much work is done between two reads of the devices: it takes a small part of the time in which the kernel's
  /// queue overflows, even if memory is slow or output must be queued.
  private static let readAheadInterval = 128 << 10

  /// Work done so far, in bytes or what takes as long as a byte.
  @exclusivity(unchecked) private(set) var total = 0

  @exclusivity(unchecked) private var totalAtReadAhead = 0

  private let readAhead: () -> Void

  init(readAhead: @escaping () -> Void) {
    self.readAhead = readAhead
  }

  func count(_ cost: Int) {
    total &+= cost
    guard total &- totalAtReadAhead > WorkMeter.readAheadInterval else { return }
    readAhead()
    totalAtReadAhead = total
  }
}

extension Daemon {
  func publish(_ served: ServedDevice) {
    // Pulse first: it takes no time, and delivering to hundreds of clients may.
    pulse(served)
    if served.fillBatch(wanted: wantedEvents) { deliver(served) }
    if !served.isEvidenceLogged { logEvidence(of: served) }
    setDeadlineTimer()
    checkPendingWeighs(on: served)
    if served.pendingChange != .none { timers.pendingChanges.set(noLaterThan: loop.now) }
  }

  var wantedEvents: UInt16 { clients.reduce(0) { $0 | $1.subscription.eventMask } }

  func deliver(_ served: ServedDevice) {
    let (batch, id, now) = (served.batch, served.id, loop.now)
    var earliest: Int64?
    for client in clients where client.mayReceive(served) {
      let due = client.deliver(batch, of: id, at: now, gatherWrite: &gatherWrite)
      if let due { earliest = min(earliest ?? due, due) }
      work.count(batch.bytes.count)
    }
    batch.finish()
    if let earliest { timers.held.set(noLaterThan: earliest) }
    sweepLater()
  }

  /// Sends the readings that rate limits have held until now.
  func sendDueReadings() {
    let now = loop.now
    var earliest: Int64?
    for served in devices {
      for client in clients {
        if let due = client.due(of: served.number), due <= now {
          client.sendHeld(served.batch, at: now) { served.state(of: $0) }
        }
        if let due = client.due(of: served.number) { earliest = min(earliest ?? due, due) }
      }
    }
    timers.held.set(to: earliest)
    sweepLater()
  }

  /// Advances the engines to the present, or to their first unread event, which may cancel the deadline.
  func fireDeadlines() {
    let now = now
    func isDue(_ served: ServedDevice) -> Bool { served.engine.deadline.map { $0 <= now } ?? false }
    // Usually none is: each frame moves the deadline of a load in motion, and not the timer.
    if devices.contains(where: isDue) {
      readAhead()
      access.applyTerminalSwitch()
      for served in devices where isDue(served) {
        served.update(at: now) { $0.advance(to: $1, into: &$2) }
        publish(served)
      }
    }
    setDeadlineTimer()
  }

  /// Sets the timer only if the deadline is earlier or gone: a load in motion moves its deadline with each frame, and
  /// setting a timer costs a system call.
  private func setDeadlineTimer() {
    var earliest: Timestamp?
    for served in devices {
      guard let due = served.engine.deadline else { continue }
      earliest = min(earliest ?? due, due)
    }
    if let earliest {
      timers.deadlines.set(noLaterThan: earliest.microseconds)
    } else if timers.deadlines.moment != nil {
      timers.deadlines.set(to: nil)
    }
  }

  // MARK: - Haptics

  /// Uploads the haptic effect to a device that was just opened, if haptics are enabled.
  func prepareHaptics(of live: EvdevDevice) {
    guard configuration.haptics.enabled else { return }
    do throws(SystemError) {
      try live.prepareEffect(intensityPercent: configuration.haptics.intensityPercent)
    } catch {
      Log.warning("\(error.sentence); continuing without haptics")
    }
  }

  /// Plays haptic feedback for the pending events: the same thresholds trigger the pulse and the event.
  func pulse(_ served: ServedDevice) {
    guard let live = served.kernelDevice, live.hasEffect else { return }
    for time in served.pulseTimes(stages: configuration.haptics.stages)
    where pulses.acquire(
      at: time.microseconds, perSecond: Daemon.maximumPulses, burst: Daemon.maximumPulses)
    {
      live.pulse()
    }
  }

  /// The most pulses at once and per second, of all devices together; no motor follows a much higher rate.
  private static let maximumPulses = 10.0
}
