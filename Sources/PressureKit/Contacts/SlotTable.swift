/// Keeps what the kernel has said of each slot and makes a frame of it at each SYN_REPORT.
///
/// The only place that knows raw slots and empty tracking ids. Of every slot there are two states:
///
///     events ──▶ staged ──SYN_REPORT──▶ committed ──▶ Contact ──▶ Frame
///                  ▲                        │
///                  └──────SYN_DROPPED───────┘
///
/// A SYN_DROPPED comes only in pipes and recordings, where nothing can be asked for what was lost; what libevdev
/// gives of a device is whole. All contacts are cancelled then, as their ends may be among it. One that is there
/// still begins again as soon as a value of its slot changes.
///
/// Only changes are sent, so values stay: over frames, and from one contact of a slot to the next.
struct SlotTable {
  /// A contact that comes and goes within a frame, with the values that it had when it went.
  private struct Brief {
    let slot: Int
    let id: TrackingID
    let values: SlotValues
    let pressureForAll: Int32
  }

  private(set) var frame = Frame()
  private(set) var surface: Surface
  private var slots: [Slot]

  /// The slot that values are said of, and what is said of it, which is put back before slots are looked
  /// at: most events are but a value of the slot in hand.
  private var current: Int
  private var hand = SlotValues()

  private var pressureForAll = Staged<Int32>(0)
  private var fingers: FingerCount
  private var brief: [Brief] = []
  private var sharers = 1
  private var isDropping = false

  /// Whether a slot was named since events were lost.
  private var isSlotNamed = false

  /// Whether contacts were lost that may be there still.
  private var hasLost = false
  private var born = 0
  private var nextSingleID: Int32 = 0
  private var isTouchKnown = false
  private var witness: RangeMonitor

  init(surface: Surface) {
    self.surface = surface
    slots = Array(repeating: Slot(), count: surface.slotCount)
    current = Int(surface.hasSlots ? surface.description.currentSlot : 0)
    fingers = FingerCount()
    witness = RangeMonitor(surface.pressure, isStuck: surface.isStuck)
    pickUp()
  }

  /// Keeps one value; true when it completes a frame that `frame` then holds.
  mutating func receive(_ event: InputEvent) -> Bool {
    switch event.code {
    case .report: return report(at: event.time)
    case .dropped:
      restore()
      for index in slots.indices { slots[index].noteLoss() }
      (isDropping, isSlotNamed, hasLost) = (true, false, true)
    default: stage(event)
    }
    return false
  }

  /// Weighs by known weights from now on, on a surface on which nothing lies.
  mutating func calibrate(by fit: CalibrationFit) {
    surface.calibrate(by: fit)
    frame.total = surface.calibration?.nothing
  }

  /// Cancels every contact: the device is gone, or the recording is over.
  mutating func cancelAll(at time: Timestamp) -> Bool {
    for index in slots.indices { slots[index].lostID = -1 }
    hasLost = false
    return cancelContacts(at: time)
  }

  private mutating func cancelContacts(at time: Timestamp) -> Bool {
    restore()
    begin(frameAt: time)
    let report = report(at: time, isPressedAnew: false)
    for index in slots.indices {
      slots[index].vacate(as: .cancelled, by: report, into: &frame)
      slots[index].empty()
    }
    pickUp()
    fingers = FingerCount()
    isDropping = false
    return frame.isChanged
  }
}

// MARK: - The settings

extension SlotTable {
  /// Makes presses up where this says so; true where the surface's abilities change with it.
  mutating func simulate(_ simulation: PressConfiguration.Simulation) -> Bool {
    let before = surface.simulatesPress
    surface.simulation = simulation
    return surface.simulatesPress != before
  }

  /// Reads the surface by other settings, for which it must be empty; true where that changes it.
  mutating func adopt(_ settings: DeviceSettings) -> Bool {
    let other = surface.under(settings)
    defer { surface = other }
    return surface != other
  }
}

// MARK: - Between two reports

extension SlotTable {
  /// Keeps one value until the next report.
  ///
  /// Of all that a device sends this is the most, so whatever is more than to keep it is a function apart.
  @inline(__always)
  mutating func stage(_ event: InputEvent) {
    guard !isDropping, surface.hasSlots else { return stageRare(event) }
    switch event.code {
    case .slot: take(Int(event.value))
    case .trackingID: identify(event.value)
    case .positionX: hand.x = event.value
    case .positionY: hand.y = event.value
    case .pressure:
      witness.see(event.value)
      hand.pressure = event.value
    case .toolType: hand.tool = event.value
    case .distance: hand.distance = event.value
    case .touchMajor: hand.major = event.value
    default: stageRare(event)
    }
  }

  @inline(never)
  private mutating func stageRare(_ event: InputEvent) {
    guard !isDropping else { return stageAfterLoss(event) }
    switch event.code {
    case .touchMinor where surface.hasSlots: hand.minor = event.value
    case .widthMajor where surface.hasSlots: hand.width = event.value
    case .orientation where surface.hasSlots: hand.orientation = event.value
    case .x where !surface.hasSlots: hand.x = event.value
    case .y where !surface.hasSlots: hand.y = event.value
    case .singlePressure where surface.statesTotal: pressureForAll.staged = event.value
    case .singlePressure where !surface.hasSlots || !surface.isPerContact:
      witness.see(event.value)
      pressureForAll.staged = event.value
    case .touch where !surface.hasSlots:
      isTouchKnown = true
      touch(event.value != 0)
    default: fingers.stage(event)
    }
  }

  /// The rest of a frame whose beginning is lost does not count, but says where the next one goes on.
  private mutating func stageAfterLoss(_ event: InputEvent) {
    guard surface.hasSlots else { return }
    switch event.code {
    case .slot:
      current = Int(event.value)
      isSlotNamed = true
      pickUp()
    case .trackingID where isSlotNamed && slots.indices.contains(current):
      slots[current].lostID = TrackingID(event.value)?.value ?? -1
    default: break
    }
  }

  /// Takes another slot in hand.
  @inline(never)
  private mutating func take(_ index: Int) {
    putBack()
    current = index
    pickUp()
  }

  // libevdev and the readers of recordings let no slot through that is not there; a stranger's stream
  // might, and what it says of that slot is said of nobody.
  @inline(__always)
  private mutating func putBack() {
    if slots.indices.contains(current) { slots[current].stage(hand) }
  }

  @inline(__always)
  private mutating func pickUp() {
    hand = slots.indices.contains(current) ? slots[current].staged : SlotValues()
  }

  @inline(never)
  private mutating func identify(_ value: Int32) {
    guard slots.indices.contains(current) else { return }
    slots[current].lostID = -1
    let old = TrackingID(hand.id)
    let new = TrackingID(value)
    guard old != new else { return }
    if let old { lift(old) }
    hand.id = new?.value ?? -1
  }

  /// No device sends more in a frame; a stranger's stream may be a frame without an end.
  private static let mostBrief = Surface.maximumSlots

  /// The contact of the last frame is lifted, or one that came down since and was never seen.
  private mutating func lift(_ id: TrackingID) {
    if !slots[current].isLifted, slots[current].committed.id == id.value {
      slots[current].isLifted = true
    } else if hand.tool != SlotValues.palm, brief.count < SlotTable.mostBrief {
      brief.append(
        Brief(slot: current, id: id, values: hand, pressureForAll: pressureForAll.staged))
    }
  }

  /// Single-touch devices have no ids, so they are counted here.
  private mutating func touch(_ isDown: Bool) {
    slots[current].lostID = -1
    guard isDown != (hand.id >= 0) else { return }
    identify(isDown ? nextSingleID : -1)
    if isDown { nextSingleID = nextSingleID == .max ? 0 : nextSingleID + 1 }
  }

  /// Until BTN_TOUCH is heard of, what presses touches.
  ///
  /// A recording may begin in mid-touch, and a header may know of no such key; a live device says at
  /// once whether it is touched.
  private mutating func touchByPressure() {
    guard !surface.hasSlots, !isTouchKnown, let axis = surface.pressure?.axis else { return }
    touch(pressureForAll.staged > axis.minimum)
  }

  private mutating func restore() {
    for index in slots.indices { slots[index].restore() }
    pickUp()
    pressureForAll.restore()
    fingers.restore()
    brief.removeAll(keepingCapacity: true)
  }
}

// MARK: - At a report

extension SlotTable {
  private mutating func report(at time: Timestamp) -> Bool {
    guard !isDropping else {
      return cancelLost(at: time)
    }
    touchByPressure()
    putBack()
    if hasLost { findLost() }
    begin(frameAt: time)
    setStuck(witness.isStuck)
    let isSumAnew = pressureForAll.commit()
    settle(by: report(at: time, isPressedAnew: isSumAnew && !surface.statesTotal))
    fingers.commit()
    // The device counts whatever has a slot, palms and what hovers among it.
    frame.fingers = max(fingers.count - frame.othersCount, frame.fingers)
    if isSumAnew, !frame.contacts.isEmpty { frame.isChanged = true }
    for contact in frame.gone where contact.phase == .ended && contact.isEvidence {
      witness.countWhole()
    }
    setStuck(witness.isStuck)
    surface.narrowMaximum = witness.narrowMaximum(of: surface.pressure)
    shareOut()
    return true
  }

  private mutating func cancelLost(at time: Timestamp) -> Bool {
    isTouchKnown = false
    // What a sensor for all said last may be of a touch that is over.
    pressureForAll = Staged(surface.pressure?.axis.minimum ?? 0)
    fingers = FingerCount()
    return cancelContacts(at: time)
  }

  private mutating func findLost() {
    for index in slots.indices { slots[index].findAgain() }
    hasLost = slots.contains { $0.lostID >= 0 }
    pickUp()
  }

  private func report(at time: Timestamp, isPressedAnew: Bool) -> Report {
    Report(
      time: time, surface: surface, pressureForAll: pressureForAll.committed,
      isPressedAnew: isPressedAnew, sharers: sharers)
  }

  private mutating func settle(by report: Report) {
    slots.settle(by: report, born: &born, into: &frame)
    guard !brief.isEmpty else { return }
    var report = report
    for one in brief {
      report.pressureForAll = one.pressureForAll
      var contact = Contact(one.values, in: one.slot, one.id, by: report, born: &born)
      contact.notePeak(weight: contact.weight)
      frame.part(with: contact, as: .ended)
      frame.briefCount += 1
    }
    brief.removeAll(keepingCapacity: true)
  }

  private mutating func setStuck(_ isStuck: Bool) {
    guard surface.isStuck != isStuck else { return }
    surface.isStuck = isStuck
    frame.isCapabilityChanged = true
  }

  private mutating func begin(frameAt time: Timestamp) {
    frame.time = time
    frame.contacts.removeAll(keepingCapacity: true)
    if !frame.gone.isEmpty { frame.gone.removeAll(keepingCapacity: true) }
    frame.briefCount = 0
    frame.hasBeginning = false
    frame.fingers = 0
    frame.othersCount = 0
    frame.hoveringCount = 0
    frame.isChanged = false
    frame.isCapabilityChanged = false
    frame.sharesSensor = false
    frame.total = surface.calibration?.nothing
    frame.load = frame.total
    frame.bareRaw = nil
  }

  /// Sums up what lies there; of one sensor's total each contact has an equal part.
  private mutating func shareOut() {
    frame.sharesSensor = !surface.isPerContact && frame.contacts.count > 1
    sharers = frame.sharesSensor ? frame.contacts.count : 1
    if frame.sharesSensor {
      frame.total = frame.contacts.first?.weight
      for index in frame.contacts.indices {
        let part = frame.contacts[index].weight?.shared(among: frame.contacts.count)
        frame.contacts[index].weight = part
      }
    } else {
      frame.total = statedTotal ?? sum
    }
    frame.load = frame.total
    if frame.contacts.isEmpty { readBare() }
    if !surface.isPerContact { notePeaks() }
  }

  /// What all contacts weigh together, each by itself.
  @inline(__always)
  private var sum: Weight? {
    guard let law = surface.calibration else { return nil }
    let contacts = frame.contacts.span
    guard !contacts.isEmpty else { return law.nothing }
    var sum = contacts[0].weight ?? law.nothing
    for place in 1..<contacts.count { sum = sum + (contacts[place].weight ?? law.nothing) }
    return sum
  }

  /// What the device says that all contacts weigh together; nil where it does not, or has not yet.
  @inline(__always)
  private var statedTotal: Weight? {
    let raw = pressureForAll.committed
    guard surface.statesTotal, !frame.contacts.isEmpty, let pressure = surface.pressure,
      raw > pressure.axis.minimum
    else { return nil }
    return surface.calibration?.weight(raw: raw, ratio: pressure.ratio(ofSum: raw))
  }

  /// What is read of a bare surface: nothing, but for a sensor of true force that stands for all of
  /// it, whose zero may drift.
  private mutating func readBare() {
    guard !surface.isPerContact, surface.capability == .force, let axis = surface.pressure
    else { return }
    let raw = pressureForAll.committed
    frame.bareRaw = raw
    frame.load = surface.calibration?.weight(raw: raw, ratio: axis.force(of: raw).ratio)
  }

  private mutating func notePeaks() {
    for contact in frame.contacts {
      slots[contact.slot].contact?.notePeak(weight: contact.weight)
    }
  }
}
