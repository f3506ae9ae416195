/// Collects the values of each slot and builds a frame at each SYN_REPORT.
///
/// Only this type and `Slot` handle raw slots and empty tracking IDs. Each slot has two states:
///
///     events ──▶ pending ──SYN_REPORT──▶ committed ──▶ Contact ──▶ Frame
///                   ▲                        │
///                   └──────SYN_DROPPED───────┘
///
/// SYN_DROPPED occurs only in pipes and recordings, where lost state cannot be queried; libevdev resynchronizes
/// devices. All contacts are then cancelled, as their ends may be among the lost events. A contact that is still
/// there begins again with the next changed value of its slot. As the current slot may have changed among the lost events,
/// values are ignored until the next ABS_MT_SLOT.
///
/// The kernel sends only changes, so values persist across frames and from one contact of a slot to the next.
struct SlotTable {
  private(set) var frame = Frame()
  private(set) var surface: Surface
  private var slots: [Slot]

  /// Most events only set one value of the current slot; its values are stored in the table before slots are read.
  private var current: Int
  private var currentValues = SlotValues()

  private var pressureForAll = Buffered<Int32>(0)
  private var fingers = Buffered(FingerCount())

  /// Whether contacts are no palms whatever the device states.
  private let ignoresToolType: Bool
  private var click = Buffered(false)

  private var ignoresThumbs = true

  /// The contacts that began and ended after the last frame.
  private var transients: [(slot: Int, id: TrackingID, values: SlotValues, pressureForAll: Int32)] =
    []
  private var sharerCount = 1
  private var isDropping = false

  /// Whether ABS_MT_SLOT was received since events were lost.
  private var isSlotKnown = true

  /// Whether values are ignored: in a frame whose beginning is lost, and after it while the slot is unknown.
  private var isIgnoring = false
  private var hasLostContacts = false
  private var contactCount = 0
  private var nextSingleID: Int32 = 0
  private var isTouchKnown = false
  private var rangeMonitor: RangeMonitor
  private var monitor: EvidenceMonitor

  init(surface: Surface) {
    self.surface = surface
    slots = Array(repeating: Slot(), count: surface.slotCount)
    current = Int(surface.hasSlots ? surface.description.currentSlot : 0)
    ignoresToolType =
      surface.description.quirk?.missingAxes.contains(EventCode.toolType.code) ?? false
    rangeMonitor = RangeMonitor(
      surface.pressure, isStuck: surface.isStuck, isConstant: surface.evidence.isConstant)
    monitor = EvidenceMonitor(surface)
    loadCurrentValues()
  }

  /// Processes one event; returns true if it completes a frame, which is then in `frame`.
  mutating func receive(_ event: InputEvent) -> Bool {
    switch event.code {
    case .report: return report(at: event.time)
    case .dropped:
      restore()
      for index in slots.indices { slots[index].markLost() }
      (isDropping, isIgnoring, hasLostContacts) = (true, true, true)
      isSlotKnown = slots.count == 1
    default: buffer(event)
    }
    return false
  }

  /// Uses a calibration that differs only in its checks.
  mutating func recalibrate(by fit: CalibrationFit) { surface.calibrate(by: fit) }

  /// Uses a calibration from now on; the surface must be empty.
  mutating func calibrate(by fit: CalibrationFit) {
    surface.calibrate(by: fit)
    frame.total = surface.calibration?.zeroWeight
  }

  mutating func beginContactsAnew(at time: Timestamp) {
    for index in frame.contacts.indices {
      let (slot, weight) = (frame.contacts[index].slot, frame.contacts[index].weight)
      frame.contacts[index].beginAnew(at: time, weighing: weight)
      slots[slot].contact?.beginAnew(at: time, weighing: weight)
    }
  }

  /// Cancels all contacts at the end of the device or recording; returns whether there were any.
  mutating func cancelAll(at time: Timestamp) -> Bool {
    for index in slots.indices { slots[index].lostID = -1 }
    hasLostContacts = false
    click = Buffered(false)
    return cancelContacts(at: time)
  }

  private mutating func cancelContacts(at time: Timestamp) -> Bool {
    restore()
    frame.reset(at: time, total: surface.calibration?.zeroWeight)
    for index in slots.indices {
      slots[index].vacate(as: .cancelled, sharers: sharerCount, into: &frame)
      slots[index].empty()
    }
    loadCurrentValues()
    fingers = Buffered(FingerCount())
    isDropping = false
    isIgnoring = !isSlotKnown
    return frame.isChanged
  }

  // MARK: - Settings

  /// Sets which presses are simulated and whether thumbs count; returns whether that changes the surface's abilities.
  mutating func adopt(_ press: PressConfiguration) -> Bool {
    ignoresThumbs = press.rules.ignoresThumbs
    let before = surface.simulatesPress
    surface.findings.simulation = press.simulation
    return surface.simulatesPress != before
  }

  /// Adopts what the values so far have shown, for which the surface must be empty; returns whether that changes it.
  mutating func adoptEvidence() -> Bool {
    surface.findings.narrowMaximum = rangeMonitor.narrowMaximum(of: surface.pressure)
    var evidence = monitor.evidence
    evidence.usedMaximum = surface.evidence.usedMaximum
    evidence.isConstant = surface.evidence.isConstant
    let isOther = evidence != surface.evidence
    if isOther { surface.adopt(evidence) }
    // The maximum grows in steps, so that not every press that is the hardest so far changes all others.
    guard let used = rangeMonitor.usedMaximum(of: surface.pressure),
      Double(used) > Double(surface.evidence.usedMaximum ?? 0) * 1.1
    else { return isOther }
    return surface.learn(maximum: used) || isOther
  }

  /// Applies other settings, for which the surface must be empty; returns whether it changed.
  mutating func adopt(_ settings: DeviceSettings) -> Bool {
    let other = surface.applying(settings)
    defer { surface = other }
    return surface != other
  }

  // MARK: - Between reports

  /// Most events of a device end here, so rare cases are in a separate function that is not inlined.
  @inline(__always)
  mutating func buffer(_ event: InputEvent) {
    guard !isIgnoring, surface.hasSlots else { return bufferRare(event) }
    switch event.code {
    case .slot: select(slot: Int(event.value))
    case .trackingID: setTrackingID(event.value)
    case .positionX: currentValues.x = event.value
    case .positionY: currentValues.y = event.value
    case .pressure:
      rangeMonitor.update(with: event.value)
      currentValues.pressure = event.value
    case .toolType: if !ignoresToolType { currentValues.tool = event.value }
    case .distance: currentValues.distance = event.value
    case .touchMajor: currentValues.major = event.value
    default: bufferRare(event)
    }
  }

  @inline(never)
  private mutating func bufferRare(_ event: InputEvent) {
    guard !isDropping else { return bufferAfterLoss(event) }
    guard !isIgnoring else { return bufferWithoutSlot(event) }
    switch event.code {
    case .touchMinor where surface.hasSlots: currentValues.minor = event.value
    case .widthMajor where surface.hasSlots: currentValues.width = event.value
    case .orientation where surface.hasSlots: currentValues.orientation = event.value
    case .x where !surface.hasSlots: currentValues.x = event.value
    case .y where !surface.hasSlots: currentValues.y = event.value
    case .singlePressure where !surface.hasSlotPressure:
      rangeMonitor.update(with: event.value)
      pressureForAll.pending = event.value
    case .touch where !surface.hasSlots:
      isTouchKnown = true
      setTouch(event.value != 0)
    default: bufferKey(event)
    }
  }

  private mutating func bufferKey(_ event: InputEvent) {
    if event.code == .leftButton, surface.clicksBySurface {
      click.pending = event.value != 0
    } else {
      fingers.pending.update(with: event)
    }
  }

  /// Drops the rest of a frame whose beginning is lost, but follows the current slot.
  private mutating func bufferAfterLoss(_ event: InputEvent) {
    guard surface.hasSlots else { return }
    switch event.code {
    case .slot:
      current = Int(event.value)
      isSlotKnown = true
      loadCurrentValues()
    case .trackingID where isSlotKnown && slots.indices.contains(current):
      slots[current].lostID = TrackingID(event.value)?.value ?? -1
    default: break
    }
  }

  /// Ignores values of contacts after a loss until their slot is known.
  private mutating func bufferWithoutSlot(_ event: InputEvent) {
    guard event.code == .slot else {
      if event.code.type != EventCode.slot.type { bufferKey(event) }
      return
    }
    (isSlotKnown, isIgnoring) = (true, false)
    select(slot: Int(event.value))
  }

  @inline(never)
  private mutating func select(slot index: Int) {
    storeCurrentValues()
    current = index
    loadCurrentValues()
  }

  // libevdev and the recording parsers reject slots that do not exist. An untrusted stream may contain them; their
  // values are dropped.
  @inline(__always)
  private mutating func storeCurrentValues() {
    if slots.indices.contains(current) { slots[current].setPending(currentValues) }
  }

  @inline(__always)
  private mutating func loadCurrentValues() {
    currentValues = slots.indices.contains(current) ? slots[current].pending : SlotValues()
  }

  @inline(never)
  private mutating func setTrackingID(_ value: Int32) {
    guard slots.indices.contains(current) else { return }
    slots[current].lostID = -1
    let old = TrackingID(currentValues.id)
    let new = TrackingID(value)
    guard old != new else { return }
    if let old { lift(old) }
    currentValues.id = new?.value ?? -1
  }

  /// No device sends more in one frame; an untrusted stream may send a frame without end.
  private static let maximumTransients = Surface.maximumSlots

  /// Ends the contact of the last frame, or one that began after it and was in no frame.
  private mutating func lift(_ id: TrackingID) {
    if !slots[current].isLifted, slots[current].committed.id == id.value {
      slots[current].isLifted = true
    } else if currentValues.tool != SlotValues.palm, transients.count < SlotTable.maximumTransients
    {
      transients.append((current, id, currentValues, pressureForAll.pending))
    }
  }

  /// Assigns tracking IDs for single-touch devices, which have none.
  private mutating func setTouch(_ isDown: Bool) {
    slots[current].lostID = -1
    guard isDown != (currentValues.id >= 0) else { return }
    setTrackingID(isDown ? nextSingleID : -1)
    if isDown { nextSingleID = nextSingleID == .max ? 0 : nextSingleID + 1 }
  }

  /// Until BTN_TOUCH is received: a recording may start during a touch, and its header may not list that key.
  private mutating func touchByPressure() {
    guard !surface.hasSlots, !isTouchKnown, let axis = surface.pressure?.axis else { return }
    setTouch(pressureForAll.pending > axis.minimum)
  }

  private mutating func restore() {
    for index in slots.indices { slots[index].restore() }
    loadCurrentValues()
    pressureForAll.restore()
    fingers.restore()
    click.restore()
    transients.removeAll(keepingCapacity: true)
  }

  // MARK: - Reports

  private mutating func report(at time: Timestamp) -> Bool {
    guard !isDropping else { return cancelLost(at: time) }
    touchByPressure()
    storeCurrentValues()
    if hasLostContacts { recoverLost() }
    frame.reset(at: time, total: surface.calibration?.zeroWeight)
    noteStuck()
    let isSharedPressureNew = pressureForAll.commit()
    apply(
      Report(
        time: time, surface: surface, pressureForAll: pressureForAll.committed,
        isPressureNew: isSharedPressureNew, sharerCount: sharerCount))
    _ = fingers.commit()
    frame.isClicked = click.pending
    frame.hasClicked = click.commit() && click.committed
    countFingers()
    if isSharedPressureNew, !frame.contacts.isEmpty { frame.isChanged = true }
    if monitor.isWatching(frame.contacts.count) {
      monitor.update(with: frame.contacts, length: slots[frame.contacts[0].slot].committed.major)
      frame.mayCarryTotal = monitor.total.isPossible && frame.contacts.count > 1
    }
    for contact in frame.ended
    where contact.phase == .ended && contact.countsAsTouch && contact.raw != nil {
      rangeMonitor.countCompletedContact(peak: contact.peakForce)
    }
    noteStuck()
    distributeWeight()
    return true
  }

  private mutating func cancelLost(at time: Timestamp) -> Bool {
    isTouchKnown = false
    // The last value of a shared sensor may belong to a touch that has ended.
    pressureForAll = Buffered(surface.pressure?.axis.minimum ?? 0)
    return cancelContacts(at: time)
  }

  private mutating func recoverLost() {
    for index in slots.indices { slots[index].recover() }
    hasLostContacts = slots.contains { $0.lostID >= 0 }
    loadCurrentValues()
  }

  private mutating func apply(_ report: Report) {
    guard !transients.isEmpty else {
      return slots.apply(report, contactCount: &contactCount, into: &frame)
    }
    // Contacts are numbered in the order in which they begin.
    let replaced = transientContacts(report, areReplaced: true)
    slots.apply(report, contactCount: &contactCount, into: &frame)
    let others = transientContacts(report, areReplaced: false)
    for contact in others + replaced { frame.end(contact, as: .ended) }
    (frame.transientCount, frame.replacedCount) = (others.count, replaced.count)
    transients.removeAll(keepingCapacity: true)
  }

  /// The contacts that began and ended in this frame, and either were replaced in their slot or were not.
  private mutating func transientContacts(_ report: Report, areReplaced: Bool) -> [Contact] {
    var report = report
    var contacts: [Contact] = []
    for one in transients where (slots[one.slot].pending.id >= 0) == areReplaced {
      report.pressureForAll = one.pressureForAll
      var contact = Contact(
        one.values, in: one.slot, one.id, by: report, contactCount: &contactCount)
      contact.notePeak(weight: contact.weight)
      contacts.append(contact)
    }
    return contacts
  }

  private mutating func noteStuck() {
    guard surface.isStuck != rangeMonitor.isStuck else { return }
    surface.findings.evidence.isConstant = rangeMonitor.isConstant
    surface.findings.isStuck = rangeMonitor.isStuck
    frame.isCapabilityChanged = true
  }

  private mutating func distributeWeight() {
    frame.distributeWeight(on: surface, pressureForAll: pressureForAll.committed)
    sharerCount = frame.sharesSensor ? frame.contacts.count : 1
    if !surface.isPerContact { slots.notePeaks(of: frame.contacts) }
  }

  /// Decides whether contacts are thumbs at rest, if it is due and no report has come since; returns whether it was.
  ///
  /// The frame then is one in which nothing else changes.
  mutating func decideThumbs(at time: Timestamp) -> Bool {
    guard let due = frame.undecidedUntil, due <= time else { return false }
    frame.rest(at: time)
    for index in frame.contacts.indices {
      slots[frame.contacts[index].slot].markThumb(index, at: time, on: surface, in: &frame)
    }
    countFingers()
    return true
  }

  @inline(__always)
  private mutating func countFingers() {
    if frame.thumbCount > 0 { frame.excludeThumbs(ignoresThumbs) }
    // The device's count includes everything with a slot, also palms and hovering contacts.
    frame.fingers = max(fingers.committed.count - frame.nonFingerCount, frame.fingers)
  }
}
