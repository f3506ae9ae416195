internal import Glibc
package import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureRecordings
internal import PressureSystem

// MARK: - Live devices

extension Daemon {
  /// The most events that are read per turn, so that a device with continuous input does not starve the others.
  ///
  /// The kernel's buffer for a device with ten contacts holds as many.
  static let eventsPerTurn = 1024

  func read(_ served: ServedDevice, _ live: EvdevDevice) {
    var left = Daemon.eventsPerTurn
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
    if served.grab == .ending { ungrabIfUntouched(served) }
    // Events that libevdev has already read do not make the descriptor readable again.
    if left == 0 { timers.resume.set(noLaterThan: loop.now) }
  }

  /// Continues with devices that had more events than fit into a turn, or that were read ahead.
  func resumeReading() {
    guard discovery.isOpen else { return }
    for served in devices {
      if case .live(let live, _) = served.feed { read(served, live) }
    }
    if case .events(let pipe) = discovery.source, pipe.hasAhead { readEvents(from: pipe) }
  }

  /// Reads pending events into memory before the kernel's queue overflows.
  func readAhead() {
    guard discovery.isOpen else { return }
    var hasAhead = false
    for served in devices {
      guard case .live(let live, _) = served.feed else { continue }
      live.readAhead()
      hasAhead = hasAhead || live.aheadTime != nil
    }
    if case .events(let pipe) = discovery.source {
      pipe.readAhead()
      hasAhead = hasAhead || pipe.hasAhead
    }
    if hasAhead { timers.resume.set(noLaterThan: loop.now) }
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
      announce(add(surface, as: id, node: player.path, feed: .recording, openedAt: now))
    } catch {
      return Log.error(error.sentence)
    }
    // Start after the first client was added, so that it receives everything.
    timers.play.set(to: loop.now)
  }

  /// Plays all events that are due, and sets the timer to the next one.
  package func play() {
    guard case .recording(let player, let exitsAtEnd) = discovery.source, let served = devices.first
    else { return }
    for _ in 0..<Daemon.eventsPerTurn {
      switch player.step(at: loop.now) {
      case .event(let event): served.receive(event)
      case .wait(let moment):
        publish(served)
        return timers.play.set(to: moment)
      case .roundOver:
        served.cancelAll(at: served.engine.time ?? now)
        served.restart(configuration: activeConfiguration, settlingEndsAt: settlingEndsAt)
      case .over(let fault):
        served.cancelAll(at: served.engine.time ?? now)
        publish(served)
        if exitsAtEnd {
          stop(because: fault)
        } else if let fault {
          Log.error(fault.sentence)
        }
        return
      }
    }
    publish(served)
    timers.play.set(to: loop.now)
  }
}

// MARK: - A pipe

// A pipe is a device from the first bytes of a writer until the last writer has closed it.

extension Daemon {
  /// Waits for a writer.
  package func watch(_ pipe: EventPipe) {
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
    guard !pipe.hasAhead else { return readEvents(from: pipe) }
    switch pipe.read() {
    case .bytes: readEvents(from: pipe)
    case .empty: break
    case .over:
      for served in devices { remove(served, at: now) }
      watch(pipe)
    }
  }

  /// Processes what was read, up to the limit of one turn.
  package func readEvents(from pipe: EventPipe) {
    guard let first = pipe.next() else { return }
    guard let served = devices.first ?? addDevice(pipe, at: first.time) else {
      while pipe.next() != nil {}
      return
    }
    served.receive(first)
    var left = Daemon.eventsPerTurn
    served.receive {
      guard left > 0 else { return nil }
      left -= 1
      return pipe.next()
    }
    publish(served)
    if left == 0 { timers.resume.set(noLaterThan: loop.now) }
  }

  /// Adds the pipe's device; nil if the configuration, which may be reloaded, ignores it.
  private func addDevice(_ pipe: EventPipe, at time: Timestamp) -> ServedDevice? {
    do throws(DeviceError) {
      let surface = try configuration.surface(of: pipe.description)
      let served = add(
        surface, as: DeviceID(surface.description), node: pipe.path, feed: .pipe(pipe),
        openedAt: time)
      announce(served)
      return served
    } catch {
      reportError(at: pipe.path, error)
      return nil
    }
  }
}
