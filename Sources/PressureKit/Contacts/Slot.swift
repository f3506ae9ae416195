package struct SlotValues: Hashable {
  /// The corresponding kernel constant is `MT_TOOL_PALM`.
  static let palm: Int32 = 2

  package var id: Int32 = -1
  package var x: Int32 = 0
  package var y: Int32 = 0
  package var pressure: Int32 = 0
  var tool: Int32 = 0
  package var distance: Int32 = 0
  package var major: Int32 = 0
  package var minor: Int32 = 0
  package var width: Int32 = 0
  package var orientation: Int32 = 0
}

extension Int32 {
  /// In a recording, a value that was set before it begins and not reported since.
  ///
  /// No driver sends it; the declared ranges of all devices are above.
  package static var unknownValue: Int32 { .min }
}

struct Slot {
  private(set) var pending = SlotValues()
  private(set) var committed = SlotValues()

  /// Whether the contact of the last frame has ended since, by the ID -1 or by another ID.
  var isLifted = false
  var isTouched = false

  /// The ID of the contact in the slot before events were lost, until its next event; -1 for none.
  var lostID: Int32 = -1

  var isPalm = false

  var contact: Contact?

  private var thumb = RestingThumb()

  mutating func setPending(_ values: SlotValues) {
    pending = values
    isTouched = true
  }

  mutating func restore() {
    pending = committed
    isLifted = false
    isTouched = false
  }

  mutating func markLost() {
    if committed.id >= 0 { lostID = committed.id }
  }

  /// Restores a lost contact: a changed value shows that it is still there.
  mutating func recover() {
    guard lostID >= 0, pending.id < 0, pending != committed else { return }
    pending.id = lostID
    lostID = -1
  }

  mutating func empty() {
    committed.id = -1
    restore()
    contact = nil
    isPalm = false
  }

  @inline(__always)
  fileprivate mutating func apply(
    _ report: Report, at index: Int, contactCount: inout Int, into frame: inout Frame
  ) {
    if isLifted {
      // Another contact in the slot has its own tool.
      let isNowPalm = pending.id < 0 && pending.tool == SlotValues.palm
      vacate(as: isNowPalm ? .cancelled : .ended, sharers: report.sharerCount, into: &frame)
      isPalm = false
    }
    let (isNew, isValueNew) = (isLifted || committed.id < 0, pending != committed)
    committed = pending
    (isLifted, isTouched) = (false, false)
    guard let id = TrackingID(committed.id) else { return }
    if committed.tool == SlotValues.palm {
      // A palm has no weight and does not become a contact again before it is lifted.
      vacate(as: .cancelled, sharers: report.sharerCount, into: &frame)
      isPalm = true
      frame.nonFingerCount += 1
      return
    }
    if isNew {
      begin(id, by: report, at: index, contactCount: &contactCount, into: &frame)
    } else if isPalm {
      return frame.nonFingerCount += 1
    } else {
      let isChanged = isValueNew || report.isPressureNew
      if isChanged { frame.isChanged = true }
      let isPresent: Void? = contact?.update(
        with: committed, isChanged: isChanged, by: report, in: &frame)
      guard isPresent != nil else { return frame.nonFingerCount += 1 }
    }
    guard thumb.isPossible else { return }
    markThumb(frame.contacts.count - 1, at: report.time, on: report.surface, in: &frame)
  }

  /// Marks its contact, which is at an index in the frame, if it is or may be a thumb at rest.
  @inline(never)
  mutating func markThumb(
    _ index: Int, at time: Timestamp, on surface: Surface, in frame: inout Frame
  ) {
    guard let contact else { return }
    switch thumb.update(with: committed, contact, at: time, on: surface) {
    case .finger: break
    case .undecided: frame.addThumb(index, undecidedUntil: RestingThumb.decisionTime(of: contact))
    case .thumb: frame.addThumb(index)
    }
  }

  @inline(never)
  private mutating func begin(
    _ id: TrackingID, by report: Report, at index: Int, contactCount: inout Int,
    into frame: inout Frame
  ) {
    let contact = Contact(committed, in: index, id, by: report, contactCount: &contactCount)
    self.contact = contact
    thumb.begin(with: committed, in: report.surface.thumbZone)
    frame.hasBeginning = true
    frame.isChanged = true
    frame.add(contact)
  }

  /// Ends the contact, with its last share of a shared weight.
  @inline(never)
  mutating func vacate(as phase: Contact.Phase, sharers: Int, into frame: inout Frame) {
    guard var contact else { return }
    contact.weight = contact.weight?.shared(among: sharers)
    frame.end(contact, as: phase)
    self.contact = nil
  }
}

/// A value that takes effect with the next SYN_REPORT.
struct Buffered<Value: Equatable> {
  var pending: Value
  private(set) var committed: Value

  init(_ value: Value) {
    pending = value
    committed = value
  }

  mutating func commit() -> Bool {
    defer { committed = pending }
    return committed != pending
  }

  mutating func restore() { pending = committed }
}

package struct Report {
  package let time: Timestamp
  package let surface: Surface

  /// The value of a sensor that all contacts share.
  var pressureForAll: Int32

  /// Whether that value updates every contact.
  let isPressureNew: Bool

  /// The number of contacts that shared the sensor's weight until now.
  let sharerCount: Int

  package func pressure(of values: SlotValues) -> Int32 {
    surface.hasSlotPressure ? values.pressure : pressureForAll
  }
}

extension [Slot] {
  mutating func apply(_ report: Report, contactCount: inout Int, into frame: inout Frame) {
    var slots = mutableSpan
    for index in slots.indices where slots[index].isTouched || slots[index].committed.id >= 0 {
      slots[index].apply(report, at: index, contactCount: &contactCount, into: &frame)
    }
  }

  /// Updates the maximum forces and weights of contacts that share a sensor, when their shares are known.
  mutating func notePeaks(of contacts: [Contact]) {
    let contacts = contacts.span
    var slots = mutableSpan
    for index in contacts.indices {
      slots[contacts[index].slot].contact?.notePeak(weight: contacts[index].weight)
    }
  }
}

extension Contact {
  /// Inlined, and adding the contact here, so that it is accessed in place.
  @inline(__always)
  fileprivate mutating func update(
    with values: SlotValues, isChanged: Bool, by report: Report, in frame: inout Frame
  ) {
    phase = isChanged ? .moved : .stationary
    if isChanged {
      measure(values, pressure: report.pressure(of: values), on: report.surface)
    }
    frame.add(self)
  }

  package init(
    _ values: SlotValues, in slot: Int, _ id: TrackingID, by report: Report, contactCount: inout Int
  ) {
    contactCount += 1
    self.init(slot: slot, id: id, beganAt: report.time, order: contactCount)
    measure(values, pressure: report.pressure(of: values), on: report.surface)
  }
}

/// The number of fingers that a device reports, which may exceed the number of its slots.
///
/// The corresponding kernel constants are `BTN_TOOL_FINGER` and `BTN_TOOL_DOUBLETAP` to `QUINTTAP`.
struct FingerCount: Equatable {
  /// The keys of one finger, two fingers and so on.
  private static let codes: [EventCode] = [
    .toolFinger, .toolDoubleTap, .toolTripleTap, .toolQuadTap, .toolQuintTap,
  ]

  /// One bit for each finger count that is currently set.
  private var bits: UInt8 = 0

  var count: Int { UInt8.bitWidth - bits.leadingZeroBitCount }

  mutating func update(with event: InputEvent) {
    guard event.code.type == EventCode.touch.type,
      let index = FingerCount.codes.firstIndex(of: event.code)
    else { return }
    let bit = UInt8(1) << UInt8(index)
    if event.value != 0 { bits |= bit } else { bits &= ~bit }
  }
}
