internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

extension Daemon {
  /// Encodes the pending events of a device once, and delivers them to each subscribed client.
  func publish(_ served: ServedDevice) {
    // Pulse first: it takes no time, and delivering to hundreds of clients may.
    pulse(served)
    let wanted = clients.reduce(0) { $0 | $1.subscription.eventMask }
    if served.encode(wanted: wanted) { deliver(served) }
    warnAboutUnusedRange(served)
    setDeadlineTimer()
    checkPendingWeighs(on: served)
    if served.pendingChange != .none { pendingChangeTimer.set(noLaterThan: loop.now) }
  }

  /// Delivers a device's batch to all clients.
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

  /// Sends the held readings that are due.
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

  /// Advances the engines whose deadline has passed.
  func fireDeadlines() {
    deadline = nil
    for served in devices where served.engine.deadline != nil {
      served.advance(to: now)
      publish(served)
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
    if let earliest, let deadline, earliest >= deadline { return }
    guard earliest != deadline else { return }
    deadline = earliest
    deadlineTimer.set(to: earliest?.microseconds)
  }

  /// Sets the timer only if that makes it earlier: setting it costs a system call.
  private func setDueTimer(to moment: Int64) {
    guard moment < dueAt ?? .max else { return }
    dueAt = moment
    dueTimer.set(to: moment)
  }
}

extension Daemon {
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
    guard case .live(let live, _) = served.feed, live.hasEffect else { return }
    for time in served.pulseTimes(stages: configuration.haptics.stages)
    where pulseLimit.admits(at: time) {
      live.pulse()
    }
  }
}
