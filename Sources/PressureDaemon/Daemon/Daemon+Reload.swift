internal import PressureDevices
internal import PressureKit
internal import PressureLoop
package import PressureProtocol
internal import PressureRecordings
package import PressureSettings
internal import PressureSystem

// Another configuration, without a restart. What it says of touches holds from the next one on; what makes
// a device another one, or opens it otherwise, waits until nothing touches it.

extension Daemon {
  /// Reads the configuration again for a client, and answers with what has changed.
  package func reload(for client: Client) throws(RequestError) {
    do throws(ConfigurationErrors) {
      let keys = try reload()
      reply.appendReload(
        changed: keys, needingRestart: keys.filter(Configuration.needsRestart))
    } catch {
      throw RequestError(.failed, error.summary)
    }
  }

  /// Reads the configuration again.
  ///
  /// - Returns: the settings that are others now.
  /// - Throws: what is wrong with it; the one from before stays in force.
  package func reload() throws(ConfigurationErrors) -> [String] {
    ServiceNotifier.reloading(at: loop.now)
    defer { ServiceNotifier.ready(status) }
    let next = try nextConfiguration()
    reloadError = nil
    let keys = next.keys(thatDifferFrom: configuration)
    let before = configuration
    configuration = next
    pulseLimit.pulsesPerSecond = next.haptics.pulsesPerSecond
    for served in devices { applyConfiguration(to: served, previous: before) }
    openNewDevices()
    if readsWithoutClients { startReading() }
    pendingChangeTimer.set(to: loop.now)
    sweepTimer.set(to: loop.now)
    log(keys)
    return keys
  }

  /// What is wrong with it is for whoever reads the log, too, and not only for a client that has asked.
  private func nextConfiguration() throws(ConfigurationErrors) -> Configuration {
    do throws(ConfigurationErrors) {
      return try ConfigurationFile.read(at: location) { Log.warning($0.fault.sentence) }
    } catch {
      for sentence in error.sentences { Log.error(sentence) }
      if let first = error.sentences.first { reloadError = first }
      Log.error("the configuration from before stays in force")
      throw error
    }
  }

  private func log(_ keys: [String]) {
    let list = keys.isEmpty ? "nothing has changed" : keys.joined(separator: ", ")
    Log.info("the configuration was read again: \(list)")
    let late = keys.filter(Configuration.needsRestart)
    if !late.isEmpty { Log.warning("\(late.joined(separator: ", ")): only a restart changes that") }
  }

  private func applyConfiguration(to served: ServedDevice, previous before: Configuration) {
    served.pendingChange = pendingChange(of: served)
    let old = served.device
    if served.pendingChange == .none, before.haptics != configuration.haptics,
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
      notifyClients(of: served, .changed, at: served.advance(clampingTo: now))
    }
  }

  private func pendingChange(of served: ServedDevice) -> ServedDevice.PendingChange {
    guard let description = description(of: served) else { return .none }
    guard let surface = try? configuration.surface(of: description, as: served.id) else {
      return .close
    }
    let before = served.engine.surface.description
    var found = surface.description
    // Which slot events are of is no part of what a device is.
    found.currentSlot = before.currentSlot
    if found != before { return .reopen }
    guard case .live(let live, _) = served.feed else { return .none }
    return configuration.haptics.enabled && !live.isWritten ? .reopen : .none
  }

  /// What a device says of itself, before any quirk.
  private func description(of served: ServedDevice) -> DeviceDescription? {
    switch (served.feed, source) {
    case (.live(let live, _), _): live.description
    case (.pipe, .events(let pipe)): pipe.description
    case (.recording, .recording(let player)): player.description
    case (.closed, _), (.pipe, _), (.recording, _): nil
    }
  }
}

// MARK: - When nothing touches it

extension Daemon {
  /// Does what has waited for a bare surface.
  func applyPendingChanges() {
    for served in devices where served.engine.contacts.isEmpty {
      switch served.pendingChange {
      case .none: break
      case .close:
        ignoredNames[served.device.node] = served.id
        remove(served, at: now)
      // Who has grabbed a device would lose it.
      case .reopen where served.grab == .free: reopen(served)
      case .reopen: break
      }
    }
  }

  private func reopen(_ served: ServedDevice) {
    served.pendingChange = .none
    served.calibration = nil
    do throws(DeviceError) {
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
      reportError(at: served.device.node, error)
      return remove(served, at: now)
    }
    notifyClients(of: served, .changed, at: served.advance(clampingTo: now))
    publish(served)
  }

  private func restart(
    _ served: ServedDevice, as description: DeviceDescription
  ) throws(DeviceError) {
    let surface = try configuration.surface(of: description, as: served.id)
    served.restart(
      as: calibrated(surface, of: served.id), configuration: activeConfiguration,
      settlingEndsAt: settlingEndsAt)
  }
}

extension ConfigurationErrors {
  /// As much of it as fits into an answer.
  fileprivate var summary: String {
    let rest = sentences.count - 3
    let more = rest > 0 ? ["and \(rest) more"] : []
    return (sentences.prefix(3) + more + ["the configuration from before stays in force"])
      .joined(separator: "; ")
  }
}
