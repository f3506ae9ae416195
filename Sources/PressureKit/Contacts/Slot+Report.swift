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
