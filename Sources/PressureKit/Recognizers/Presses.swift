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

  /// The earliest deadline; cached, as it is queried for each event.
  private(set) var deadline: Timestamp?

  /// The earliest deadline of a measured press.
  private var measuredDeadline: Timestamp?

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
    updateAll(with: frame, on: surface, into: &output)
  }

  /// Cancels all presses, which do not start again before their contacts are lifted.
  mutating func cancelAll(
    in frame: Frame, at time: Timestamp, into output: inout EventBuffer
  ) {
    var frame = frame
    frame.time = time
    frame.ended = frame.contacts.map(\.asCancelled)
    endPresses(in: frame, into: &output)
    measuredDeadline = nil
    findDeadline(frame.undecidedUntil)
  }

  /// Updates all presses with a frame in which only the number of fingers has changed; see `SlotTable.decideThumbs(at:)`.
  mutating func thumbsDecided(
    in frame: Frame, on surface: Surface, into output: inout EventBuffer
  ) {
    updateAll(with: frame, on: surface, into: &output)
  }

  /// The presses in progress, in the order of their contacts.
  func current(in frame: Frame) -> [Press] {
    frame.contacts.compactMap {
      measured[$0.slot]?.current(of: $0) ?? simulated[$0.slot]?.current
    }
  }

  private mutating func updateAll(
    with frame: Frame, on surface: Surface, into output: inout EventBuffer
  ) {
    measuredDeadline = Presses.updateAll(
      with: frame, on: surface, &measured, &simulated, &motion, into: &output)
    noteDeadline(after: frame)
  }

  /// Of several fingers that one has clicked whose force has grown: by more than noise, and at least twice as much as that of each
  /// other.
  private mutating func noteClick(in frame: Frame) {
    var clicking: Contact?
    var (most, second, fingers) = (0.0, 0.0, 0)
    for contact in frame.contacts where contact.isFinger && !contact.isRestingThumb {
      fingers += 1
      let growth = motion.growth(of: contact)
      if clicking == nil || growth > most {
        (second, most, clicking) = (max(most, 0), growth, contact)
      } else {
        second = max(second, growth)
      }
    }
    guard let clicking, fingers < 2 || most > ClickForce.plausible.lowerBound, most >= 2 * second
    else { return }
    clicks.note(clicking)
  }

  /// Returns the earliest deadline of a measured press.
  private static func updateAll(
    with frame: Frame, on surface: Surface, _ measured: inout [ForcePress?],
    _ simulated: inout [SimulatedPress?], _ motion: inout Motion, into output: inout EventBuffer
  ) -> Timestamp? {
    var deadline: Timestamp?
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
        if let next = measured[slot]?.deadline { deadline = min(next, deadline ?? next) }
      }
    }
    return deadline
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
  ///
  /// - Parameters:
  ///   - deadline: the time.
  ///   - frame: the last frame, whose values still hold.
  ///   - surface: the surface.
  ///   - output: receives the events.
  mutating func deadlineReached(
    _ deadline: Timestamp, after frame: Frame, on surface: Surface, into output: inout EventBuffer
  ) {
    if let due = measuredDeadline, due <= deadline {
      reevaluate(after: frame, at: deadline, on: surface, into: &output)
    }
    for slot in simulatedSlots where simulated[slot]?.deadline == deadline {
      simulated[slot]?.deadlineReached(deadline, motion: motion, into: &output)
    }
    noteDeadline(after: frame)
  }

  /// Evaluates the measured presses whose deadline has come, with the values of the last frame.
  private mutating func reevaluate(
    after frame: Frame, at time: Timestamp, on surface: Surface, into output: inout EventBuffer
  ) {
    var frame = frame
    (frame.time, frame.hasClicked) = (time, false)
    let oldest = surface.isPerContact ? nil : Presses.presser(in: frame, measured)
    measuredDeadline = nil
    for contact in frame.contacts where measured[contact.slot]?.order == contact.order {
      let slot = contact.slot
      if let due = measured[slot]?.deadline, due <= time {
        var contact = contact
        contact.phase = .stationary
        let mayStart = contact.order == oldest ?? contact.order
        measured[slot]?.update(
          with: contact, in: frame, mayStart: mayStart, motion: &motion, into: &output)
      }
      guard let next = measured[slot]?.deadline else { continue }
      measuredDeadline = min(next, measuredDeadline ?? next)
    }
  }

  @inline(__always)
  private mutating func noteDeadline(after frame: Frame) {
    guard
      !simulatedSlots.isEmpty || deadline != nil || measuredDeadline != nil
        || frame.undecidedUntil != nil
    else { return }
    findDeadline(frame.undecidedUntil)
  }

  private mutating func findDeadline(_ undecidedUntil: Timestamp?) {
    deadline = measuredDeadline
    if let undecidedUntil { deadline = min(undecidedUntil, deadline ?? undecidedUntil) }
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
        measured[slot]?.contactEnded(contact, in: frame, motion: motion, into: &output)
        measured[slot] = nil
      } else if simulated[slot]?.order == order {
        simulated[slot]?.contactEnded(contact, at: frame.time, into: &output)
        simulated[slot] = nil
      }
    }
    simulatedSlots.removeAll { simulated[$0] == nil }
  }
}
