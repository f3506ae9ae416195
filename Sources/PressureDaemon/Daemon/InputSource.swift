internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureRecordings

/// Where the events of a served device come from.
enum InputSource {
  /// A kernel device, watched for as long as its event source lives.
  case device(EvdevDevice, EventSource)
  /// A pipe in place of a device node.
  case pipe(EventPipe)
  /// A recording.
  case recording(Player)
  /// No further events.
  case closed

  /// What `next` has found.
  enum Step {
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

  /// Replaces the content of a batch with the next events, up to the end of a frame.
  ///
  /// - Parameters:
  ///   - batch: its content is undefined if there are no events.
  ///   - now: the time by which they have happened, in microseconds of CLOCK_MONOTONIC.
  /// - Returns: whether there are events, or why there are none.
  func next(into batch: inout InputBatch, at now: Int64) -> Step {
    switch self {
    case .device(let device, _):
      switch device.next(into: &batch) {
      case .events: return .events
      // After a loss the descriptor need not become readable.
      case .empty: return device.hasMore ? .wait(now) : .empty
      case .gone: return .gone
      }
    case .pipe(let pipe):
      if pipe.next(into: &batch) { return .events }
      return pipe.isOver ? .gone : .empty
    case .recording(let player):
      switch player.step(at: now) {
      case .event(let event):
        batch.removeAll()
        batch.append(event)
        return .events
      case .wait(let moment): return .wait(moment)
      case .roundOver: return .restart
      case .over: return .finished
      }
    case .closed: return .empty
    }
  }

  /// Reads once; until `next` has returned `empty`, it returns nothing that happens after this call.
  func readOnce() {
    switch self {
    case .device(let device, _): device.readOnce()
    case .pipe(let pipe): if !pipe.hasAhead { pipe.read() }
    case .recording, .closed: break
    }
  }

  /// Reads pending events into memory before the kernel's queue overflows.
  ///
  /// - Returns: whether there are events that no longer wake the loop.
  func readAhead() -> Bool {
    switch self {
    case .device(let device, _):
      device.readAhead()
      return device.hasMore
    case .pipe(let pipe):
      pipe.readAhead()
      return pipe.hasAhead
    case .recording, .closed: return false
    }
  }

  /// A time that no unread event in memory precedes, or nil if there is none.
  var aheadTime: Timestamp? {
    switch self {
    case .device(let device, _): device.aheadTime
    case .pipe(let pipe): pipe.aheadTime
    case .recording(let player): player.unreadTime
    case .closed: nil
    }
  }

  /// The kernel device, which alone can be grabbed and can play haptic feedback.
  var kernelDevice: EvdevDevice? {
    if case .device(let device, _) = self { device } else { nil }
  }

  /// The description of the device before quirks apply; nil if the source is closed.
  var description: DeviceDescription? {
    switch self {
    case .device(let device, _): device.description
    case .pipe(let pipe): pipe.description
    case .recording(let player): player.description
    case .closed: nil
    }
  }

  /// How often the kernel's queue has overflowed.
  var lossCount: Int { kernelDevice?.lossCount ?? 0 }

  /// Closes the source; unread events in memory are discarded.
  mutating func close() {
    if case .pipe(let pipe) = self { pipe.discardAhead() }
    self = .closed
  }
}
