internal import PressureKit

/// Which slots have contacts, as far as the events show.
struct ObservedSlots {
  var current: Int32 = 0

  /// Slots with any value, with an ID or the end of one, and with a contact that began before the recording.
  private(set) var used: Set<Int32> = []
  private var known: Set<Int32> = []
  private(set) var down: Set<Int32> = []

  /// Slots of which the first frame contains the end of a contact.
  private(set) var endedAtFirst: Set<Int32> = []
  private var isFirstFrame = true

  /// Slots with values in this frame, for which no ID was reported before.
  private var suspects: Set<Int32> = []

  private var hasLost = false
  private var highestID: Int32?
  var hasContact: Bool { highestID != nil }

  mutating func observe(_ event: InputEvent) {
    switch event.code {
    case .slot: current = event.value
    case .dropped: hasLost = true
    case .report:
      isFirstFrame = false
      down.formUnion(suspects)
      known.formUnion(suspects)
      suspects = []
    case .trackingID: observe(id: event.value)
    default:
      guard event.code.isMultitouch, isInRange else { return }
      used.insert(current)
      if !known.contains(current), !hasLost { suspects.insert(current) }
    }
  }

  private mutating func observe(id: Int32) {
    guard isInRange else { return }
    if id < 0, !known.contains(current), !hasLost {
      if isFirstFrame { endedAtFirst.insert(current) } else { down.insert(current) }
    }
    used.insert(current)
    known.insert(current)
    suspects.remove(current)
    if id >= 0 { highestID = max(highestID ?? id, id) }
  }

  /// An ID that no contact of the recording has, for one that was down already.
  mutating func unusedID() -> Int32 {
    let id = highestID.map { $0 == .max ? 0 : $0 + 1 } ?? 0
    highestID = id
    return id
  }

  private var isInRange: Bool { (0..<ObservedDevice.mostSlots).contains(current) }
}

/// What the frames of multi-touch protocol A show about their contacts.
///
/// Each frame lists all contacts anew, each followed by SYN_MT_REPORT.
struct ObservedContacts {
  /// Whether the values of a contact precede SYN_MT_REPORT anywhere.
  var hasAny: Bool { firstCodes != nil }

  private(set) var most = 0

  private var contact = AnonymousContact()
  private var ids: Set<Int32> = []
  private var count = 0

  /// What is known of the first contact, and of any other.
  private var firstCodes: Set<EventCode>?
  private var codes: Set<EventCode> = []

  private var hasUnnamedAfterFirst = false
  private var hasDuplicate = false

  /// Whether the recording begins within the first contact: it lacks what others have.
  var isFirstCut: Bool { firstCodes.map { !$0.isSuperset(of: codes) } ?? false }

  /// Whether a contact has no tracking ID.
  var hasUnnamed: Bool {
    hasUnnamedAfterFirst || !isFirstCut && firstCodes?.contains(.trackingID) == false
  }

  /// Whether each contact of a frame is known to be one of the frame before, or new.
  ///
  /// That needs tracking IDs, unless there is only one contact.
  var isTracked: Bool { !hasDuplicate && (!hasUnnamed || most <= 1) }

  mutating func observe(_ event: InputEvent) {
    switch event.code {
    case .multitouchReport:
      if contact.isPresent { count(contact) }
      contact = AnonymousContact()
    case .report:
      most = max(most, count)
      (ids, count, contact) = ([], 0, AnonymousContact())
    default: contact.set(event)
    }
  }

  private mutating func count(_ contact: AnonymousContact) {
    count += 1
    if firstCodes == nil {
      firstCodes = contact.codes
    } else {
      codes.formUnion(contact.codes)
      if contact.id == nil { hasUnnamedAfterFirst = true }
    }
    if let id = contact.id, !ids.insert(id).inserted { hasDuplicate = true }
  }
}

/// The values of a contact before its SYN_MT_REPORT.
private struct AnonymousContact {
  private(set) var values: [(code: EventCode, value: Int32)] = []
  private(set) var id: Int32?

  /// Whether a finger touches; drivers send no values, a length of 0, or only a pressure of 0 for one that is lifted.
  var isPresent: Bool {
    let size = values.last { $0.code == .touchMajor } ?? values.last { $0.code == .pressure }
    return size.map { $0.value > 0 } ?? !values.isEmpty
  }

  /// What is known of it: its identity, its position and its pressure.
  var codes: Set<EventCode> {
    let known: [EventCode] = [.positionX, .positionY, .pressure]
    return Set(values.map(\.code).filter(known.contains) + (id == nil ? [] : [.trackingID]))
  }

  mutating func set(_ event: InputEvent) {
    guard event.code.isMultitouch, event.code != .slot else { return }
    if event.code == .trackingID {
      id = event.value >= 0 ? event.value : nil
    } else {
      values.append((event.code, event.value))
    }
  }
}

/// Assigns slots to the contacts of protocol A by their tracking IDs, as protocol B has them.
struct SlotAssignment {
  private var slots: [Int32?]

  private var contact = AnonymousContact()

  /// The contacts of this frame; nil if it lists none, not even that there are none.
  private var frame: [AnonymousContact]?

  /// The ID of a contact without one, which is the only one.
  private var nextID: Int32 = 0

  /// Whether the next contact is not read, as it was cut.
  private var skipsNext: Bool

  init(slotCount: Int, skipsFirst: Bool) {
    slots = Array(repeating: nil, count: slotCount)
    skipsNext = skipsFirst
  }

  /// Appends the events in protocol B for one in protocol A.
  mutating func convert(_ event: InputEvent, into events: inout [InputEvent]) {
    switch event.code {
    case .multitouchReport:
      if frame == nil { frame = [] }
      if contact.isPresent {
        if !skipsNext { frame?.append(contact) }
        skipsNext = false
      }
      contact = AnonymousContact()
    case .report, .dropped:
      if event.code == .report, let frame { assign(frame, at: event.time, &events) }
      (frame, contact) = (nil, AnonymousContact())
      events.append(event)
    default:
      if event.code == .touch, event.value == 0, frame == nil { frame = [] }
      if event.code.isMultitouch {
        contact.set(event)
      } else {
        events.append(event)
      }
    }
  }

  private mutating func assign(
    _ contacts: [AnonymousContact], at time: Timestamp, _ events: inout [InputEvent]
  ) {
    let listed = Set(contacts.map { $0.id ?? nextID })
    func append(_ code: EventCode, _ value: Int) {
      events.append(InputEvent(time: time, code: code, value: Int32(clamping: value)))
    }
    for (slot, id) in slots.enumerated() {
      guard let id, !listed.contains(id) else { continue }
      if id == nextID { nextID = nextID == .max ? 0 : nextID + 1 }
      append(.slot, slot)
      append(.trackingID, -1)
      slots[slot] = nil
    }
    for contact in contacts {
      let id = contact.id ?? nextID
      let held = slots.firstIndex(of: id)
      guard let slot = held ?? slots.firstIndex(of: nil) else { continue }
      append(.slot, slot)
      if held == nil { append(.trackingID, Int(id)) }
      slots[slot] = id
      for (code, value) in contact.values { append(code, Int(value)) }
    }
  }
}
