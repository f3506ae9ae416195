@testable import PressureKit

/// Multitouch events of the kernel in any order: each frame is consistent.
func fuzzSlots(_ bytes: UnsafeBufferPointer<UInt8>) {
  var feed = Feed(bytes)
  guard let surface = try? Surface(feed.description()) else { return }
  var slots = SlotTable(surface: surface)
  var down: [Int: Contact] = [:]
  var time = Timestamp(microseconds: 0)
  while !feed.isEmpty {
    let step = feed.byte()
    let (what, size) = (Int(step & 31), Int(step >> 5))
    switch what {
    case ...Feed.codeCount:
      let event = feed.event(what, size: size, at: time)
      if slots.receive(event) { down = hold(slots.frame, after: down, at: time) }
    case 31:
      if slots.cancelAll(at: time) { down = hold(slots.frame, after: down, at: time) }
      require(slots.frame.contacts.isEmpty, "a lost device has no contacts")
      down = [:]
    default: time.microseconds += Int64(step)
    }
  }
  _ = slots.cancelAll(at: time)
  _ = hold(slots.frame, after: down, at: time)
  require(slots.frame.contacts.isEmpty, "a lost device has no contacts")
}

/// Compares a frame with the contacts before it, and returns its contacts.
private func hold(
  _ frame: Frame, after before: [Int: Contact], at time: Timestamp
) -> [Int: Contact] {
  require(frame.time == time, "a frame has the time of its report")
  let places = frame.contacts.map(\.slot)
  require(zip(places, places.dropFirst()).allSatisfy { $0 < $1 }, "one contact a slot: \(places)")
  var down: [Int: Contact] = [:]
  for contact in frame.contacts {
    hold(contact)
    let old = before[contact.order]
    require((old == nil) == (contact.phase == .began), "a new contact begins: \(contact)")
    require(
      old.map { $0.id == contact.id && $0.slot == contact.slot } ?? true,
      "a contact keeps its id and slot")
    require(
      old.map { !contact.location.x.isNaN || $0.location.x.isNaN } ?? true,
      "a known location stays known: \(contact)")
    require(
      contact.phase != .ended && contact.phase != .cancelled, "a contact in the frame has not ended"
    )
    down[contact.order] = contact
  }
  for contact in frame.ended {
    hold(contact)
    require(contact.phase == .ended || contact.phase == .cancelled, "a contact that left has ended")
    require(down[contact.order] == nil, "a contact is present or ended")
  }
  // Contacts that began in this frame are last; those that another one replaced are the last of these.
  let gone = frame.ended.dropLast(frame.transientCount + frame.replacedCount).map(\.order)
  for contact in frame.ended.suffix(frame.replacedCount) {
    require(
      down.values.contains { $0.slot == contact.slot && $0.order > contact.order },
      "a replaced contact has a successor in its slot that began after it: \(contact)")
  }
  require(Set(gone).count == gone.count, "a contact ends once")
  require(gone.allSatisfy { before[$0] != nil }, "a contact that ends has begun")
  require(
    before.keys.allSatisfy { down[$0] != nil || gone.contains($0) }, "every contact stays or ends")
  return down
}

private func hold(_ contact: Contact) {
  require((0...1).contains(contact.force.ratio), "a ratio is within 0…1: \(contact)")
  // NaN: the device has not reported it yet.
  for value in [contact.location.x, contact.location.y] {
    require((0...1).contains(value) || value.isNaN, "a location is on the surface: \(contact)")
  }
  require(contact.weight?.grams.isFinite ?? true, "grams are finite: \(contact)")
  require(contact.peakForce >= 0, "a peak force is not negative: \(contact)")
}
