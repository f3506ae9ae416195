/// The kernel's values of one slot.
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

/// One slot of the table: what is being said of it, what holds, and the contact in it.
struct Slot {
  private(set) var staged = SlotValues()
  private(set) var committed = SlotValues()

  /// The contact of the last frame, which an id of -1 or another id has ended since.
  var isLifted = false

  /// Something was said of it in this frame.
  var isTouched = false

  /// Who was in it before events were lost, until something is heard of the slot; -1 for nobody.
  var lostID: Int32 = -1

  /// Its contact was found to be a palm.
  var isPalm = false

  var contact: Contact?

  /// Takes values that count from the next report on.
  mutating func stage(_ values: SlotValues) {
    staged = values
    isTouched = true
  }

  /// What a report brought.
  struct Change {
    /// Whose slot it is now, if anybody's.
    let id: TrackingID?

    /// Whether that is another contact than before.
    let isNew: Bool

    /// Whether any value is another one.
    let isValueNew: Bool
  }

  /// Lets what was said count.
  mutating func commit() -> Change {
    let change = Change(
      id: TrackingID(staged.id), isNew: isLifted || committed.id < 0,
      isValueNew: staged != committed)
    committed = staged
    isLifted = false
    isTouched = false
    return change
  }

  mutating func restore() {
    staged = committed
    isLifted = false
    isTouched = false
  }

  /// Takes its contact for one that may have gone unheard.
  mutating func noteLoss() {
    if committed.id >= 0 { lostID = committed.id }
  }

  /// Its contact is still there, as a value of it has changed.
  mutating func findAgain() {
    guard lostID >= 0, staged.id < 0, staged != committed else { return }
    staged.id = lostID
    lostID = -1
  }

  mutating func empty() {
    restore()
    committed.id = -1
    staged.id = -1
    contact = nil
    isPalm = false
  }
}

/// A value that counts from the next SYN_REPORT on.
struct Staged<Value: Equatable> {
  var staged: Value
  private(set) var committed: Value

  init(_ value: Value) {
    staged = value
    committed = value
  }

  /// Whether the report changed it.
  mutating func commit() -> Bool {
    defer { committed = staged }
    return committed != staged
  }

  mutating func restore() {
    staged = committed
  }
}

/// What a report brings to all slots alike.
package struct Report {
  package let time: Timestamp
  package let surface: Surface

  /// The value of a sensor that stands for all contacts.
  var pressureForAll: Int32

  /// Whether that says something new of each contact.
  let isPressedAnew: Bool

  /// How many contacts had a part of that sensor's weight until now.
  let sharers: Int

  /// The sensor's value for a contact in a slot.
  package func pressure(of values: SlotValues) -> Int32 {
    surface.isPerContact && surface.hasSlots ? values.pressure : pressureForAll
  }
}

extension [Slot] {
  /// Carries all slots over a report.
  ///
  /// - Parameters:
  ///   - report: what it brings to all of them.
  ///   - born: counts the contacts of the device.
  ///   - frame: takes who is down, and who is gone.
  mutating func settle(by report: Report, born: inout Int, into frame: inout Frame) {
    var slots = mutableSpan
    for index in slots.indices where slots[index].isTouched || slots[index].committed.id >= 0 {
      slots[index].settle(index, by: report, born: &born, into: &frame)
    }
  }
}

extension Slot {
  /// Carries the slot over a report: its contact ends, moves, rests or begins.
  fileprivate mutating func settle(
    _ index: Int, by report: Report, born: inout Int, into frame: inout Frame
  ) {
    if isLifted {
      vacate(as: .ended, by: report, into: &frame)
      isPalm = false
    }
    let change = commit()
    guard let id = change.id else { return }
    if committed.tool == SlotValues.palm {
      // A palm weighs nothing, and is no contact again before it is lifted.
      vacate(as: .cancelled, by: report, into: &frame)
      isPalm = true
      frame.othersCount += 1
      return
    }
    if change.isNew {
      contact = Contact(committed, in: index, id, by: report, born: &born)
      frame.hasBeginning = true
      frame.isChanged = true
    } else if !isPalm {
      let isChanged = change.isValueNew || report.isPressedAnew
      if isChanged { frame.isChanged = true }
      contact?.follow(committed, isChanged: isChanged, by: report)
    }
    if let contact { frame.add(contact) } else { frame.othersCount += 1 }
  }

  /// Takes the contact out, with the part of a shared weight that it had last.
  mutating func vacate(as phase: Contact.Phase, by report: Report, into frame: inout Frame) {
    guard var contact else { return }
    contact.weight = contact.weight?.shared(among: report.sharers)
    frame.part(with: contact, as: phase)
    self.contact = nil
  }
}

extension Contact {
  /// Goes on in a slot, or rests there.
  fileprivate mutating func follow(_ values: SlotValues, isChanged: Bool, by report: Report) {
    phase = isChanged ? .moved : .stationary
    guard isChanged else { return }
    measure(values, pressure: report.pressure(of: values), on: report.surface)
  }

  /// A contact that comes down in a slot.
  package init(
    _ values: SlotValues, in slot: Int, _ id: TrackingID, by report: Report, born: inout Int
  ) {
    born += 1
    self.init(slot: slot, id: id, beganAt: report.time, order: born)
    measure(values, pressure: report.pressure(of: values), on: report.surface)
  }
}

extension Frame {
  /// A contact is down.
  @inline(__always)
  fileprivate mutating func add(_ contact: Contact) {
    contacts.append(contact)
    if contact.isFinger { return fingers += 1 }
    othersCount += 1
    if contact.isHovering { hoveringCount += 1 }
  }

  /// A contact goes.
  package mutating func part(with contact: Contact, as phase: Contact.Phase) {
    var contact = contact
    contact.phase = phase
    gone.append(contact)
    isChanged = true
  }
}

/// How many fingers a device says it feels, as it may have fewer slots than that.
///
/// The corresponding kernel constants are `BTN_TOOL_FINGER` and `BTN_TOOL_DOUBLETAP` to `QUINTTAP`.
struct FingerCount {
  private static let codes: [(code: EventCode, fingers: Int)] = [
    (.toolFinger, 1), (.toolDoubleTap, 2), (.toolTripleTap, 3), (.toolQuadTap, 4),
    (.toolQuintTap, 5),
  ]

  /// A bit for each number of fingers that is said at the moment.
  private var bits = Staged<UInt8>(0)

  /// The greatest number that is said.
  var count: Int { UInt8.bitWidth - bits.committed.leadingZeroBitCount }

  mutating func stage(_ event: InputEvent) {
    guard event.code.type == EventCode.touch.type else { return }
    for (code, fingers) in FingerCount.codes where code == event.code {
      let bit = UInt8(1) << UInt8(fingers - 1)
      if event.value != 0 { bits.staged |= bit } else { bits.staged &= ~bit }
    }
  }

  mutating func commit() { _ = bits.commit() }

  mutating func restore() { bits.restore() }
}
