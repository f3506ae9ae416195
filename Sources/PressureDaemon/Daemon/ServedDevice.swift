internal import PressureDevices
package import PressureKit
internal import PressureLoop
package import PressureProtocol
internal import PressureSystem

/// A device that is published to clients: its description, its engine, and its source of events.
///
/// Exclusivity checks are off for the state that each frame needs: they would cost more than much of the work itself.
/// One thread runs the daemon, and no callee re-enters a device.
package final class ServedDevice {
  /// A configuration change that waits until nothing touches the device.
  enum PendingChange {
    case none
    /// Reopen the device: its description, or how it is opened, has changed.
    case reopen
    /// Close the device: the configuration now ignores it.
    case close
  }

  let seat: SeatSet

  /// Counters, except the events that libevdev has dropped and the lines that the batch has encoded.
  @exclusivity(unchecked) var counts = DeviceCounts()

  /// The counters when the access of the user at its seat began.
  var countsBefore = DeviceCounts()

  let since: Timestamp

  /// When requests stop waiting for the scale to settle, in microseconds of CLOCK_MONOTONIC.
  var settlingEndsAt: Int64

  package let batch: Batch
  @exclusivity(unchecked) package private(set) var engine: Engine
  @exclusivity(unchecked) private(set) var input: (any InputSource)?

  /// The same if it is a kernel device, which alone can be grabbed and can play haptic feedback.
  @exclusivity(unchecked) private(set) var kernelDevice: EvdevDevice?
  private var eventSource: EventSource?

  /// Whether what the values have shown was logged, which changes only with the surface.
  @exclusivity(unchecked) var isEvidenceLogged = true
  var loggedEvidence: StreamEvidence
  var loggedReasons: Set<String> = []
  var hasWarnedAboutRange = false
  @exclusivity(unchecked) var pendingChange = PendingChange.none

  @exclusivity(unchecked) package var grab = Grab.free
  @exclusivity(unchecked) package var origin: RequestOrigin?

  @exclusivity(unchecked) package var calibration: (client: Int, session: CalibrationSession)?

  /// The time of the last frame; before the first, when the device was opened.
  @exclusivity(unchecked) package private(set) var time: Timestamp

  @exclusivity(unchecked) private var events = InputBatch()

  @exclusivity(unchecked) private var output = EventBuffer()
  private var stableCount = 0

  init(
    number: Int, device: Device, engine: Engine, input: (any InputSource)?, openedAt: Timestamp,
    settlingEndsAt: Int64, seat: SeatSet
  ) {
    self.seat = seat
    batch = Batch(device, number: number)
    self.engine = engine
    self.input = input
    self.settlingEndsAt = settlingEndsAt
    loggedEvidence = engine.surface.evidence
    since = openedAt
    time = openedAt
  }

  var totalCounts: DeviceCounts {
    var counts = counts
    (counts.lines, counts.bytes) = batch.encoded
    counts.dropped += kernelDevice?.lossCount ?? 0
    return counts
  }

  /// Cancels the touches of the user who was at its seat; those that last begin anew.
  func beginTouchesAnew(at time: Timestamp) {
    engine.beginTouchesAnew(at: time, into: &output)
  }

  /// Accessed in place, as a copy costs more than the access.
  package var device: Device {
    @inline(__always) _read { yield batch.device }
  }

  package var id: DeviceID { batch.device.id }

  package var number: Int { batch.number }

  var canWeigh: Bool { engine.surface.calibration != nil }

  func read(_ live: EvdevDevice, _ source: EventSource) {
    (input, kernelDevice, eventSource) = (live, live, source)
    updateDate()
  }

  func closeInput() {
    counts = totalCounts
    // Before the descriptor that it watches is closed.
    eventSource = nil
    (input, kernelDevice) = (nil, nil)
  }

  /// A time, or that of the first unread event if it is earlier.
  private func clampedToUnread(_ time: Timestamp) -> Timestamp {
    min(time, input?.aheadTime ?? time)
  }

  package func receive(_ event: InputEvent) {
    counts.note(event.code)
    engine.receive(event, into: &output)
    if event.code == .report, calibration != nil { calibration?.session.update(with: engine.frame) }
  }

  /// Sets the date by which the age of a calibration is known; a recording has none.
  func updateDate() {
    engine.dateAtZero = kernelDevice != nil || input is EventPipe ? Timestamp.dateAtZero : nil
  }

  /// Changes the engine at a time, or at that of the first unread event if it is earlier.
  func update<Value, Failure: Error>(
    at time: Timestamp,
    _ change: (inout Engine, Timestamp, inout EventBuffer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try change(&engine, clampedToUnread(time), &output)
  }

  /// Passes events to the engine until there are no more, or until `left`, which is reduced by those that were passed, is used up.
  ///
  /// Returns why there are no more, or nil at the limit. `now` is in microseconds of CLOCK_MONOTONIC; `wanted` has the bits of
  /// the event names that any client subscribed to.
  func drain(_ left: inout Int, at now: Int64, wanted: UInt16) -> InputStep? {
    output.wantsPressChanges = wanted & EventName.press.bit != 0
    guard let input else { return .empty }
    while left >= InputBatch.capacity {
      let step = input.next(into: &events, at: now)
      guard case .events = step else { return step }
      left -= events.count
      counts.note(events)
      engine.receive(events.events.span, into: &output)
      // Only the last event of a batch can complete a frame.
      guard calibration != nil, events.events.last?.code == .report else { continue }
      calibration?.session.update(with: engine.frame)
    }
    return nil
  }

  /// Advances to the time of an event that is not the engine's, so that later events are not earlier.
  package func advance(clampingTo time: Timestamp) -> Timestamp {
    self.time = max(
      self.time,
      engine.advance(
        clampingTo: max(clampedToUnread(time), self.time), into: &output))
    return self.time
  }

  /// When the scale has settled, at least one millisecond later, so that unread events are read first; nil if it has.
  ///
  /// Times are in microseconds of CLOCK_MONOTONIC. `restTime` is how long a load may take to come to rest after the filter is
  /// filled; 0 if its motion does not matter.
  func settlingDeadline(after now: Int64, restTime: Int64) -> Int64? {
    let end = settlingEndsAt + restTime
    guard now < end else { return nil }
    guard let settled = engine.scaleSettledAt else {
      return now < settlingEndsAt ? settlingEndsAt : nil
    }
    if now < settlingEndsAt, settled > clampedToUnread(Timestamp(microseconds: now)) {
      return min(max(settled.microseconds, now + 1000), settlingEndsAt)
    }
    return restTime > 0 && engine.scale.status == .inMotion && !engine.scale.isHeld ? end : nil
  }

  /// The result of a `weigh` that started after `count` stable readings; nil if it has to wait.
  func reading(after count: Int) -> ScaleReading? {
    let shown = engine.scale
    return shown.isHeld ? shown : engine.scaleMemory.stable(after: count) ?? engine.stableReading
  }

  /// Whether there was a stable reading since the last call.
  func hasNewStableReading() -> Bool {
    let before = stableCount
    stableCount = engine.stableCount
    return stableCount != before
  }

  package func cancelAll(at time: Timestamp) {
    engine.cancelAll(at: time, into: &output)
  }

  /// When pulses are due for the pending events: once per contact that reaches the maximum and per press that
  /// reaches one of the stages, but at most once for a stage and the maximum at the same time.
  func pulseTimes(stages: [String]) -> [Timestamp] {
    output.events.reduce(into: []) { times, event in
      switch event.kind {
      case .maximumForce(_, .reached, _): times.append(event.time)
      case .press(let press) where press.entersStage && stages.contains(press.stage):
        if times.last != event.time { times.append(event.time) }
      case .press, .maximumForce, .contact, .weight, .heaviest, .scale, .action, .capability: break
      }
    }
  }

  /// Passes the pending events to the batch; returns whether any has one of the wanted bits.
  package func fillBatch(wanted: UInt16) -> Bool {
    time = max(time, engine.time ?? time)
    guard !output.isEmpty else { return false }
    if output.mayChangeSurface {
      batch.device.surface = engine.surface
      isEvidenceLogged = false
    }
    batch.take(&output, wanted: wanted, origin: origin)
    if batch.lines.isEmpty { batch.finish() }
    return !batch.lines.isEmpty
  }

  /// The present state of a subject, as its newest reading; nil if it has ended.
  func state(of subject: Subject) -> Event? { engine.state(of: subject, at: time) }

  /// Resets all slots, and the surface if one is given.
  package func restart(
    as surface: Surface? = nil, configuration: Configuration, settlingEndsAt: Int64
  ) {
    self.settlingEndsAt = settlingEndsAt
    engine = Engine(
      surface: surface ?? engine.surface, configuration: configuration, device: id,
      scale: engine.scaleMemory, clicks: engine.clicks)
    updateDate()
    batch.device.surface = engine.surface
  }
}

extension DeviceCounts {
  fileprivate mutating func note(_ batch: borrowing InputBatch) {
    guard let last = batch.events.last else { return }
    events += batch.count - 1
    note(last.code)
  }

  fileprivate mutating func note(_ code: EventCode) {
    events += 1
    if code == .report { frames += 1 }
    if code == .dropped { dropped += 1 }
  }
}
