/// The presses of all contacts of a device, measured or simulated.
///
///     contact begins ──▶ ForcePress, whose force is simulated if the surface cannot measure ──▶ contact ends
///
/// Whether the force is simulated, and the configuration, are fixed when the contact begins. If all contacts share one
/// sensor, only the oldest presses; see `presser`.
struct Presses {
  /// The press of the contact in each slot; one without a contact is not evaluated.
  private var presses: [ForcePress]
  private var simulatedCount = 0

  /// The earliest deadline; cached, as it is queried for each event.
  private(set) var deadline: Timestamp?

  private var pressDeadline: Timestamp?

  /// A finger has clicked, too, if its force has grown by this part of the growth of the first.
  static let growthBeside = 0.4

  private var motion: Motion
  private(set) var clicks: ClickForce

  /// How many hard presses there were on a pad whose touches are learned.
  private var hardTouches = 0

  private var clicked: ClickedPress

  /// Whether presses are clicks of the pad; decided when a touch begins, see `adopt`.
  private var followsClicks = false

  init(on surface: Surface, rules: TouchRules, clicks: ClickForce) {
    presses = Array(repeating: ForcePress(rules: rules), count: surface.slotCount)
    motion = Motion(on: surface)
    clicked = ClickedPress(on: surface)
    self.clicks = clicks
  }

  mutating func update(
    with frame: Frame, on surface: Surface, rules: TouchRules, into output: inout EventBuffer
  ) {
    motion.update(with: frame)
    // Simulated presses start between frames.
    if simulatedCount > 0 { motion.noteGesture(in: frame) }
    let clicking = frame.hasClicked ? clickingContacts(in: frame, rules) : nil
    if let clicking, clicking.isClear { clicks.note(clicking.lead) }
    if frame.hasBeginning { adopt(rules, in: frame, on: surface) }
    if followsClicks {
      clicked.update(with: frame, clicking, rules: rules, clicks: &clicks, into: &output)
      return setDeadline(nil, after: frame)
    }
    if !frame.ended.isEmpty {
      if let rule = surface.touchRule(clicks) { learnTouches(in: frame, rule, on: surface) }
      endPresses(in: frame, into: &output)
    }
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began {
        presses[contact.slot] = ForcePress(of: contact, rules: rules, on: surface, clicks: clicks)
        if presses[contact.slot].isSimulated { simulatedCount += 1 }
      }
    }
    updateAll(with: frame, on: surface, into: &output)
  }

  /// Cancels all presses, which do not start again before their contacts are lifted.
  mutating func cancelAll(in frame: Frame, at time: Timestamp, into output: inout EventBuffer) {
    clicked.cancel(in: frame, at: time, into: &output)
    var frame = frame
    frame.time = time
    frame.ended = frame.contacts.map { $0.with(.cancelled) }
    endPresses(in: frame, into: &output)
    setDeadline(nil, after: frame)
  }

  /// Updates the presses whose deadline has come, with the values of the last frame, which still hold.
  mutating func deadlineReached(
    _ deadline: Timestamp, after frame: Frame, on surface: Surface, into output: inout EventBuffer
  ) {
    if let due = clicked.deadline, due <= deadline {
      clicked.deadlineReached(deadline, in: frame, into: &output)
    }
    guard let due = pressDeadline, due <= deadline else {
      return setDeadline(pressDeadline, after: frame)
    }
    var (frame, next) = (frame, Timestamp?.none)
    (frame.time, frame.hasClicked) = (deadline, false)
    let only = surface.isPerContact ? nil : presser(in: frame)
    for contact in frame.contacts where presses[contact.slot].order == contact.order {
      if let due = presses[contact.slot].deadline, due <= deadline {
        presses[contact.slot].update(
          with: contact.with(.stationary), in: frame,
          mayStart: contact.order == only ?? contact.order, motion: &motion, into: &output)
      }
      next = .earliest(next, presses[contact.slot].deadline)
    }
    setDeadline(next, after: frame)
  }

  func current(in frame: Frame) -> [Press] {
    if let press = clicked.current(in: frame) { return [press] }
    return frame.contacts.compactMap { presses[$0.slot].current(of: $0) }
  }

  /// Updates all presses with a frame in which no contact begins or ends; see `SlotTable.decideThumbs(at:)`.
  mutating func updateAll(with frame: Frame, on surface: Surface, into output: inout EventBuffer) {
    guard !followsClicks else { return setDeadline(nil, after: frame) }
    let next = Presses.update(
      &presses, with: frame, only: surface.isPerContact ? nil : presser(in: frame), &motion,
      into: &output)
    setDeadline(next, after: frame)
  }

  /// Updates the presses of a frame's contacts, of which one alone may start if the sensor is shared; returns the earliest
  /// deadline.
  private static func update(
    _ presses: inout [ForcePress], with frame: Frame, only: Int?, _ motion: inout Motion,
    into output: inout EventBuffer
  ) -> Timestamp? {
    var deadline: Timestamp?
    let contacts = frame.contacts.span
    var presses = presses.mutableSpan
    for index in contacts.indices {
      let (slot, order) = (contacts[index].slot, contacts[index].order)
      guard presses[slot].order == order else { continue }
      presses[slot].update(
        with: contacts[index], in: frame, mayStart: order == only ?? order, motion: &motion,
        into: &output)
      if let next = presses[slot].deadline { deadline = min(next, deadline ?? next) }
    }
    return deadline
  }

  /// A thumb at rest or a hovering finger does not press; a palm does, and its force is not that of a finger beside it.
  private func presser(in frame: Frame) -> Int? {
    guard frame.contacts.count > 1 else { return frame.contacts.first?.order }
    var oldest: Int?
    for contact in frame.contacts {
      if presses[contact.slot].isPressing { return contact.order }
      guard !contact.isRestingThumb, !contact.isHovering else { continue }
      oldest = min(oldest ?? contact.order, contact.order)
    }
    return oldest
  }

  @inline(__always)
  private mutating func setDeadline(_ next: Timestamp?, after frame: Frame) {
    pressDeadline = next
    deadline = .earliest(.earliest(next, clicked.deadline), frame.undecidedUntil)
  }

  private mutating func endPresses(in frame: Frame, into output: inout EventBuffer) {
    for contact in frame.ended {
      // A contact that began and ended in this frame has no press.
      guard presses[contact.slot].order == contact.order else { continue }
      if presses[contact.slot].isSimulated { simulatedCount -= 1 }
      presses[contact.slot].fingerLeft(contact, in: frame, motion: motion, into: &output)
      presses[contact.slot].order = 0
    }
  }

  private mutating func learnTouches(in frame: Frame, _ rule: TouchRule, on surface: Surface) {
    let minimum = Double(surface.pressure?.axis.minimum ?? 0)
    for contact in frame.ended where contact.phase == .ended && contact.isFinger {
      guard let raw = motion.peak(of: contact), Double(raw) > minimum else { continue }
      let peak = Double(raw) - minimum
      if rule.isHard(peak) {
        hardTouches += 1
        guard hardTouches.isMultiple(of: TouchRule.learnedPart) else { continue }
      }
      clicks.note(strength: peak)
    }
  }

  /// Where the surface has clicked before, a press is a click; a hand that rests since then does not prevent that.
  private mutating func adopt(_ rules: TouchRules, in frame: Frame, on surface: Surface) {
    let isEmpty = frame.ended.isEmpty && frame.contacts.allSatisfy { $0.phase == .began }
    guard isEmpty || !followsClicks && !presses.contains(where: \.isPressing) else { return }
    followsClicks =
      rules.followsClicks && surface.clicksBySurface && !surface.simulatesPress
      && !clicks.values.isEmpty
  }

  /// Of several fingers that one has clicked whose force has grown most, and those whose force has grown `growthBeside` as much.
  ///
  /// Fingers that scroll may click the pad, but do not press.
  private func clickingContacts(in frame: Frame, _ rules: TouchRules) -> ClickingContacts? {
    if motion.quietEnd(rules.press.rules, after: frame.time) != nil { return nil }
    let fingers = frame.contacts.filter(\.isFinger)
    // Of equal ones the first, as in the plugin.
    guard let lead = fingers.max(by: { motion.growth(of: $0) < motion.growth(of: $1) }) else {
      return nil
    }
    let most = motion.growth(of: lead)
    let others = fingers.filter {
      $0.order != lead.order && most > 0 && motion.growth(of: $0) >= most * Presses.growthBeside
    }
    return ClickingContacts(
      lead: lead, orders: [lead.order] + others.map(\.order),
      isClear: fingers.count == 1 || others.isEmpty && most > ClickForce.plausible.lowerBound)
  }
}
