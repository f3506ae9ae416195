internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

extension Daemon {
  /// Delivers the pending events of a device to each subscribed client.
  func publish(_ served: ServedDevice) {
    // Pulse first: it takes no time, and delivering to hundreds of clients may.
    pulse(served)
    if served.fillBatch(wanted: wantedEvents) { deliver(served) }
    warnAboutUnusedRange(served)
    reportEvidence(of: served)
    setDeadlineTimer()
    checkPendingWeighs(on: served)
    if served.pendingChange != .none { timers.pendingChanges.set(noLaterThan: loop.now) }
  }

  /// The bits of the names of the events that any client subscribed to.
  var wantedEvents: UInt16 { clients.reduce(0) { $0 | $1.subscription.eventMask } }

  /// Delivers a device's batch to all clients.
  func deliver(_ served: ServedDevice) {
    delivery.deliver(served, to: clients, at: loop.now)
    sweepLater()
  }

  /// Sends the held readings that are due.
  func sendDueReadings() {
    delivery.sendDue(of: devices, to: clients)
    sweepLater()
  }

  /// Advances the engines whose deadline has passed.
  func fireDeadlines() {
    access.applyTerminalSwitch()
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
    if let earliest {
      timers.deadlines.set(noLaterThan: earliest.microseconds)
    } else if timers.deadlines.moment != nil {
      timers.deadlines.set(to: nil)
    }
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
    guard let live = served.input.kernelDevice, live.hasEffect else { return }
    for time in served.pulseTimes(stages: configuration.haptics.stages)
    where pulseLimit.admits(at: time) {
      live.pulse()
    }
  }
}
