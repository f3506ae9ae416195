/// Keeps what the kernel has said of each slot and makes a frame of it at each SYN_REPORT.
///
/// The only place that knows raw slots and empty tracking ids. Of every slot there are two states:
///
///     events ──▶ staged ──SYN_REPORT──▶ committed ──▶ Contact ──▶ Frame
///                  ▲                        │
///                  └──────SYN_DROPPED───────┘
///
/// Only changes are sent, so values stay: over frames, and from one contact of a slot to the next.
struct SlotTable {
  private(set) var frame = Frame()
  private(set) var surface: Surface
  private var slots: [Slot]
  private var current: Int
  private var pressureForAll = Staged<Int32>(0)
  private var fingers: FingerCount
  private var brief: [(slot: Int, id: TrackingID)] = []
  private var sharers = 1
  private var isDropping = false
  private var born = 0
  private var nextSingleID: Int32 = 0
  private var isTouchKnown = false
  private var witness: PressureWitness

  init(surface: Surface) {
    self.surface = surface
    slots = Array(repeating: Slot(), count: surface.slotCount)
    current = Int(surface.hasSlots ? surface.description.currentSlot : 0)
    fingers = FingerCount()
    witness = PressureWitness(surface.pressure, isStuck: surface.isStuck)
  }

  /// Keeps one value; true when it completes a frame that `frame` then holds.
  mutating func receive(_ event: InputEvent) -> Bool {
    switch event.code {
    case .report: return report(at: event.time)
    case .dropped:
      restore()
      isDropping = true
    default:
      if !isDropping { stage(event) }
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
    restore()
    begin(frameAt: time)
    for index in slots.indices {
      vacate(index, as: .cancelled)
      slots[index].empty()
    }
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
  private mutating func stage(_ event: InputEvent) {
    switch event.code {
    case .slot where surface.hasSlots: current = Int(event.value)
    case .trackingID where surface.hasSlots: identify(event.value)
    case .singlePressure where surface.statesTotal: pressureForAll.staged = event.value
    case .singlePressure where !surface.hasSlots || !surface.isPerContact:
      witness.see(event.value)
      pressureForAll.staged = event.value
    case .touch where !surface.hasSlots:
      isTouchKnown = true
      touch(event.value != 0)
    case .x where !surface.hasSlots, .positionX where surface.hasSlots: set { $0.x = event.value }
    case .y where !surface.hasSlots, .positionY where surface.hasSlots: set { $0.y = event.value }
    case .pressure where surface.hasSlots:
      witness.see(event.value)
      set { $0.pressure = event.value }
    case .toolType where surface.hasSlots: set { $0.tool = event.value }
    case .distance where surface.hasSlots: set { $0.distance = event.value }
    case .touchMajor where surface.hasSlots: set { $0.major = event.value }
    default: fingers.stage(event)
    }
  }

  /// Takes a closure and no key path, which would be looked up anew for each value.
  @inline(__always)
  private mutating func set(_ change: (inout SlotValues) -> Void) {
    // libevdev and the readers of recordings let no other slot through; a stranger's stream might.
    guard slots.indices.contains(current) else { return }
    slots[current].stage(change)
  }

  private mutating func identify(_ value: Int32) {
    guard slots.indices.contains(current) else { return }
    slots[current].isTouched = true
    let old = TrackingID(slots[current].staged.id)
    let new = TrackingID(value)
    guard old != new else { return }
    if let old { lift(old) }
    slots[current].staged.id = new?.value ?? -1
  }

  /// The contact of the last frame is lifted, or one that came down since and was never seen.
  private mutating func lift(_ id: TrackingID) {
    if !slots[current].isLifted, slots[current].committed.id == id.value {
      slots[current].isLifted = true
    } else if slots[current].staged.tool != SlotValues.palm {
      brief.append((current, id))
    }
  }

  /// Single-touch devices have no ids, so they are counted here.
  private mutating func touch(_ isDown: Bool) {
    guard isDown != (slots[0].staged.id >= 0) else { return }
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
    pressureForAll.restore()
    fingers.restore()
    brief.removeAll(keepingCapacity: true)
  }
}

// MARK: - At a report

extension SlotTable {
  private mutating func report(at time: Timestamp) -> Bool {
    guard !isDropping else {
      isDropping = false
      return false
    }
    touchByPressure()
    begin(frameAt: time)
    setStuck(witness.isStuck)
    let isSumAnew = pressureForAll.commit()
    let isPressedAnew = isSumAnew && !surface.statesTotal
    for index in slots.indices {
      guard slots[index].isTouched || slots[index].committed.id >= 0 else { continue }
      settle(index, isPressedAnew: isPressedAnew)
    }
    settleBrief()
    fingers.commit()
    frame.fingers = max(fingers.count, frame.contacts.count)
    if isSumAnew, !frame.contacts.isEmpty { frame.isChanged = true }
    for contact in frame.gone where contact.phase == .ended { witness.countWhole() }
    setStuck(witness.isStuck)
    surface.narrowMaximum = witness.narrowMaximum(of: surface.pressure)
    shareOut()
    return true
  }

  private mutating func setStuck(_ isStuck: Bool) {
    guard surface.isStuck != isStuck else { return }
    surface.isStuck = isStuck
    frame.isCapabilityChanged = true
  }

  private mutating func begin(frameAt time: Timestamp) {
    frame.time = time
    frame.contacts.removeAll(keepingCapacity: true)
    frame.gone.removeAll(keepingCapacity: true)
    frame.briefCount = 0
    frame.fingers = 0
    frame.isChanged = false
    frame.isCapabilityChanged = false
    frame.sharesSensor = false
    frame.total = surface.calibration?.nothing
    frame.load = frame.total
    frame.bareRaw = nil
  }

  /// Carries one slot over the report: its contact ends, moves, rests or begins.
  private mutating func settle(_ index: Int, isPressedAnew: Bool) {
    if slots[index].isLifted {
      vacate(index, as: .ended)
      slots[index].isPalm = false
    }
    let change = slots[index].commit()
    guard let id = change.id else { return }
    if slots[index].committed.tool == SlotValues.palm { return disown(index) }
    if change.isNew {
      slots[index].contact = makeContact(index, id)
      frame.isChanged = true
    } else if !slots[index].isPalm {
      update(index, isChanged: change.isValueNew || isPressedAnew)
    }
    if let contact = slots[index].contact { frame.contacts.append(contact) }
  }

  private mutating func update(_ index: Int, isChanged: Bool) {
    slots[index].contact?.phase = isChanged ? .moved : .stationary
    guard isChanged else { return }
    frame.isChanged = true
    let values = slots[index].committed
    let pressed = pressure(of: values)
    slots[index].contact?.measure(values, pressure: pressed, on: surface)
  }

  /// A palm weighs nothing, and is no contact again before it is lifted.
  private mutating func disown(_ index: Int) {
    vacate(index, as: .cancelled)
    slots[index].isPalm = true
  }

  /// Takes the contact out of a slot, with the part of a shared weight that it had last.
  private mutating func vacate(_ index: Int, as phase: Contact.Phase) {
    guard var contact = slots[index].contact else { return }
    contact.weight = contact.weight?.shared(among: sharers)
    part(with: contact, as: phase)
    slots[index].contact = nil
  }

  private mutating func part(with contact: Contact, as phase: Contact.Phase) {
    var contact = contact
    contact.phase = phase
    frame.gone.append(contact)
    frame.isChanged = true
  }

  private mutating func settleBrief() {
    for (slot, id) in brief {
      var contact = makeContact(slot, id)
      contact.notePeak(weight: contact.weight)
      part(with: contact, as: .ended)
      frame.briefCount += 1
    }
    brief.removeAll(keepingCapacity: true)
  }

  private mutating func makeContact(_ index: Int, _ id: TrackingID) -> Contact {
    born += 1
    var contact = Contact(slot: index, id: id, beganAt: frame.time, order: born)
    let values = slots[index].committed
    contact.measure(values, pressure: pressure(of: values), on: surface)
    return contact
  }

  private func pressure(of values: SlotValues) -> Int32 {
    surface.isPerContact && surface.hasSlots ? values.pressure : pressureForAll.committed
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
      frame.total =
        statedTotal
        ?? surface.calibration.map { law in
          let first = frame.contacts.first?.weight ?? law.nothing
          return frame.contacts.dropFirst().reduce(first) { $0 + ($1.weight ?? law.nothing) }
        }
    }
    frame.load = frame.total
    if frame.contacts.isEmpty { readBare() }
    if !surface.isPerContact { notePeaks() }
  }

  /// What the device says that all contacts weigh together; nil where it does not, or has not yet.
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
