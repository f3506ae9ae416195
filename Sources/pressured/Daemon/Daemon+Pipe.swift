internal import PressureKit

// A pipe is a device from the first bytes of a writer until the last writer has closed it.

extension Daemon {
  /// Waits for somebody to write.
  func watch(_ pipe: EventPipe) {
    do throws(SystemFault) {
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
    guard !pipe.hasAhead else { return take(from: pipe) }
    switch pipe.read() {
    case .bytes: take(from: pipe)
    case .empty: break
    case .over:
      for served in devices { remove(served, at: now) }
      watch(pipe)
    }
  }

  /// Takes what was read, but for what must wait for another turn.
  func take(from pipe: EventPipe) {
    guard let first = pipe.next() else { return }
    guard let served = devices.first ?? plugIn(pipe, at: first.time) else {
      while pipe.next() != nil {}
      return
    }
    served.receive(first)
    var left = Daemon.eventsInATurn
    served.receive {
      guard left > 0 else { return nil }
      left -= 1
      return pipe.next()
    }
    publish(served)
    if left == 0 { restTimer.set(noLaterThan: loop.now) }
  }

  /// Nil where the configuration, which may be read again, says to leave the device alone.
  private func plugIn(_ pipe: EventPipe, at time: Timestamp) -> ServedDevice? {
    do throws(DeviceFault) {
      let surface = try configuration.surface(of: pipe.description)
      let served = add(
        surface, as: DeviceID(surface.description), node: pipe.path, feed: .pipe(pipe),
        openedAt: time)
      announce(served)
      return served
    } catch {
      complain(of: pipe.path, error)
      return nil
    }
  }
}
