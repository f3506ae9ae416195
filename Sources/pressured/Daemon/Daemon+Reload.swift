internal import PressureKit

// Another configuration, without a restart. What it says of touches holds from the next one on; what makes
// a device another one, or opens it otherwise, waits until nothing touches it.

extension Daemon {
  /// Reads the configuration again for a client, and answers with what has changed.
  func reload(for client: Client) throws(RequestFault) {
    do throws(ConfigurationFaults) {
      let keys = try reload()
      answers.appendReload(
        changed: keys, needingRestart: keys.filter(Configuration.needsRestart))
    } catch {
      throw RequestFault(.failed, error.brief)
    }
  }

  /// Reads the configuration again.
  ///
  /// - Returns: the settings that are others now.
  /// - Throws: what is wrong with it; the one from before stays in force.
  func reload() throws(ConfigurationFaults) -> [String] {
    Supervisor.reloading(at: loop.now)
    defer { Supervisor.ready(status) }
    let next = try nextConfiguration()
    reloadFault = nil
    let keys = next.keys(thatDifferFrom: configuration)
    let before = configuration
    configuration = next
    pulseLimit.pulsesPerSecond = next.haptics.pulsesPerSecond
    for served in devices { adopt(on: served, insteadOf: before) }
    lookAround()
    if readsAlone { startReading() }
    renewalTimer.set(noLaterThan: loop.now)
    sweepTimer.set(noLaterThan: loop.now)
    log(keys)
    return keys
  }

  /// What is wrong with it is for whoever reads the log, too, and not only for a client that has asked.
  private func nextConfiguration() throws(ConfigurationFaults) -> Configuration {
    do throws(ConfigurationFaults) {
      return try ConfigurationFile.read(at: location) { Log.warning($0.fault.sentence) }
    } catch {
      for sentence in error.sentences { Log.error(sentence) }
      if let first = error.sentences.first { reloadFault = first }
      Log.error("the configuration from before stays in force")
      throw error
    }
  }

  private func log(_ keys: [String]) {
    let list = keys.isEmpty ? "nothing has changed" : keys.joined(separator: ", ")
    Log.note("the configuration was read again: \(list)")
    let late = keys.filter(Configuration.needsRestart)
    if !late.isEmpty { Log.warning("\(late.joined(separator: ", ")): only a restart changes that") }
  }

  private func adopt(on served: ServedDevice, insteadOf before: Configuration) {
    served.renewal = renewal(of: served)
    let old = served.device
    if served.renewal == .none, before.haptics != configuration.haptics,
      case .live(let live, _) = served.feed
    {
      live.dropEffect()
      prepareHaptics(of: live)
      served.device.hasHaptics = live.hasEffect
    }
    served.configure(activeConfiguration, at: now)
    publish(served)
    // Where the surface has changed, too, that was said with it.
    if old.hasHaptics != served.device.hasHaptics, old.surface == served.device.surface {
      tell(of: served, .changed, at: served.come(to: now))
    }
  }

  private func renewal(of served: ServedDevice) -> ServedDevice.Renewal {
    guard let description = description(of: served) else { return .none }
    guard let surface = try? configuration.surface(of: description, as: served.id) else {
      return .closing
    }
    let before = served.engine.surface.description
    var found = surface.description
    // Which slot events are of is no part of what a device is.
    found.currentSlot = before.currentSlot
    if found != before { return .reopening }
    guard case .live(let live, _) = served.feed else { return .none }
    return configuration.haptics.enabled && !live.isWritten ? .reopening : .none
  }

  /// What a device says of itself, before any quirk.
  private func description(of served: ServedDevice) -> DeviceDescription? {
    switch (served.feed, source) {
    case (.live(let live, _), _): live.description
    case (.pipe, .events(let pipe)): pipe.description
    case (.recording, .recording(let player)): player.description
    case (.over, _), (.pipe, _), (.recording, _): nil
    }
  }
}

// MARK: - When nothing touches it

extension Daemon {
  /// Does what has waited for a bare surface.
  func renewDevices() {
    for served in devices where served.engine.contacts.isEmpty {
      switch served.renewal {
      case .none: break
      case .closing:
        ignoredNames[served.device.node] = served.id
        remove(served, at: now)
      // Who has grabbed a device would lose it.
      case .reopening where served.grab == .free: reopen(served)
      case .reopening: break
      }
    }
  }

  private func reopen(_ served: ServedDevice) {
    served.renewal = .none
    served.calibration = nil
    do throws(DeviceFault) {
      if case .live = served.feed {
        served.closeFeed()
        let live = try EvdevDevice(
          opening: served.device.node, isWritten: configuration.haptics.enabled)
        try restart(served, as: live.description)
        try feed(served, from: live)
      } else if let description = description(of: served) {
        try restart(served, as: description)
      }
    } catch {
      complain(of: served.device.node, error)
      return remove(served, at: now)
    }
    tell(of: served, .changed, at: served.come(to: now))
    publish(served)
  }

  private func restart(
    _ served: ServedDevice, as description: DeviceDescription
  ) throws(DeviceFault) {
    let surface = try configuration.surface(of: description, as: served.id)
    served.restart(
      as: calibrated(surface, of: served.id), configuration: activeConfiguration,
      settlingEndsAt: settlingEndsAt)
  }
}

extension ConfigurationFaults {
  /// As much of it as fits into an answer.
  fileprivate var brief: String {
    let rest = sentences.count - 3
    let more = rest > 0 ? ["and \(rest) more"] : []
    return (sentences.prefix(3) + more + ["the configuration from before stays in force"])
      .joined(separator: "; ")
  }
}
