/// The presses of all contacts of a device, measured or simulated.
///
///     contact begins ──▶ ForcePress, or SimulatedPress if the surface cannot measure ──▶ contact ends
///
/// The choice between both, and the configuration, are fixed when the contact begins. If all contacts share one
/// sensor, only the oldest presses; see `presser`.
struct Presses {
  /// The press of the contact in each slot.
  private var measured: [ForcePress?]
  private var simulated: [SimulatedPress?]

  /// The slots of simulated presses, in order of their contacts.
  private var simulatedSlots: [Int] = []

  /// The earliest deadline of a simulated press; cached, as it is queried for each event.
  private(set) var deadline: Timestamp?

  private var motion: Motion

  /// What is known of the pad's own clicks.
  private(set) var clicks: ClickForce

  init(on surface: Surface, clicks: ClickForce) {
    measured = Array(repeating: nil, count: surface.slotCount)
    simulated = Array(repeating: nil, count: surface.slotCount)
    motion = Motion(on: surface)
    self.clicks = clicks
  }

  /// Updates all presses with a frame.
  mutating func update(
    with frame: Frame, on surface: Surface, rules: TouchRules, into output: inout EventBuffer
  ) {
    motion.update(with: frame)
    // Their deadlines fire between frames.
    if !simulatedSlots.isEmpty { motion.noteGesture(in: frame) }
    if frame.hasClicked { noteClick(in: frame) }
    if !frame.ended.isEmpty { endPresses(in: frame, into: &output) }
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began {
        beginPress(of: contact, on: surface, rules: rules)
      }
    }
    Presses.updateAll(with: frame, on: surface, &measured, &simulated, &motion, into: &output)
    noteDeadline()
  }

  /// With several fingers it is unknown which of them clicked, unless one presses twice as hard as each other.
  private mutating func noteClick(in frame: Frame) {
    let fingers = frame.contacts.filter(\.isFinger)
    guard let heaviest = fingers.max(by: { $0.force.ratio < $1.force.ratio }) else { return }
    let others = fingers.filter { $0.order != heaviest.order }
    if others.allSatisfy({ $0.force.ratio * 2 <= heaviest.force.ratio }) { clicks.note(heaviest) }
  }

  private static func updateAll(
    with frame: Frame, on surface: Surface, _ measured: inout [ForcePress?],
    _ simulated: inout [SimulatedPress?], _ motion: inout Motion, into output: inout EventBuffer
  ) {
    let oldest = surface.isPerContact ? nil : presser(in: frame, measured)
    let contacts = frame.contacts.span
    var measured = measured.mutableSpan
    var simulated = simulated.mutableSpan
    for index in contacts.indices {
      let (slot, order) = (contacts[index].slot, contacts[index].order)
      if measured[slot] == nil {
        simulated[slot]?.update(with: contacts[index], in: frame, into: &output)
      } else {
        let mayStart = order == oldest ?? order
        measured[slot]?.update(
          with: contacts[index], in: frame, mayStart: mayStart, motion: &motion, into: &output)
      }
    }
  }

  /// The only contact that may press a shared sensor: the one that does, or the oldest.
  ///
  /// A thumb at rest or a hovering finger does not press; a palm does, and its force is not that of a finger beside it.
  private static func presser(in frame: Frame, _ measured: [ForcePress?]) -> Int? {
    guard frame.contacts.count > 1 else { return frame.contacts.first?.order }
    var oldest: Int?
    for contact in frame.contacts {
      if measured[contact.slot]?.isPressing == true { return contact.order }
      guard !contact.isRestingThumb, !contact.isHovering else { continue }
      oldest = min(oldest ?? contact.order, contact.order)
    }
    return oldest
  }

  /// Advances the presses whose deadline this is.
  mutating func deadlineReached(_ deadline: Timestamp, into output: inout EventBuffer) {
    for slot in simulatedSlots where simulated[slot]?.deadline == deadline {
      simulated[slot]?.deadlineReached(deadline, motion: motion, into: &output)
    }
    noteDeadline()
  }

  private mutating func noteDeadline() {
    guard !simulatedSlots.isEmpty || deadline != nil else { return }
    deadline = nil
    for slot in simulatedSlots {
      guard let next = simulated[slot]?.deadline else { continue }
      deadline = min(next, deadline ?? next)
    }
  }

  private mutating func beginPress(of contact: Contact, on surface: Surface, rules: TouchRules) {
    if surface.simulatesPress {
      simulated[contact.slot] = SimulatedPress(of: contact, rules: rules, on: surface)
      simulatedSlots.append(contact.slot)
    } else {
      measured[contact.slot] = ForcePress(
        of: contact, rules: rules, on: surface, clicks: clicks)
    }
  }

  private mutating func endPresses(in frame: Frame, into output: inout EventBuffer) {
    for contact in frame.ended {
      let (slot, order) = (contact.slot, contact.order)
      // A contact that began and ended in this frame has no press.
      if measured[slot]?.order == order {
        measured[slot]?.contactEnded(contact, at: frame.time, into: &output)
        measured[slot] = nil
      } else if simulated[slot]?.order == order {
        simulated[slot]?.contactEnded(contact, at: frame.time, into: &output)
        simulated[slot] = nil
      }
    }
    simulatedSlots.removeAll { simulated[$0] == nil }
  }
}
