internal import Glibc
internal import PressureKit

// Devices are open only while somebody listens, or something configured needs them.

extension Daemon {
  /// Whether devices are read although nobody listens; a recording lets no finger feel anything, and
  /// a pipe cannot be asked for what has passed.
  var readsAlone: Bool {
    switch source {
    case .devices: configuration.needsDevices
    case .events: true
    case .recording: configuration.alwaysRead
    }
  }

  /// Opens what there is, for the first client.
  func startReading() {
    guard !isReading else { return }
    isReading = true
    switch source {
    case .devices:
      lookAround()
      if devices.isEmpty {
        Log.warning(
          "there is no touch device that may be read; pressured devices says why, node by node")
      }
    case .events(let pipe): watch(pipe)
    case .recording(let player): startPlaying(player)
    }
  }

  /// Closes all devices, as nobody listens any more.
  func stopReading() {
    isReading = false
    playTimer.set(to: nil)
    for served in devices { remove(served, at: now) }
  }

  /// A node is there that was not, or has other rights than before.
  func nodeAppeared(_ node: String) {
    guard isReading, case .devices(let only) = source else { return }
    // The one that was asked for may be a link to any of them.
    if let only, only != node, access(only, F_OK) != 0 { return }
    openUnlessOpen(only ?? node)
  }

  private func openUnlessOpen(_ node: String) {
    guard !devices.contains(where: { $0.device.node == node }) else { return }
    open(node)
  }

  /// Opens all nodes that may be read by now, and a recording that was to be ignored.
  func lookAround() {
    guard isReading else { return }
    switch source {
    case .devices(let only):
      for node in only.map({ [$0] }) ?? DeviceFolder.nodes() { openUnlessOpen(node) }
    // It comes again with the next bytes.
    case .events: break
    case .recording(let player): if devices.isEmpty { startPlaying(player) }
    }
  }

  private func open(_ node: String) {
    do throws(DeviceFault) {
      announce(try serve(node))
      complaints[node] = nil
    } catch {
      complain(of: node, error)
    }
  }

  /// A node that is tried again for its new rights is complained of once.
  func complain(of node: String, _ fault: DeviceFault) {
    guard complaints.updateValue(fault.sentence, forKey: node) != fault.sentence else { return }
    switch fault {
    // That a keyboard may not be read is as it should be.
    case .unreadable where fault.isLackOfRights && !DeviceFolder.mayBeTouched(node): break
    case .unreadable(let fault): Log.warning(fault.sentence)
    case .refused, .ignored: break
    }
  }

  private func serve(_ node: String) throws(DeviceFault) -> ServedDevice {
    let live = try EvdevDevice(opening: node, isWritten: configuration.haptics.enabled)
    let id = newName(for: live.description, at: node)
    let surface: Surface
    do throws(DeviceFault) {
      surface = try configuration.surface(of: live.description, as: id)
    } catch {
      if case .ignored = error { ignoredNames[node] = id }
      throw error
    }
    ignoredNames[node] = nil
    let served = add(surface, as: id, node: node, feed: .over, openedAt: live.openedAt)
    do throws(DeviceFault) {
      try feed(served, from: live)
    } catch {
      devices.removeAll { $0 === served }
      scales.keep(served.engine.scaleMemory, of: served.id)
      throw error
    }
    return served
  }

  /// Lets a device that was just opened speak, first of what lies on it.
  func feed(_ served: ServedDevice, from live: EvdevDevice) throws(DeviceFault) {
    prepareHaptics(of: live)
    do throws(SystemFault) {
      let source = try loop.watch(live.descriptor, for: .reading) {
        [unowned self, unowned served, unowned live] _ in
        read(served, live)
      }
      served.feed = .live(live, source)
    } catch {
      throw .unreadable(error)
    }
    served.device.hasHaptics = live.hasEffect
    for event in live.stateEvents { served.receive(event) }
  }

  /// A name that no other device has, be it read or ignored.
  private func newName(for description: DeviceDescription, at node: String) -> DeviceID {
    ignoredNames = ignoredNames.filter { access($0.key, F_OK) == 0 }
    let ignored = ignoredNames.filter { $0.key != node }.values
    return DeviceNames(devices.map(\.id) + ignored).name(for: description)
  }

  /// Takes up a device that nobody has heard of yet.
  func add(
    _ surface: Surface, as id: DeviceID, node: String, feed: ServedDevice.Feed, openedAt: Timestamp
  ) -> ServedDevice {
    let surface = calibrated(surface, of: id)
    let served = ServedDevice(
      number: newNumber(),
      device: Device(id: id, node: node, surface: surface),
      engine: Engine(
        surface: surface, configuration: activeConfiguration, device: id,
        scale: scales.take(id)),
      feed: feed, openedAt: openedAt, settlingEndsAt: settlingEndsAt)
    devices.append(served)
    return served
  }

  /// The clients that are there already hear of a device, and then what lies on it.
  func announce(_ served: ServedDevice) {
    tell(of: served, .added, at: served.time)
    publish(served)
  }

  func tell(of served: ServedDevice, _ change: Device.Change, at time: Timestamp) {
    served.batch.encode(.device, at: time) { $0.append(served.device, change, at: $1) }
    deliver(served)
  }

  /// Says once that a device declares far more than it uses.
  func warnOfNarrow(_ served: ServedDevice) {
    guard !served.isSaidNarrow, let used = served.device.surface.narrowMaximum,
      let pressure = served.device.surface.pressure
    else { return }
    served.isSaidNarrow = true
    Log.warning(
      "\(served.id.text): no touch has come above \(used) of a declared \(pressure.axis.minimum) to "
        + "\(pressure.axis.maximum); if it never does, say effective_maximum: \(used) under devices: "
        + "in the configuration")
  }

  /// A device is gone: its contacts are cancelled, and then it is said.
  func remove(_ served: ServedDevice, at time: Timestamp) {
    served.closeFeed()
    devices.removeAll { $0 === served }
    scales.keep(served.engine.scaleMemory, of: served.id)
    served.cancelAll(at: time)
    publish(served)
    releaseWeighs(of: served)
    for client in clients { client.sendHeld(served.batch, number: served.number, at: loop.now) }
    tell(of: served, .removed, at: max(served.time, time))
    for client in clients { client.forget(served.number) }
    counts.add(served.counts)
  }
}

// MARK: - Live devices

extension Daemon {
  /// How many events are taken in one turn; a device that never stops must not starve the others.
  ///
  /// As many as the kernel keeps of a device of ten contacts.
  static let eventsInATurn = 1024

  private func read(_ served: ServedDevice, _ live: EvdevDevice) {
    var left = Daemon.eventsInATurn
    var isGone = false
    served.receive {
      guard left > 0 else { return nil }
      left -= 1
      switch live.next() {
      case .event(let event): return event
      case .empty: break
      case .gone: isGone = true
      }
      return nil
    }
    publish(served)
    if isGone { return remove(served, at: now) }
    if served.grab == .ending { letGo(served) }
    // What libevdev has read already does not wake the loop again.
    if left == 0 { restTimer.set(noLaterThan: loop.now) }
  }

  /// Goes on with devices that had more to say than fits into a turn, or said it in the midst of one.
  func readRest() {
    guard isReading else { return }
    for served in devices {
      if case .live(let live, _) = served.feed { read(served, live) }
    }
    if case .events(let pipe) = source, pipe.hasAhead { take(from: pipe) }
  }

  /// Takes out what devices have said meanwhile, before the kernel has no more room for it.
  func readAhead() {
    guard isReading else { return }
    var hasAhead = false
    for served in devices {
      guard case .live(let live, _) = served.feed else { continue }
      live.readAhead()
      hasAhead = hasAhead || live.aheadTime != nil
    }
    if case .events(let pipe) = source {
      pipe.readAhead()
      hasAhead = hasAhead || pipe.hasAhead
    }
    if hasAhead { restTimer.set(noLaterThan: loop.now) }
  }
}

// MARK: - A recording

extension Daemon {
  private func startPlaying(_ player: Player) {
    do throws(RecordingFault) {
      try player.rewind(to: loop.now)
    } catch {
      return Log.error(error.sentence)
    }
    do throws(DeviceFault) {
      let surface = try configuration.surface(of: player.description)
      let id = DeviceID(surface.description)
      announce(add(surface, as: id, node: player.path, feed: .recording, openedAt: now))
    } catch {
      return Log.error(error.sentence)
    }
    // Once the first client is in, so that it hears of everything.
    playTimer.set(to: loop.now)
  }

  /// Lets everything speak that is due, and sets the timer to what comes next.
  func play() {
    guard case .recording(let player) = source, let served = devices.first else { return }
    for _ in 0..<Daemon.eventsInATurn {
      switch player.step(at: loop.now) {
      case .event(let event): served.receive(event)
      case .wait(let moment):
        publish(served)
        return playTimer.set(to: moment)
      case .roundOver:
        served.cancelAll(at: served.engine.time ?? now)
        served.restart(configuration: activeConfiguration, settlingEndsAt: settlingEndsAt)
      case .over(let fault):
        served.cancelAll(at: served.engine.time ?? now)
        publish(served)
        if endsWithRecording {
          recordingFault = fault
          stop()
        } else if let fault {
          Log.error(fault.sentence)
        }
        return
      }
    }
    publish(served)
    playTimer.set(to: loop.now)
  }
}
