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

  /// Reads the events of a device up to the limit of one turn, and publishes what follows from them.
  ///
  /// - Returns: whether the limit was reached.
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
      inputEnded(of: served)
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
    for served in devices { guard readAndDrain(served) else { return } }
    fireOverdueTimers()
  }

  func readDevice(_ served: ServedDevice) {
    if readAndDrain(served) { fireOverdueTimersSometimes() }
  }

  /// Reads a device once and publishes that, unless the kernel has switched to another terminal.
  ///
  /// The notification of a switch is asked for after the read: without one, all events are of the same user.
  ///
  /// - Returns: whether the terminal is the same; otherwise reading continues in another turn.
  private func readAndDrain(_ served: ServedDevice) -> Bool {
    served.input?.readOnce()
    guard !access.applyTerminalSwitch() else {
      timers.resume.set(noLaterThan: loop.now)
      return false
    }
    drain(served)
    return true
  }

  /// Reads pending events into memory before the kernel's queues overflow.
  func readAhead() {
    guard discovery.isOpen else { return }
    var hasMore = false
    for served in devices where served.input?.readAhead() == true { hasMore = true }
    if hasMore { timers.resume.set(noLaterThan: loop.now) }
  }

  private func inputEnded(of served: ServedDevice) {
    remove(served, at: now)
    if case .events(let pipe) = discovery.source { watch(pipe) }
  }

  private func recordingEnded() {
    guard case .recording(let player, let exitsAtEnd) = discovery.source else { return }
    if exitsAtEnd {
      stop(because: player.error)
    } else if let error = player.error {
      Log.error(error.sentence)
    }
  }
}

// MARK: - A recording

extension Daemon {
  func startPlaying(_ player: Player) {
    do throws(RecordingError) {
      try player.rewind(to: loop.now)
    } catch {
      return Log.error(error.sentence)
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
    if let served = devices.first ?? pipe.firstTime.flatMap({ addDevice(pipe, at: $0) }) {
      drain(served)
      return fireOverdueTimersSometimes()
    }
    pipe.discardAhead()
    if pipe.isOver { watch(pipe) }
  }

  /// Adds the pipe's device; nil if the configuration ignores it.
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

// MARK: - Sources

/// Where the events of a served device come from.
protocol InputSource: AnyObject {
  /// The description of the device before quirks apply.
  var description: DeviceDescription { get }

  /// A time that no unread event in memory precedes, or nil if there is none.
  var aheadTime: Timestamp? { get }

  /// Replaces the content of a batch with the next events, up to the end of a frame.
  ///
  /// - Parameters:
  ///   - batch: its content is undefined if there are no events.
  ///   - now: the time by which they have happened, in microseconds of CLOCK_MONOTONIC.
  /// - Returns: whether there are events, or why there are none.
  func next(into batch: inout InputBatch, at now: Int64) -> InputStep

  /// Reads once; until `next` has returned `empty`, it returns nothing that happens after this call.
  func readOnce()

  /// Reads pending events into memory before the kernel's queue overflows.
  ///
  /// - Returns: whether there are events that no longer wake the loop.
  @discardableResult func readAhead() -> Bool

  /// Discards the events in memory, as no others are read.
  func discardAhead()
}

/// What a source has found.
enum InputStep {
  /// The batch contains events.
  case events
  /// Nothing for now; the source wakes the loop.
  case empty
  /// Nothing before this time, in microseconds of CLOCK_MONOTONIC.
  case wait(Int64)
  /// The recording restarts; all slots are empty.
  case restart
  /// No further events, and the device stays.
  case finished
  /// The device is gone, or may no longer be read.
  case gone
}

extension EvdevDevice: InputSource {
  func next(into batch: inout InputBatch, at now: Int64) -> InputStep {
    switch next(into: &batch) {
    case .events: .events
    // After a loss the descriptor need not become readable.
    case .empty: hasMore ? .wait(now) : .empty
    case .gone: .gone
    }
  }

  func discardAhead() {}
}

extension EventPipe: InputSource {
  func next(into batch: inout InputBatch, at now: Int64) -> InputStep {
    if next(into: &batch) { return .events }
    return isOver ? .gone : .empty
  }

  func readOnce() {
    if !hasAhead { read() }
  }
}

extension Player: InputSource {
  var aheadTime: Timestamp? { unreadTime }

  func next(into batch: inout InputBatch, at now: Int64) -> InputStep {
    switch step(at: now) {
    case .event(let event):
      batch.removeAll()
      batch.append(event)
      return .events
    case .wait(let moment): return .wait(moment)
    case .roundOver: return .restart
    case .over: return .finished
    }
  }

  func readOnce() {}
  func readAhead() -> Bool { false }
  func discardAhead() {}
}
