internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

extension Daemon {
  /// Encodes once what a device's engine has said, and gives each client what it wants of it.
  func publish(_ served: ServedDevice) {
    // First, as it takes no time, and giving it to hundreds of clients may.
    pulse(served)
    let wanted = clients.reduce(0) { $0 | $1.subscription.bits }
    if served.encode(wanted: wanted) { deliver(served) }
    warnAboutUnusedRange(served)
    setDeadlineTimer()
    checkPendingWeighs(on: served)
    if served.pendingChange != .none { pendingChangeTimer.set(to: loop.now) }
  }

  /// Gives each client what it wants of a device's batch.
  func deliver(_ served: ServedDevice) {
    let now = loop.now
    let (batch, id, number) = (served.batch, served.id, served.number)
    var earliest: Int64?
    for client in clients {
      countWork(batch.byteCount)
      let due = client.deliver(batch, of: id, number: number, at: now, gatherWrite: &gatherWrite)
      if let due { earliest = min(earliest ?? due, due) }
    }
    if let earliest {
      served.batch.keepReadings()
      setDueTimer(to: earliest)
    }
    sweepLater()
  }

  /// Sends the readings that have waited for their time.
  func sendDueReadings() {
    let now = loop.now
    dueAt = nil
    var earliest: Int64?
    for served in devices {
      for client in clients {
        client.sendDue(served.batch, number: served.number, at: now)
        if let due = client.due(of: served.number) { earliest = min(earliest ?? due, due) }
      }
    }
    if let earliest { setDueTimer(to: earliest) }
    sweepLater()
  }

  /// Lets those engines speak whose deadline has come.
  func fireDeadlines() {
    deadline = nil
    for served in devices where served.engine.deadline != nil {
      served.advance(to: now)
      publish(served)
    }
    setDeadlineTimer()
  }

  /// The timer is set only where that makes it earlier, or stops it: a load in motion moves its deadline
  /// with each frame, and setting it costs a system call.
  private func setDeadlineTimer() {
    var earliest: Timestamp?
    for served in devices {
      guard let due = served.engine.deadline else { continue }
      earliest = min(earliest ?? due, due)
    }
    if let earliest, let deadline, earliest >= deadline { return }
    guard earliest != deadline else { return }
    deadline = earliest
    deadlineTimer.set(to: earliest?.microseconds)
  }

  /// The timer is set only where that makes it earlier: setting it costs a system call.
  private func setDueTimer(to moment: Int64) {
    guard moment < dueAt ?? .max else { return }
    dueAt = moment
    dueTimer.set(to: moment)
  }
}

extension Daemon {
  /// Gives a device that was just opened something to let the finger feel, where that is wanted.
  func prepareHaptics(of live: EvdevDevice) {
    guard configuration.haptics.enabled else { return }
    do throws(SystemError) {
      try live.prepareEffect(intensityPercent: configuration.haptics.intensityPercent)
    } catch {
      Log.warning("\(error.sentence); it is read without haptics")
    }
  }

  /// Lets the finger feel what the clients are to read next: one threshold makes both.
  func pulse(_ served: ServedDevice) {
    guard case .live(let live, _) = served.feed, live.hasEffect else { return }
    for time in served.pulseTimes(stages: configuration.haptics.stages)
    where pulseLimit.admits(at: time) {
      live.pulse()
    }
  }
}
