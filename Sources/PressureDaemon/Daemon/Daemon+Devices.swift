internal import Glibc
internal import PressureDevices
package import PressureKit
internal import PressureLoop
package import PressureProtocol
internal import PressureRecordings
internal import PressureSystem

// Devices are open only while there are clients, or if the configuration needs them.

extension Daemon {
  /// Whether devices are read without clients: for a recording only if `always_read` is set, as it has no haptics, and
  /// for a pipe always, as what was written before cannot be read again.
  package var readsWithoutClients: Bool {
    switch discovery.source {
    case .devices: configuration.needsDevices
    case .events: true
    case .recording: configuration.alwaysRead
    }
  }

  package func startReading() {
    guard !discovery.isOpen, !isStopping else { return }
    discovery.isOpen = true
    if let pipe = discovery.pipe { watch(pipe) }
    openNewDevices()
    if case .devices = discovery.source, devices.isEmpty {
      Log.warning(
        "no readable touch device found; run \"pressured devices\" for the reason per node")
    }
  }

  func stopReading() {
    discovery.isOpen = false
    timers.resume.set(to: nil)
    for served in devices { remove(served, at: now) }
  }

  func nodeAppeared(_ node: String) {
    guard discovery.isOpen, case .devices(let only) = discovery.source else { return }
    // The path given on the command line may be a symbolic link to any node.
    if let only, only != node, Glibc.access(only, F_OK) != 0 { return }
    let path = only ?? node
    // A device that udev has assigned to another seat is removed and then added again.
    if let served = devices.first(where: { $0.device.node == path }),
      served.seat != access.seatNames.set(of: DeviceSeat.name(of: path))
    {
      remove(served, at: now)
    }
    openUnlessOpen(path)
  }

  private func openUnlessOpen(_ node: String) {
    guard !devices.contains(where: { $0.device.node == node }) else { return }
    do throws(DeviceError) {
      announce(try serve(node))
      discovery.ignoredNames[node] = nil
      discovery.lastErrors[node] = nil
    } catch {
      reportError(at: node, error)
    }
  }

  /// Opens all nodes that are readable now, and a recording or a pipe that was ignored before.
  func openNewDevices() {
    guard discovery.isOpen else { return }
    switch discovery.source {
    case .devices(let only):
      for node in only.map({ [$0] }) ?? DeviceFolder.nodes() { openUnlessOpen(node) }
    // Otherwise it is added with its first event.
    case .events(let pipe):
      if devices.isEmpty, pipe.hasBegun { _ = addDevice(pipe, at: now) }
    case .recording(let player, exitsAtEnd: _): if devices.isEmpty { startPlaying(player) }
    }
  }

  /// Logs an error once per node, although changed permissions cause another attempt.
  func reportError(at node: String, _ error: DeviceError) {
    let sentence = error.sentence
    guard discovery.lastErrors.updateValue(sentence, forKey: node) != sentence else { return }
    switch error {
    // It is normal that a keyboard is not readable.
    case .unreadable where error.isPermissionDenied && !DeviceFolder.mayBeTouchDevice(node): break
    case .unreadable(let error): Log.warning(error.sentence)
    case .unsupported, .ignored: break
    }
  }

  private func serve(_ node: String) throws(DeviceError) -> ServedDevice {
    let live = try EvdevDevice(opening: node, isWritten: configuration.haptics.enabled)
    // The state of the device was read.
    access.applyTerminalSwitch()
    // A name that no other device has, whether it is read or ignored.
    let names = devices.map(\.id) + discovery.ignoredNames(exceptAt: node)
    let id = DeviceNames(names).name(for: live.description)
    let surface: Surface
    do throws(DeviceError) {
      surface = try configuration.surface(of: live.description, as: id)
    } catch {
      if case .ignored = error { discovery.ignoredNames[node] = id }
      throw error
    }
    let served = add(surface, as: id, node: node, input: nil, openedAt: live.openedAt)
    do throws(DeviceError) {
      try connect(served, to: live)
    } catch {
      devices.removeAll { $0 === served }
      memory.keep(served.engine.scaleMemory, of: served.id, at: served.seat)
      throw error
    }
    return served
  }

  /// Starts to read a device that was just opened, beginning with the contacts already on it.
  func connect(_ served: ServedDevice, to live: EvdevDevice) throws(DeviceError) {
    prepareHaptics(of: live)
    do throws(SystemError) {
      let source = try loop.watch(live.descriptor, for: .reading) {
        [unowned self, unowned served] _ in
        readDevice(served)
      }
      served.read(live, source)
    } catch {
      throw .unreadable(error)
    }
    served.batch.device.hasHaptics = live.hasEffect
    for event in live.stateEvents { served.receive(event) }
  }

  /// Creates a served device, before clients are notified of it.
  func add(
    _ surface: Surface, as id: DeviceID, node: String, input: (any InputSource)?,
    openedAt: Timestamp
  ) -> ServedDevice {
    let surface = memory.completed(surface, of: id)
    var scale = memory.takeScale(of: id)
    scale.releaseHold(at: openedAt)
    let seat = access.seatNames.set(of: DeviceSeat.name(of: node))
    let served = ServedDevice(
      number: statistics.newNumber(),
      device: Device(id: id, node: node, surface: surface),
      engine: Engine(
        surface: surface, configuration: activeConfiguration(at: seat), device: id,
        scale: scale, clicks: memory.clicks(of: id)),
      input: input, openedAt: openedAt, settlingEndsAt: settlingEndsAt,
      seat: seat)
    served.updateDate()
    devices.append(served)
    return served
  }

  func announce(_ served: ServedDevice) {
    notifyClients(of: served, .added, at: served.time)
    publish(served)
  }

  package func notifyClients(of served: ServedDevice, _ change: Device.Change, at time: Timestamp) {
    let isStopping = change == .removed && self.isStopping
    served.batch.encode(.device, at: time) {
      $0.append(served.device, change, at: $1, isStopping: isStopping)
    }
    deliver(served)
  }

  func logEvidence(of served: ServedDevice) {
    let (id, surface) = (served.id.text, served.device.surface)
    served.isEvidenceLogged = true
    if surface.evidence != served.loggedEvidence {
      served.loggedEvidence = surface.evidence
      for reason in surface.evidenceReasons where served.loggedReasons.insert(reason).inserted {
        Log.info("\(id): \(reason)")
      }
    }
    guard !served.hasWarnedAboutRange, let used = surface.narrowMaximum,
      let axis = surface.pressure?.axis
    else { return }
    served.hasWarnedAboutRange = true
    Log.warning(
      "\(id): no touch has exceeded \(used) of the declared range "
        + "\(axis.minimum) to \(axis.maximum); if none ever does, set "
        + "effective_maximum: \(used) under devices: in the configuration")
  }

  func remove(_ served: ServedDevice, at time: Timestamp) {
    served.closeInput()
    devices.removeAll { $0 === served }
    memory.keep(served.engine.scaleMemory, of: served.id, at: served.seat)
    served.cancelAll(at: time)
    // What its values have shown is adopted when nothing touches it.
    memory.remember(served.engine, of: served.id)
    publish(served)
    resolveWeighsSoon(of: served.number)
    for client in clients {
      client.sendHeld(served.batch, at: loop.now) { served.state(of: $0) }
    }
    notifyClients(of: served, .removed, at: max(served.time, time))
    for client in clients { client.forget(served.number) }
    statistics.counts.add(served.totalCounts)
  }
}

/// Where devices come from, whether they are open, and which nodes are not served.
final class DeviceDiscovery {
  let source: Daemon.Source

  var isOpen = false

  /// The names of ignored devices by their nodes; no other device gets such a name while the node exists.
  var ignoredNames: [String: DeviceID] = [:]

  /// The last error of each node, so that it is logged once.
  var lastErrors: [String: String] = [:]

  private var monitors: [PathMonitor] = []

  /// Watches for nodes that appear, or whose permissions change, if the source is the kernel's devices.
  init(_ source: Daemon.Source, loop: EventLoop, nodeAppeared: @escaping (String) -> Void) {
    self.source = source
    guard case .devices(let only) = source else { return }
    monitors = [PathMonitor(loop: loop, onNode: nodeAppeared)]
    // The path given on the command line may be a symbolic link to any node.
    if let only { monitors.append(PathMonitor(loop: loop, path: only) { nodeAppeared(only) }) }
  }

  var pipe: EventPipe? { if case .events(let pipe) = source { pipe } else { nil } }

  /// The names of ignored devices at other nodes that still exist.
  func ignoredNames(exceptAt node: String) -> [DeviceID] {
    ignoredNames = ignoredNames.filter { access($0.key, F_OK) == 0 }
    return ignoredNames.filter { $0.key != node }.map(\.value)
  }
}
