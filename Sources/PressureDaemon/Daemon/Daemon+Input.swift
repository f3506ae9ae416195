internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureRecordings
internal import PressureSystem

extension Daemon {
  /// The most events that are read per turn, so that a device with continuous input does not starve the others.
  ///
  /// The kernel's buffer for a device with ten contacts holds as many. A turn that reads them from there ends earlier, after one
  /// read.
  private static let eventsPerTurn = 1024

  /// Reads and publishes events up to the limit of one turn; returns whether it was reached.
  @discardableResult
  func drain(_ served: ServedDevice) -> Bool {
    var left = Daemon.eventsPerTurn
    let wanted = wantedEvents
    var step = served.drain(&left, at: loop.now, wanted: wanted)
    while case .restart? = step {
      restart(served)
      left -= 1
      step = served.drain(&left, at: loop.now, wanted: wanted)
    }
    if case .finished? = step { served.cancelAll(at: served.engine.time ?? now) }
    publish(served)
    switch step {
    case .gone:
      remove(served, at: now)
      if let pipe = discovery.pipe { watch(pipe) }
      return false
    case .finished:
      recordingEnded()
      return false
    case .wait(let moment): timers.resume.set(noLaterThan: moment)
    // What is in memory does not make the descriptor readable again.
    case nil: timers.resume.set(noLaterThan: loop.now)
    case .empty, .events, .restart: break
    }
    if served.grab == .ending { ungrabIfUntouched(served) }
    return step == nil
  }

  /// Starts a recording again with empty slots.
  ///
  /// Not inlined: exclusivity of the configuration would be checked in each turn of a device.
  @inline(never)
  private func restart(_ served: ServedDevice) {
    served.cancelAll(at: served.engine.time ?? now)
    served.restart(
      configuration: activeConfiguration(at: served.seat), settlingEndsAt: settlingEndsAt)
  }

  /// Continues with devices that had more events than fit into a turn, that were read ahead, or whose recording has
  /// events that are due.
  func resumeReading() {
    guard discovery.isOpen else { return }
    for served in devices where served.input?.hasMore == true {
      guard readDevice(served) else { return }
    }
  }

  /// Reads a device once and publishes that; returns false if the kernel has switched to another terminal.
  ///
  /// The notification of a switch is asked for after the read: without one, all events are of the same user.
  @discardableResult
  func readDevice(_ served: ServedDevice) -> Bool {
    served.input?.readOnce()
    guard !access.applyTerminalSwitch() else {
      timers.resume.set(noLaterThan: loop.now)
      return false
    }
    drain(served)
    return true
  }

  /// Reads pending events into memory before the kernel's queues overflow; one call finds the devices that have some.
  func readAhead() {
    guard discovery.isOpen else { return }
    withUnsafeTemporaryAllocation(of: pollfd.self, capacity: devices.count) { states in
      for (index, served) in devices.enumerated() {
        // The kernel ignores a negative number.
        let number = served.input?.descriptor ?? -1
        states.initializeElement(
          at: index, to: pollfd(fd: number, events: Int16(POLLIN), revents: 0))
      }
      guard poll(states.baseAddress, nfds_t(states.count), 0) > 0 else { return }
      for (index, served) in devices.enumerated() where states[index].revents != 0 {
        served.input?.readAhead()
        if served.input?.hasMore == true { timers.resume.set(noLaterThan: loop.now) }
      }
    }
  }

  private func recordingEnded() {
    guard case .recording(let player, let exitsAtEnd) = discovery.source else { return }
    if exitsAtEnd {
      stop(because: player.error)
    } else if let error = player.error {
      Log.error(error.sentences.joined())
    }
  }
}

// MARK: - A recording

extension Daemon {
  func startPlaying(_ player: Player) {
    do throws(ExitError) {
      try player.rewind(to: loop.now)
    } catch {
      return Log.error(error.sentences.joined())
    }
    do throws(DeviceError) {
      let surface = try configuration.surface(of: player.description)
      let id = DeviceID(surface.description)
      announce(add(surface, as: id, node: player.path, input: player, openedAt: now))
    } catch {
      return Log.error(error.sentence)
    }
    // Start after the first client was added, so that it receives everything.
    timers.resume.set(to: loop.now)
  }
}

// MARK: - A pipe

// A pipe is a device from the first bytes of a writer until the last writer has closed it.

extension Daemon {
  func watch(_ pipe: EventPipe) {
    do throws(SystemError) {
      try pipe.open()
      pipe.source = try loop.watch(pipe.descriptor, for: .reading) {
        [unowned self, unowned pipe] _ in
        read(pipe)
      }
    } catch {
      Log.error(error.sentence)
    }
  }

  private func read(_ pipe: EventPipe) {
    pipe.readOnce()
    // What was read must not wait for further bytes.
    access.applyTerminalSwitch()
    if let served = devices.first ?? pipe.aheadTime.flatMap({ addDevice(pipe, at: $0) }) {
      drain(served)
      return
    }
    pipe.discard()
    if pipe.isOver { watch(pipe) }
  }

  func addDevice(_ pipe: EventPipe, at time: Timestamp) -> ServedDevice? {
    do throws(DeviceError) {
      let surface = try configuration.surface(of: pipe.description)
      let served = add(
        surface, as: DeviceID(surface.description), node: pipe.path, input: pipe,
        openedAt: time)
      announce(served)
      return served
    } catch {
      reportError(at: pipe.path, error)
      return nil
    }
  }
}
