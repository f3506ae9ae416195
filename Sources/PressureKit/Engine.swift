/// Turns the input events of one device into pressure events.
///
///     InputEvent ──▶ SlotTable ──Frame──▶ recognizers ──▶ EventBuffer
///                                           │     ▲
///                                           ▼     │
///                                   deadline ──▶ advance
///
/// The engine has no clock: time comes with the input events and from the caller, which calls
/// `advance(to:into:)` when `deadline` is due.
public struct Engine {
  private let device: DeviceID

  private var slots: SlotTable
  private var heaviest = Heaviest()
  private var maximumForce: MaximumForce
  private var presses: Presses
  private var weighing: Weighing
  private var rules: TouchRules
  private var actionGroups = FireOncePerGroup<String, Int>()

  /// The latest time seen; earlier timestamps are clamped to it.
  private var lastTime = Timestamp(microseconds: .min)

  /// The time of the last complete frame, request or deadline; nil before the first.
  public private(set) var time: Timestamp?

  /// The configuration that takes effect with the next touch; nil if it is in effect already.
  private var nextConfiguration: Configuration?

  /// The settings that take effect when the surface is empty; nil if they are in effect already.
  private var nextSettings: DeviceSettings?

  /// The calibration that takes effect when the surface is empty.
  private var nextFit: CalibrationFit?

  /// Creates an engine for an empty surface.
  ///
  /// - Parameters:
  ///   - surface: the abilities of the device.
  ///   - configuration: all settings.
  ///   - device: the device's ID, if it differs from the one derived from its description.
  ///   - scale: the stored state of the device's scale.
  ///   - clicks: what is known of the pad's own clicks.
  public init(
    surface: Surface, configuration: Configuration = Configuration(), device: DeviceID? = nil,
    scale: ScaleMemory = ScaleMemory(), clicks: ClickForce = ClickForce()
  ) {
    self.device = device ?? DeviceID(surface.description)
    slots = SlotTable(surface: surface)
    maximumForce = MaximumForce(slotCount: surface.slotCount)
    rules = TouchRules(configuration, device: self.device)
    presses = Presses(on: surface, rules: rules, clicks: clicks)
    weighing = Weighing(configuration.scale, on: surface, memory: scale)
    _ = slots.adopt(rules.press)
  }

  /// Processes one input event.
  ///
  /// Appends the events of all deadlines due before it, then the events that it causes itself. Timestamps that go
  /// backwards are clamped.
  @inline(__always)
  public mutating func receive(_ event: InputEvent, into output: inout EventBuffer) {
    // Within a frame no deadline becomes due and values are only buffered.
    if event.time <= lastTime, !event.code.isSynchronization { return slots.buffer(event) }
    advance(with: event, into: &output)
  }

  package mutating func receive(
    _ events: borrowing Span<InputEvent>, into output: inout EventBuffer
  ) {
    for index in events.indices { receive(events[index], into: &output) }
  }

  /// Processes an event that is later than all before, or that ends a frame.
  @inline(never)
  private mutating func advance(with event: InputEvent, into output: inout EventBuffer) {
    var event = event
    if event.time > lastTime {
      lastTime = event.time
      advance(to: event.time, into: &output)
    } else {
      event.time = lastTime
    }
    if event.code == .report { time = event.time }
    if slots.receive(event) { recognize(into: &output) }
  }

  /// Cancels all contacts, when the device is removed or the recording ends.
  ///
  /// Values of an incomplete frame, and its time, are dropped.
  public mutating func cancelAll(at time: Timestamp, into output: inout EventBuffer) {
    let time = max(time, self.time ?? time)
    advance(to: time, into: &output)
    (lastTime, self.time) = (max(time, lastTime), time)
    if slots.cancelAll(at: time) { recognize(into: &output) }
  }

  /// Begins the touches on the surface anew, as another person may touch it now: nothing that follows tells of the time before.
  ///
  /// Presses and maximum forces end, and do not begin again before their contacts are lifted. The scale is unchanged.
  public mutating func beginTouchesAnew(at time: Timestamp, into output: inout EventBuffer) {
    let time = advance(clampingTo: time, into: &output)
    guard !contacts.isEmpty else { return }
    slots.beginContactsAnew(at: time)
    let firstEvent = output.events.count
    maximumForce.end(contacts, at: time, into: &output)
    presses.cancelAll(in: slots.frame, at: time, into: &output)
    performActions(from: firstEvent, into: &output)
  }

  /// The order of events within a frame is part of the protocol: ends of contacts follow the change of the heaviest
  /// contact, and the scale is last.
  private mutating func recognize(into output: inout EventBuffer) {
    let frame = slots.frame
    let isSurfaceNew = frame.hasBeginning && adoptConfiguration(at: frame.time)
    let (heaviestChange, surface) = (heaviest.update(with: frame), slots.surface)
    if frame.isCapabilityChanged || isSurfaceNew {
      output.emit(.capability(surface.capability), at: frame.time)
    }
    emitBeginnings(of: frame, into: &output)
    if frame.isChanged {
      output.emit(.weight(report(of: frame, frame.contacts)), at: frame.time)
    }
    maximumForce.update(with: frame, on: surface, rules: rules, into: &output)
    let firstEvent = output.events.count
    presses.update(with: frame, on: surface, rules: rules, into: &output)
    performActions(from: firstEvent, into: &output)
    if let heaviestChange {
      output.emit(
        .heaviest(heaviestChange.holder, previous: heaviestChange.previous), at: frame.time)
    }
    for contact in frame.ended.dropLast(frame.replacedCount) {
      output.emit(.contact(contact), at: frame.time)
    }
    weighing.update(with: frame, on: surface, into: &output)
    guard frame.contacts.isEmpty else { return }
    adoptSettings(at: frame.time, into: &output)
    guard slots.adoptEvidence() else { return }
    output.emit(.capability(slots.surface.capability), at: frame.time)
    weighing.adopt(slots.surface, at: frame.time, into: &output)
  }

  // MARK: - Time

  /// The time at which `advance(to:into:)` is due although the device sends nothing; nil if there is none.
  public var deadline: Timestamp? { .earliest(presses.deadline, weighing.deadline) }

  /// Fires all deadlines up to `time`, the earliest first; each event has the time of its deadline.
  public mutating func advance(to time: Timestamp, into output: inout EventBuffer) {
    while let deadline, deadline <= time {
      let firstEvent = output.events.count
      if slots.decideThumbs(at: deadline) {
        presses.updateAll(with: slots.frame, on: slots.surface, into: &output)
      }
      presses.deadlineReached(deadline, after: slots.frame, on: slots.surface, into: &output)
      performActions(from: firstEvent, into: &output)
      if deadline == weighing.deadline { weighing.evaluate(at: deadline, into: &output) }
      lastTime = max(deadline, lastTime)
      self.time = max(deadline, self.time ?? deadline)
    }
  }

  /// Advances to `time` and fires due deadlines; returns the time, clamped so that no later event precedes it.
  package mutating func advance(
    clampingTo time: Timestamp, into output: inout EventBuffer
  ) -> Timestamp {
    let time = max(time, lastTime)
    advance(to: time, into: &output)
    (lastTime, self.time) = (time, time)
    return time
  }

  // MARK: - Configuration

  /// Applies a configuration from the next touch on; current contacts keep theirs.
  ///
  /// Effective maximum and full scale are common to all contacts, so they change when the surface is empty, with
  /// a capability event. The scale's settings change at once on an empty surface, whose zero may be requested next.
  public mutating func configure(
    _ configuration: Configuration, at time: Timestamp, into output: inout EventBuffer
  ) {
    let time = advance(clampingTo: time, into: &output)
    nextConfiguration = configuration
    nextSettings = configuration.settings(for: device.text)
    if contacts.isEmpty { weighing.configure(configuration.scale, at: time) }
    adoptSettings(at: time, into: &output)
  }

  /// Returns whether that changes the surface's abilities.
  private mutating func adoptConfiguration(at time: Timestamp) -> Bool {
    guard let configuration = nextConfiguration else { return false }
    nextConfiguration = nil
    rules = TouchRules(configuration, device: device)
    weighing.configure(configuration.scale, at: time)
    return slots.adopt(rules.press)
  }

  /// Adopts the settings and the calibration that wait for an empty surface.
  ///
  /// A contact is never weighed by two laws, as its peak would be meaningless.
  private mutating func adoptSettings(at time: Timestamp, into output: inout EventBuffer) {
    guard contacts.isEmpty else { return }
    if let settings = nextSettings {
      nextSettings = nil
      if slots.adopt(settings) { output.emit(.capability(surface.capability), at: time) }
      weighing.adopt(surface, at: time, into: &output)
    }
    if let fit = nextFit {
      nextFit = nil
      slots.calibrate(by: fit)
      output.emit(.capability(surface.capability), at: time)
      weighing.adopt(surface, at: time, into: &output)
    }
  }

  // MARK: - Calibration

  /// Applies a calibration as soon as the surface is empty, with a capability event.
  public mutating func calibrate(
    by fit: CalibrationFit, at time: Timestamp, into output: inout EventBuffer
  ) {
    let time = advance(clampingTo: time, into: &output)
    nextFit = fit
    adoptSettings(at: time, into: &output)
  }

  /// Seconds since 1970 at the timestamp 0 of the device's events; nil if unknown, as for a recording.
  ///
  /// The age of a calibration is known by it.
  public var dateAtZero: Int64? {
    get { weighing.dateAtZero }
    set { weighing.dateAtZero = newValue }
  }

  /// Seconds since 1970 at a time; nil if unknown.
  package func date(at time: Timestamp) -> Int64? { weighing.date(at: time) }

  /// Compares the stable reading with a known weight; the errors of readings follow at once.
  ///
  /// - Parameters:
  ///   - grams: the known weight.
  ///   - tolerance: its tolerance, as a fraction; nil for the usual one.
  ///   - time: the current time.
  ///   - output: receives the reading with its new error.
  /// - Returns: the check, which `surface.fit` now contains.
  /// - Throws: `ScaleError`; nothing has changed then.
  public mutating func recordCheck(
    _ grams: Double, tolerance: Double? = nil, at time: Timestamp, into output: inout EventBuffer
  ) throws(ScaleError) -> CalibrationCheck {
    let time = advance(clampingTo: time, into: &output)
    weighing.evaluate(at: time, into: &output)
    let check = try weighing.check(of: grams, tolerance: tolerance, at: time)
    guard let fit = surface.fit else { throw .notCalibrated }
    recalibrate(by: fit.adding(check), at: time, into: &output)
    return check
  }

  /// Takes the last check back; returns it, or nil if there is none.
  public mutating func takeBackCheck(
    at time: Timestamp, into output: inout EventBuffer
  ) -> CalibrationCheck? {
    let time = advance(clampingTo: time, into: &output)
    guard let fit = surface.fit, let shorter = fit.withoutLastCheck else { return nil }
    recalibrate(by: shorter, at: time, into: &output)
    return fit.checks.last
  }

  /// The same points convert values as before, so that contacts may stay.
  private mutating func recalibrate(
    by fit: CalibrationFit, at time: Timestamp, into output: inout EventBuffer
  ) {
    slots.recalibrate(by: fit)
    weighing.adopt(surface, at: time, into: &output)
  }

  // MARK: - State

  /// The abilities of the device.
  public var surface: Surface { slots.surface }

  /// The last frame.
  public var frame: Frame { slots.frame }

  /// The contacts on the surface as of the last frame.
  public var contacts: [Contact] { slots.frame.contacts }

  /// What is known of the pad's own clicks.
  public var clicks: ClickForce { presses.clicks }

  /// The heaviest contact; nil if there is none.
  public var heaviestContact: TrackingID? { heaviest.holder }

  // MARK: - Scale

  /// The reading that the scale shows, which may be held.
  public var scale: ScaleReading { weighing.shown }

  /// The held reading, or the current stable one, including a tared load; nil if there is neither.
  public var stableReading: ScaleReading? { weighing.stable }

  /// The time from which readings are reliable, as the filter then contains only values of the device.
  ///
  /// Nil before the first frame.
  package var scaleSettledAt: Timestamp? { weighing.settledAt }

  package var stableCount: Int { weighing.memory.stableCount }

  /// The state of the scale that outlives the device.
  public var scaleMemory: ScaleMemory { weighing.memory }

  /// The number of pieces on the scale, by a sample counted before; nil without a sample.
  public var pieces: Int? { weighing.pieces }

  /// The uncertainty of the number of pieces; nil without a sample, or if the error of the weight is unknown.
  public var piecesError: Double? { weighing.piecesError }

  /// Why there is no stable reading, as a clause for people.
  package var reasonForNoReading: String { weighing.reasonForNoReading }

  /// Performs a request on the scale immediately, based on the current reading.
  ///
  /// - Throws: `ScaleError`; the state of the scale is then unchanged.
  public mutating func perform(
    _ request: ScaleRequest, at time: Timestamp, into output: inout EventBuffer
  ) throws(ScaleError) {
    let time = advance(clampingTo: time, into: &output)
    try weighing.perform(request, at: time, into: &output)
  }

  // MARK: - Events of a frame

  /// Performs the actions bound to the stages that presses have entered, once per entry, and before the end of the press.
  ///
  /// An action that the scale rejects is not emitted; a press has no caller to report the error to.
  private mutating func performActions(from firstEvent: Int, into output: inout EventBuffer) {
    guard rules.bindsActions else { return }
    var (index, end, performed) = (firstEvent, output.events.count, Int?.none)
    while index < end {
      defer { index += 1 }
      guard case .press(let press) = output.events[index].kind else { continue }
      if press.hasEnded {
        actionGroups.release(press.contact.order)
        if performed == press.contact.order {
          // A tap may start and end in one frame.
          output.moveToEnd(index)
          (index, end) = (index - 1, end - 1)
          continue
        }
      }
      for action in rules.actions(for: press) {
        let fingers = action.trigger?.fingers ?? .any
        guard actionGroups.admits(press.contact.order, to: action.type, fingers: fingers) else {
          continue
        }
        performed = press.contact.order
        let time = output.events[index].time
        if let request = action.scaleRequest,
          (try? weighing.perform(request, at: time, into: &output)) == nil
        {
          continue
        }
        output.emit(.action(action), at: time)
      }
    }
  }

  private func emitBeginnings(of frame: Frame, into output: inout EventBuffer) {
    for contact in frame.ended.suffix(frame.replacedCount) {
      output.emit(.contact(contact.with(.began)), at: frame.time)
      output.emit(.contact(contact), at: frame.time)
    }
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began {
        output.emit(.contact(contact), at: frame.time)
      }
    }
    guard frame.transientCount > 0 else { return }
    for contact in frame.ended.dropLast(frame.replacedCount).suffix(frame.transientCount) {
      output.emit(.contact(contact.with(.began)), at: frame.time)
    }
  }

  @inline(__always)
  private func report(of frame: Frame, _ contacts: [Contact]) -> WeightReport {
    WeightReport(
      contacts: contacts, total: frame.total, center: frame.center,
      heaviest: heaviest.holder, sharesSensor: frame.sharesSensor)
  }

  /// The present weights, as the last frame has reported them.
  package var weights: WeightReport { report(of: frame, contacts) }

  /// The press of the contact with a tracking ID, as of the last frame or deadline; nil if it has not started, or has ended.
  package func press(of contact: Int32) -> Press? {
    var press = presses.current(in: frame).first { $0.contact.id.value == contact }
    press?.state = .changed
    return press
  }

  /// The present state of what touches the surface, as events in the order of a frame, without the beginnings of contacts.
  package func snapshot(at time: Timestamp) -> [Event] {
    guard !contacts.isEmpty else { return [] }
    let resting = contacts.map { $0.with(.stationary) }
    var events = [Event.Kind.weight(report(of: frame, resting))]
    events += maximumForce.reached(by: resting)
    events += presses.current(in: frame).map { .press($0) }
    if let heaviest = resting.first(where: { $0.id == heaviestContact }) {
      events.append(.heaviest(heaviest, previous: nil))
    }
    return events.map { Event(time: time, kind: $0) }
  }
}
