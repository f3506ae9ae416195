/// The state of a surface at one SYN_REPORT.
///
/// The corresponding class of UIKit is `UIEvent`.
public struct Frame: Sendable {
  /// The kernel's timestamp of the report.
  public internal(set) var time = Timestamp(microseconds: 0)

  /// The contacts on the surface, ordered by slot.
  public internal(set) var contacts: [Contact] = []

  /// The contacts that ended or were cancelled in this frame.
  public internal(set) var ended: [Contact] = []

  /// The number of contacts, before `replacedCount` at the end of `ended`, that also began in this frame; their beginning is
  /// not yet emitted.
  public internal(set) var transientCount = 0

  /// The number of contacts, at the end of `ended`, that began in this frame and were replaced by another in the same slot;
  /// both their beginning and their end precede the beginning of the other.
  package internal(set) var replacedCount = 0

  /// The number of slots that do not hold a finger: palms, hovering contacts, resting thumbs.
  var nonFingerCount = 0

  /// The number of contacts that may be thumbs at rest; see `RestingThumb`.
  var thumbCount = 0

  /// The number of these for which it is still undecided; they are not among `fingers`.
  var undecidedCount = 0

  /// When it is decided for the first of them, although the device may send nothing; nil if there are none.
  var undecidedUntil: Timestamp?

  /// Whether the pad's own button is down.
  var isClicked = false

  /// Whether the pad clicked in this frame.
  var hasClicked = false

  var hoveringCount = 0

  /// The greatest ratio of a contact's force; 0 if nothing presses.
  private(set) var greatestRatio = 0.0

  var isLoaded: Bool { contacts.count > hoveringCount }

  var hasBeginning = false

  /// The number of fingers on the surface, including those without a slot; palms, hovering contacts and resting thumbs do not count.
  public internal(set) var fingers = 0

  /// Whether any contact changed, began or ended.
  public internal(set) var isChanged = false

  /// Whether the surface's capability has changed since the previous frame.
  public internal(set) var isCapabilityChanged = false

  /// Whether each of several contacts may carry the total, as their values were always equal so far.
  var mayCarryTotal = false

  /// Whether several contacts share the total of one sensor.
  public internal(set) var sharesSensor = false

  /// The weight of everything on the surface; nil if the device has no weight source or a pressure is unknown.
  public internal(set) var total: Weight?

  /// The input of the scale: the total, or, on an empty surface, the reading of a true force sensor.
  public internal(set) var load: Weight?

  /// The reading of a true force sensor on an empty surface, in units of its axis.
  ///
  /// Nil while there are contacts, and for devices that report nothing on an empty surface.
  public internal(set) var emptyRaw: Int32?

  /// The force-weighted center of the contacts; if no contact presses or a pressure is unknown, their unweighted center.
  package var center: Location? {
    guard !contacts.isEmpty else { return nil }
    if total == nil, contacts.contains(where: { $0.raw == nil }) { return center(by: { _ in 1 }) }
    return center(by: { $0.force.value }) ?? center(by: { _ in 1 })
  }

  /// The center of the contacts by their weights; nil if these are 0.
  @inline(__always)
  private func center(by weight: (Contact) -> Double) -> Location? {
    let contacts = contacts.span
    var (sum, x, y) = (0.0, 0.0, 0.0)
    for index in contacts.indices {
      let part = weight(contacts[index])
      sum += part
      x += part * contacts[index].location.x
      y += part * contacts[index].location.y
    }
    return sum > 0 ? Location(x: x / sum, y: y / sum) : nil
  }

  // MARK: - Contacts

  @inline(__always)
  mutating func add(_ contact: Contact) {
    contacts.append(contact)
    if contact.force.ratio > greatestRatio { greatestRatio = contact.force.ratio }
    if contact.isFinger { return fingers += 1 }
    nonFingerCount += 1
    if contact.isHovering { hoveringCount += 1 }
  }

  package mutating func end(_ contact: Contact, as phase: Contact.Phase) {
    ended.append(contact.with(phase))
    isChanged = true
  }

  mutating func reset(at time: Timestamp, total: Weight?) {
    self.time = time
    contacts.removeAll(keepingCapacity: true)
    if !ended.isEmpty { ended.removeAll(keepingCapacity: true) }
    (transientCount, replacedCount) = (0, 0)
    hasBeginning = false
    fingers = 0
    nonFingerCount = 0
    (thumbCount, undecidedCount, undecidedUntil) = (0, 0, nil)
    hoveringCount = 0
    greatestRatio = 0
    isChanged = false
    isCapabilityChanged = false
    (sharesSensor, mayCarryTotal) = (false, false)
    self.total = total
    load = total
    emptyRaw = nil
  }

  /// Becomes a frame in which nothing changes and all contacts are fingers again, unless they hover or are large.
  mutating func rest(at time: Timestamp) {
    self.time = time
    ended.removeAll(keepingCapacity: true)
    (transientCount, replacedCount) = (0, 0)
    (hasBeginning, isChanged, isCapabilityChanged, hasClicked) = (false, false, false, false)
    nonFingerCount -= thumbCount
    (fingers, thumbCount, undecidedCount, undecidedUntil) = (0, 0, 0, nil)
    for index in contacts.indices {
      contacts[index].phase = .stationary
      contacts[index].traits.subtract([.restingThumb, .undecidedThumb])
      if contacts[index].isFinger { fingers += 1 }
    }
  }

  // MARK: - Thumbs

  /// Marks the contact at an index as a thumb at rest or, with a time, as one that may be.
  @inline(never)
  mutating func addThumb(_ index: Int, undecidedUntil end: Timestamp? = nil) {
    contacts[index].traits.insert(.restingThumb)
    thumbCount += 1
    guard let end else { return }
    contacts[index].traits.insert(.undecidedThumb)
    undecidedCount += 1
    undecidedUntil = min(end, undecidedUntil ?? end)
  }

  /// Excludes thumbs at rest from the fingers, unless there are only thumbs.
  @inline(never)
  mutating func excludeThumbs(_ areIgnored: Bool) {
    if areIgnored, thumbCount < fingers {
      fingers -= thumbCount
      nonFingerCount += thumbCount
    } else {
      (undecidedCount, undecidedUntil) = (0, nil)
      for index in contacts.indices {
        contacts[index].traits.subtract([.restingThumb, .undecidedThumb])
      }
    }
  }

  // MARK: - Weight

  /// Computes the total; contacts that share one sensor, whose value is `pressureForAll`, get equal shares of it.
  mutating func distributeWeight(on surface: Surface, pressureForAll: Int32) {
    sharesSensor = !surface.isPerContact && contacts.count > 1
    if sharesSensor {
      total = contacts.dropFirst().reduce(contacts[0].weight) { greatest, contact in
        // A contact that was not updated in this frame may have an older value of the sensor.
        if let greatest, let weight = contact.weight { max(greatest, weight) } else { greatest }
      }
      for index in contacts.indices {
        contacts[index].weight = total?.shared(among: contacts.count)
      }
    } else {
      total = sum(by: surface.calibration)
    }
    load = total
    if contacts.isEmpty { readEmptySurface(surface, pressureForAll) }
  }

  /// Also if the device reports the sum of all pressures: a law with an offset holds for each contact, not for their sum,
  /// which may contain palms.
  @inline(__always)
  private func sum(by law: Calibration?) -> Weight? {
    guard let law else { return nil }
    let contacts = contacts.span
    guard !contacts.isEmpty else { return law.zeroWeight }
    guard var sum = contacts[0].weight else { return nil }
    for index in 1..<contacts.count {
      guard let weight = contacts[index].weight else { return nil }
      sum = sum + weight
    }
    return sum
  }

  /// Reads an empty surface: zero, except for a shared sensor of true force, whose zero may drift.
  private mutating func readEmptySurface(_ surface: Surface, _ raw: Int32) {
    guard !surface.isPerContact, !surface.hasSlotPressure, surface.capability == .force,
      let axis = surface.pressure
    else { return }
    emptyRaw = raw
    load = surface.calibration?.weight(raw: raw, ratio: axis.force(of: raw).ratio)
  }
}
