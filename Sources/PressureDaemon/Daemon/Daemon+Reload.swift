internal import PressureDevices
internal import PressureKit
internal import PressureLoop
package import PressureProtocol
internal import PressureRecordings
package import PressureSettings
internal import PressureSystem

// Applies another configuration without a restart. Settings for touches apply from the next touch on; changes to what
// a device is, or how it is opened, wait until nothing touches it.

extension Daemon {
  package func reload(for client: Client) throws(RequestError) {
    do throws(ConfigurationErrors) {
      let keys = try reload()
      reply.appendReload(
        changed: keys, needingRestart: keys.filter(Configuration.needsRestart))
    } catch {
      throw RequestError(
        .failed, "\(error.summary); the previous configuration stays in effect")
    }
  }

  /// Reloads the configuration and returns what changed; after an error the previous one stays.
  package func reload() throws(ConfigurationErrors) -> [String] {
    ServiceNotifier.reloading(at: loop.now)
    defer { ServiceNotifier.ready(statusText) }
    let next = try readConfiguration()
    let keys = next.keys(thatDifferFrom: configuration)
    let before = configuration
    configuration = next
    for served in devices { applyConfiguration(to: served, previous: before) }
    openNewDevices()
    if readsWithoutClients { startReading() }
    timers.pendingChanges.set(noLaterThan: loop.now)
    timers.sweep.set(noLaterThan: loop.now)
    // The same names may belong to others now.
    let permissions = Permissions(next)
    let areOthers = permissions != access.permissions
    access.permissions = permissions
    if areOthers || next.access != before.access {
      listener.adopt(next)
      access.isEnforced = listener.isOpenToAll
      reviewAccess()
    }
    if areOthers || next.control != before.control { revokeControl() }
    let list = keys.isEmpty ? "no changes" : keys.joined(separator: ", ")
    Log.info("the configuration was reloaded: \(list)")
    let late = keys.filter(Configuration.needsRestart)
    if !late.isEmpty {
      Log.warning("\(late.joined(separator: ", ")): takes effect only after a restart")
    }
    return keys
  }

  /// Reads the configuration; errors are logged, in addition to the reply to a requesting client.
  private func readConfiguration() throws(ConfigurationErrors) -> Configuration {
    do throws(ConfigurationErrors) {
      let next = try ConfigurationFile.read(at: location) { Log.warning($0.sentence) }
      reloadError = nil
      return next
    } catch {
      for sentence in error.sentences { Log.error(sentence) }
      reloadError = error.sentences.first ?? reloadError
      Log.error("the previous configuration stays in effect")
      throw error
    }
  }

  private func applyConfiguration(to served: ServedDevice, previous before: Configuration) {
    served.pendingChange = pendingChange(of: served)
    let old = served.device
    if served.pendingChange == .none, before.haptics != configuration.haptics,
      let live = served.kernelDevice
    {
      live.dropEffect()
      prepareHaptics(of: live)
      served.batch.device.hasHaptics = live.hasEffect
    }
    served.update(at: now) {
      $0.configure(activeConfiguration(at: served.seat), at: $1, into: &$2)
    }
    publish(served)
    // A change of the surface was already published, and includes this one.
    if old.hasHaptics != served.device.hasHaptics, old.surface == served.device.surface {
      notifyClients(of: served, .changed, at: served.advance(clampingTo: now))
    }
  }

  private func pendingChange(of served: ServedDevice) -> ServedDevice.PendingChange {
    guard let description = served.input?.description else { return .none }
    guard let surface = try? configuration.surface(of: description, as: served.id) else {
      return .close
    }
    let before = served.engine.surface.description
    var found = surface.description
    // The current slot is not part of a device's identity.
    found.currentSlot = before.currentSlot
    if found != before { return .reopen }
    guard let live = served.kernelDevice else { return .none }
    return configuration.haptics.enabled && !live.isWritten ? .reopen : .none
  }
}

// MARK: - Deferred changes

extension Daemon {
  func applyPendingChanges() {
    for served in devices where served.engine.contacts.isEmpty {
      switch served.pendingChange {
      case .none: break
      case .close:
        discovery.ignoredNames[served.device.node] = served.id
        remove(served, at: now)
      // Reopening would end a client's grab.
      case .reopen where served.grab == .free: reopen(served)
      case .reopen: break
      }
    }
  }

  private func reopen(_ served: ServedDevice) {
    served.pendingChange = .none
    served.calibration = nil
    do throws(DeviceError) {
      if served.kernelDevice != nil {
        served.closeInput()
        let live = try EvdevDevice(
          opening: served.device.node, isWritten: configuration.haptics.enabled)
        // The state of the device was read.
        access.applyTerminalSwitch()
        try restart(served, as: live.description)
        try connect(served, to: live)
      } else if let description = served.input?.description {
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
    memory.remember(served.engine, of: served.id)
    served.restart(
      as: memory.completed(surface, of: served.id),
      configuration: activeConfiguration(at: served.seat), settlingEndsAt: settlingEndsAt)
  }
}
