package import PressureDevices
package import PressureKit
package import PressureLoop
package import PressureProtocol

/// A device that clients hear of: what it is, what lies on it, and where its events come from.
///
/// Of what each frame needs the runtime keeps no book of who is at it, which would cost more than much of
/// what is done with it: there is one thread, and nothing that is called with a part of it comes back here.
package final class ServedDevice {
  /// Where the events come from.
  package enum Feed {
    /// A node of the kernel's, watched for as long as its source lives.
    case live(EvdevDevice, EventSource)
    /// A pipe that somebody writes to.
    case pipe(EventPipe)
    /// A recording that is played.
    case recording
    /// Nothing more will come.
    case closed
  }

  /// What waits for a bare surface.
  enum PendingChange {
    /// It goes on as it is.
    case none
    /// It is opened anew, as what it is, or how it is to be opened, has changed.
    case reopen
    /// It is left alone from then on.
    case close
  }

  /// Tells it from all devices that this daemon has served, also from those that are gone.
  package let number: Int

  /// What it has said so far, but for what libevdev has kept from us.
  @exclusivity(unchecked) var counts = DeviceCounts()

  /// When it was opened.
  let since: Timestamp

  /// When readings are no longer waited for, in microseconds of CLOCK_MONOTONIC.
  var settlingEndsAt: Int64

  @exclusivity(unchecked) package var device: Device
  @exclusivity(unchecked) package private(set) var engine: Engine
  var feed: Feed
  let batch = Batch()

  /// Whether it was said that it uses a small part of its range.
  var hasWarnedAboutRange = false

  /// What is to become of it as soon as nothing touches it, as the configuration is another one.
  var pendingChange = PendingChange.none

  /// Whose its touches are.
  package var grab = Grab.free

  /// Whose request it does at this moment.
  package var origin: RequestOrigin?

  /// Known weights being laid on, if somebody does that.
  @exclusivity(unchecked) package var calibration: CalibrationInProgress?

  /// The time of its last frame; before the first, when it was opened.
  package private(set) var time: Timestamp

  @exclusivity(unchecked) private var output = EventBuffer()
  private var stableCount = 0

  init(
    number: Int, device: Device, engine: Engine, feed: Feed, openedAt: Timestamp,
    settlingEndsAt: Int64
  ) {
    self.number = number
    self.device = device
    self.engine = engine
    self.feed = feed
    self.settlingEndsAt = settlingEndsAt
    since = openedAt
    time = openedAt
  }

  /// What it has said so far.
  var totalCounts: DeviceCounts {
    var counts = counts
    if case .live(let live, _) = feed { counts.dropped += live.lossCount }
    return counts
  }

  package var id: DeviceID { device.id }

  /// Whether anything makes grams of what it reports.
  var canWeigh: Bool { engine.surface.calibration != nil }

  /// Lets go of where its events come from.
  func closeFeed() {
    counts = totalCounts
    feed = .closed
  }

  /// A moment, or where something waits that happened before it, the moment of that.
  private func clampedToUnread(_ time: Timestamp) -> Timestamp {
    switch feed {
    case .live(let live, _): min(time, live.aheadTime ?? time)
    case .pipe(let pipe): min(time, pipe.aheadTime ?? time)
    case .recording, .closed: time
    }
  }

  package func receive(_ event: InputEvent) {
    counts.note(event.code)
    engine.receive(event, into: &output)
    if event.code == .report, calibration != nil { calibration?.session.update(with: engine.frame) }
  }

  /// Weighs by known weights from the next touch on.
  package func calibrate(by fit: CalibrationFit, at time: Timestamp) {
    engine.calibrate(by: fit, at: clampedToUnread(time), into: &output)
  }

  /// Takes events until there are no more.
  ///
  /// All in one go, as the runtime keeps a book of who is at an object's memory.
  package func receive(_ next: () -> InputEvent?) {
    guard calibration == nil else {
      while let event = next() { receive(event) }
      return
    }
    ServedDevice.receiveAll(next, to: &engine, &output, &counts)
  }

  private static func receiveAll(
    _ next: () -> InputEvent?, to engine: inout Engine, _ output: inout EventBuffer,
    _ counts: inout DeviceCounts
  ) {
    while let event = next() {
      counts.note(event.code)
      engine.receive(event, into: &output)
    }
  }

  /// Lets the deadlines speak that have come although the device is silent.
  func advance(to time: Timestamp) {
    engine.advance(to: clampedToUnread(time), into: &output)
  }

  /// Comes to the time of something that is not the engine's, so that nothing after it is earlier.
  package func advance(clampingTo time: Timestamp) -> Timestamp {
    self.time = max(
      self.time,
      engine.advance(
        clampingTo: max(clampedToUnread(time), self.time), into: &output))
    return self.time
  }

  /// When its scale's readings may be relied on, in microseconds of CLOCK_MONOTONIC; nil if they may now.
  ///
  /// At least a millisecond later, so that events that are still to be read come first.
  func settlingDeadline(after now: Int64) -> Int64? {
    guard now < settlingEndsAt else { return nil }
    guard let settled = engine.scaleSettledAt else { return settlingEndsAt }
    guard settled > clampedToUnread(Timestamp(microseconds: now)) else { return nil }
    return min(max(settled.microseconds, now + 1000), settlingEndsAt)
  }

  /// Does what is asked of its scale.
  package func perform(_ request: ScaleRequest, at time: Timestamp) throws(ScaleError) {
    try engine.perform(request, at: clampedToUnread(time), into: &output)
  }

  /// What `weigh` answers that has waited since so many stable readings; nil if it has to go on waiting.
  func reading(after count: Int) -> ScaleReading? {
    let shown = engine.scale
    return shown.isHeld ? shown : engine.scaleMemory.stable(after: count) ?? engine.stableReading
  }

  /// Whether its scale has had a stable reading since this was asked last.
  func hasNewStableReading() -> Bool {
    let before = stableCount
    stableCount = engine.stableCount
    return stableCount != before
  }

  /// Ends all contacts, as nothing more will be heard of them.
  package func cancelAll(at time: Timestamp) {
    engine.cancelAll(at: time, into: &output)
  }

  /// When a pulse is due for the pending events: each time a contact reaches the maximum, and each time a press
  /// reaches one of the stages, but once at most for the stages and the maximum of one moment.
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

  /// Encodes what the engine has said since and somebody wants; false where that is nothing.
  package func encode(wanted: UInt16) -> Bool {
    time = max(time, engine.time ?? time)
    guard !output.isEmpty else { return false }
    let events = output.events
    if events.indices.contains(where: { events[$0].mayChangeSurface }) {
      device.surface = engine.surface
    }
    batch.encode(output, of: id, device: device, wanted: wanted, origin: origin)
    output.removeAll()
    counts.lines += batch.lines.count
    counts.bytes += batch.byteCount
    return !batch.lines.isEmpty
  }

  /// Goes by another configuration from the next touch on.
  func configure(_ configuration: Configuration, at time: Timestamp) {
    engine.configure(configuration, at: clampedToUnread(time), into: &output)
  }

  /// Begins anew with empty slots, and as another surface where one is given.
  package func restart(
    as surface: Surface? = nil, configuration: Configuration, settlingEndsAt: Int64
  ) {
    self.settlingEndsAt = settlingEndsAt
    engine = Engine(
      surface: surface ?? engine.surface, configuration: configuration, device: id,
      scale: engine.scaleMemory)
    device.surface = engine.surface
  }
}

extension DeviceCounts {
  fileprivate mutating func note(_ code: EventCode) {
    events += 1
    if code == .report { frames += 1 }
    if code == .dropped { dropped += 1 }
  }
}
