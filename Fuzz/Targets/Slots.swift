@testable import PressureKit

/// The kernel's words for contacts, in any order: each frame is one that can be.
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
      require(slots.frame.contacts.isEmpty, "nothing is left on a lost device")
      down = [:]
    default: time.microseconds += Int64(step)
    }
  }
  _ = slots.cancelAll(at: time)
  _ = hold(slots.frame, after: down, at: time)
  require(slots.frame.contacts.isEmpty, "nothing is left on a lost device")
}

/// Compares a frame with the contacts before it, and gives those in it.
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
    require((old == nil) == (contact.phase == .began), "who is new begins: \(contact)")
    require(old.map { $0.id == contact.id && $0.slot == contact.slot } ?? true, "who stays, stays")
    require(contact.phase != .ended && contact.phase != .cancelled, "who is down is not over")
    down[contact.order] = contact
  }
  for contact in frame.ended {
    hold(contact)
    require(contact.phase == .ended || contact.phase == .cancelled, "who is gone is over")
    require(down[contact.order] == nil, "nobody is here and gone")
  }
  let gone = frame.ended.dropLast(frame.transientCount).map(\.order)
  require(Set(gone).count == gone.count, "nobody goes twice")
  require(gone.allSatisfy { before[$0] != nil }, "who goes was there")
  require(before.keys.allSatisfy { down[$0] != nil || gone.contains($0) }, "nobody is forgotten")
  return down
}

private func hold(_ contact: Contact) {
  require((0...1).contains(contact.force.ratio), "a ratio is within 0…1: \(contact)")
  require((0...1).contains(contact.location.x), "a place is on the surface: \(contact)")
  require((0...1).contains(contact.location.y), "a place is on the surface: \(contact)")
  require(contact.weight?.grams.isFinite ?? true, "grams are a number: \(contact)")
  require(contact.peakForce >= 0, "a peak is no pit: \(contact)")
}
