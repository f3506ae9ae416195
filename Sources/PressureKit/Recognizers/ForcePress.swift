/// Recognizes the press of one contact from its force, measured or, as a `HoldRamp`, simulated.
///
///               press point of stage 1              effective maximum, once per press
///     waiting ─────────started───────▶ pressing ────────────maximumReached─────────┐
///      │  ▲                            │ │ │  ▲ ▲                                  │
///      │  └──ended: force released─────┘ │ │  │ └──────────────────────────────────┘
///      │                                 │ └──┘ changed: force, location or stage
///      │ too many        another number  │
///      │ fingers           of fingers    ▼
///      └──────────────────────────────▶ failed ──lift──▶ (removed)
///                         (cancelled)
///
/// In every state a lift ends it, and a palm or a removed device cancels it. A simulated press starts at the first force of its
/// ramp, and moving away before the ramp is full cancels it.
///
/// Finger counts work as in UIKit: with fewer fingers than configured the gesture waits; with more it fails until the
/// contact is lifted. After the press has started, any other number cancels it.
///
/// `PressRules` say when a press may start and when the force counts as released. They are evaluated only when a press would start
/// or end.
struct ForcePress {
  private enum State {
    /// The force is below the press point, or there are too few fingers.
    case waiting
    case pressing
    /// The press failed and does not start again before the contact is lifted.
    case failed
  }

  /// The `order` of its contact; 0 if it has none.
  var order: Int

  private let rules: TouchRules
  private let ladder: PressLadder

  private var state = State.waiting
  private var fingers = 0

  /// The current value in the unit of the stages.
  private var value = 0.0

  /// The simulated force; nil if the force is measured.
  private var ramp: HoldRamp?

  /// When a rule must be evaluated again although nothing changes; nil if none must.
  private var recheckAt: Timestamp?

  // The following values are valid while waiting.

  private var held = HeldForce()

  /// The age of the contact from which it may start a press, in microseconds.
  private let settling: Int64

  /// The greatest force before the contact may press.
  private var early: EarlyForce?

  // The following values are valid while pressing.

  /// The current stage, from 1 on, which changes one stage at a time; 0 before the first.
  ///
  ///              v ≥ press of 1             v ≥ press of 2
  ///     level 0 ───started────▶ stage 1 ──────changed────▶ stage 2 ──▶ …
  ///        ▲                      │     ▲                        │
  ///        └─ended: v < release 1─┘     └─changed: v < release 2─┘
  ///
  /// Each press point lies above its release point, and no threshold lies below that of the stage under it, so one value
  /// moves a press in one direction only.
  private var level = 0

  /// The region in which the press started; it stays the target wherever the finger moves.
  private var region: Int?

  private var hasReachedMaximum = false

  /// The release point of the press, that of the first stage at least, which rises with the peak.
  private var release = 0.0

  /// Whether the pad is or was clicked; nil if it does not click.
  private var hasClicked: Bool?

  private var drag = DragHold()

  /// The interval at which a press is evaluated again that only motion holds, in microseconds.
  private static let recheck: Int64 = 25_000

  init(rules: TouchRules) {
    (order, settling, self.rules) = (0, 0, rules)
    ladder = PressLadder([], top: 1)
  }

  init(of contact: Contact, rules: TouchRules, on surface: Surface, clicks: ClickForce) {
    order = contact.order
    self.rules = rules
    hasClicked = surface.clicksBySurface ? false : nil
    if surface.simulatesPress {
      (ladder, settling) = (PressLadder(simulated: rules.press), 0)
      if ladder.stageCount > 0 { ramp = HoldRamp(on: surface) }
    } else {
      ladder = PressLadder(rules.press, on: surface, clicks: clicks)
      settling = surface.reportsPalmsByArea ? rules.press.rules.settling : 0
    }
  }

  var isPressing: Bool { state == .pressing }

  var isSimulated: Bool { ramp != nil }

  /// When the press must be updated again although nothing changes; nil if it need not be.
  @inline(__always)
  var deadline: Timestamp? { ramp == nil ? recheckAt : state == .failed ? nil : ramp?.next }

  /// Updates the press with the contact of a frame; `mayStart` is false if another contact alone presses on a shared sensor.
  ///
  /// Inlined, as `Tests/counts` measures frames of ten contacts.
  @inline(__always)
  mutating func update(
    with contact: Contact, in frame: Frame, mayStart: Bool, motion: inout Motion,
    into output: inout EventBuffer
  ) {
    if recheckAt != nil { recheckAt = nil }
    guard contact.isFinger else {
      return fingerLeft(contact, in: frame, motion: motion, into: &output)
    }
    fingers = frame.fingers
    if ramp != nil {
      simulate(contact, in: frame, motion)
    } else {
      value = ladder.value(of: contact, in: frame)
      if state == .waiting { wait(for: contact, in: frame, mayStart: mayStart, &motion, &output) }
    }
    guard state == .pressing else { return }
    if frame.isClicked || frame.hasClicked, hasClicked == false { hasClicked = true }
    if rules.press.fingers.allows(fingers), ramp?.isLeft(for: contact.location) != true {
      updateStage(with: contact, at: frame.time, motion, &output)
    } else {
      emit(.cancelled, contact, at: frame.time, &output)
      state = .failed
    }
  }

  /// The contact is not a finger any more: it was lifted or cancelled, it hovers and may return, or it is a palm.
  ///
  /// The event has its last force.
  mutating func fingerLeft(
    _ contact: Contact, in frame: Frame, motion: Motion, into output: inout EventBuffer
  ) {
    let isLifted = contact.phase == .ended || contact.isHovering && contact.phase != .cancelled
    if early != nil, isLifted { tap(contact, in: frame, motion, &output) }
    if state == .pressing {
      emit(isLifted ? .ended : .cancelled, contact, at: frame.time, &output)
    }
    early = nil
    ramp?.reset()
    state = contact.isHovering ? .waiting : .failed
  }

  // MARK: - Simulating

  /// Sets the value to that of the ramp, which starts and grows with time.
  @inline(never)
  private mutating func simulate(_ contact: Contact, in frame: Frame, _ motion: Motion) {
    switch state {
    case .waiting: hold(contact, in: frame, motion)
    case .pressing where rules.press.fingers.allows(fingers): ramp?.advance(to: frame.time)
    case .pressing, .failed: break
    }
    value = ladder.value(ofSimulated: ramp?.ratio ?? 0)
  }

  /// Starts the press once the finger has rested for long enough, and nothing postpones it.
  private mutating func hold(_ contact: Contact, in frame: Frame, _ motion: Motion) {
    guard rules.press.fingers.allows(fingers), !contact.isThumbAtRest else {
      ramp?.reset()
      if rules.press.fingers.isExceeded(by: fingers) { state = .failed }
      return
    }
    guard let origin = ramp?.origin, let due = ramp?.next else {
      let end = frame.time.advanced(byMicroseconds: rules.press.hold)
      ramp?.rest(at: contact.location, until: end)
      return
    }
    if ramp?.isLeft(for: contact.location) == true { return state = .failed }
    guard due <= frame.time else { return }
    let quietEnd = motion.quietEnd(rules.press.rules, after: frame.time)
    // Whether contacts are thumbs, if the press depends on that, is decided in the frame at this time.
    let isDecided = !contact.isUndecidedThumb && allowsFingers(in: frame)
    if let end = quietEnd ?? (isDecided ? nil : frame.undecidedUntil), frame.time < end {
      ramp?.rest(at: origin, until: end)
    } else {
      ramp?.start(at: frame.time)
      begin(at: contact.location)
    }
  }

  // MARK: - Starting

  private mutating func wait(
    for contact: Contact, in frame: Frame, mayStart: Bool, _ motion: inout Motion,
    _ output: inout EventBuffer
  ) {
    if held.isHeld { held.fade(to: value, at: frame.time, rules.press.rules, ladder) }
    if rules.press.fingers.isExceeded(by: fingers) {
      (state, early) = (.failed, nil)
    } else if ladder.isReached(by: value), mayStart, allowsFingers(in: frame) {
      start(with: contact, in: frame, &motion)
    }
    guard early != nil else { return }
    if mayStart { settle(contact, in: frame, &motion, &output) } else { early = nil }
  }

  /// Whether the number of fingers allows a start, with and without contacts that may be thumbs.
  private func allowsFingers(in frame: Frame) -> Bool {
    rules.press.fingers.allows(fingers)
      && rules.press.fingers.allows(fingers + frame.undecidedCount)
  }

  @inline(never)
  private mutating func start(with contact: Contact, in frame: Frame, _ motion: inout Motion) {
    guard held.allows(value, rules.press.rules) else { return }
    let isQuiet = motion.quietEnd(rules.press.rules, with: contact, in: frame) != nil
    if contact.isThumbAtRest || isQuiet {
      // A thumb that was at rest, or a hand that leaned on a scroll, must press harder to start.
      early = nil
      held = HeldForce(value, at: frame.time, rules.press.rules)
    } else if early != nil {
      early?.note(contact, value)
    } else if isEarly(contact, at: frame.time) {
      early = EarlyForce(contact: contact, value: value)
    } else {
      begin(at: contact.location)
    }
  }

  /// Whether the contact may yet turn out to be a palm or a thumb at rest.
  private func isEarly(_ contact: Contact, at time: Timestamp) -> Bool {
    contact.isUndecidedThumb || time.microseconds(since: contact.beganAt) < settling
  }

  private mutating func begin(at location: Location) {
    state = .pressing
    (level, hasReachedMaximum) = (0, false)
    (held, early, drag) = (HeldForce(), nil, DragHold())
    if hasClicked != nil { hasClicked = false }
    release = ladder.threshold(of: 1).release
    region = rules.region(at: location)
  }

  /// Starts a press whose force came early once its contact may press, even if the force has decreased by then.
  ///
  /// As a press that has started, it fails if the number of fingers changes; if they turn out to scroll, it was none.
  @inline(never)
  private mutating func settle(
    _ contact: Contact, in frame: Frame, _ motion: inout Motion, _ output: inout EventBuffer
  ) {
    guard rules.press.fingers.allows(fingers), !contact.isThumbAtRest,
      motion.quietEnd(rules.press.rules, with: contact, in: frame) == nil
    else { return early = nil }
    if frame.isClicked || frame.hasClicked { early?.hasClicked = true }
    if isEarly(contact, at: frame.time) {
      // While it may be a thumb, the frame in which that is decided follows.
      let end = contact.beganAt.advanced(byMicroseconds: settling)
      if frame.time < end { recheckAt = end }
    } else if allowsFingers(in: frame) {
      startEarly(at: frame.time, motion, &output)
    }
  }

  /// The contact was lifted before it might press, and has pressed.
  @inline(never)
  private mutating func tap(
    _ contact: Contact, in frame: Frame, _ motion: Motion, _ output: inout EventBuffer
  ) {
    guard allowsFingers(in: frame), motion.quietEnd(rules.press.rules, after: frame.time) == nil
    else { return }
    startEarly(at: frame.time, motion, &output)
    // The force of a hovering contact is not that before.
    if contact.phase == .ended { updateStage(with: contact, at: frame.time, motion, &output) }
  }

  /// Emits the stages up to the early force, where it was greatest; the current value holds again afterwards.
  private mutating func startEarly(
    at time: Timestamp, _ motion: Motion, _ output: inout EventBuffer
  ) {
    guard let early else { return }
    begin(at: early.contact.location)
    if hasClicked != nil { hasClicked = early.hasClicked }
    let current = value
    value = early.value
    raiseRelease()
    while let step = step(early.contact, at: time, motion, ends: false) {
      emit(step, early.contact, at: time, &output, crossing: .up)
    }
    if reachesMaximum(early.contact) { emit(.maximumReached, early.contact, at: time, &output) }
    value = current
  }

  // MARK: - Pressing

  /// Emits each stage on the way to the current value, then whether the maximum was reached.
  private mutating func updateStage(
    with contact: Contact, at time: Timestamp, _ motion: Motion, _ output: inout EventBuffer
  ) {
    let before = level
    raiseRelease()
    if motion.hasSampled { noteDrag(contact, at: time, motion) }
    let ends = value < release && isReleased(below: release, contact, at: time, motion)
    while let step = step(contact, at: time, motion, ends: ends) {
      emit(step, contact, at: time, &output, crossing: level > before ? .up : .down)
      if level == 0 { break }
    }
    guard level > 0 else {
      held = HeldForce(value, at: time, rules.press.rules)
      return state = .waiting
    }
    if reachesMaximum(contact) {
      emit(.maximumReached, contact, at: time, &output)
    } else if level == before, hasChanged(contact), output.wantsPressChanges {
      emit(.changed, contact, at: time, &output)
    }
  }

  /// Moves one stage towards the current value, or towards the end, and returns the resulting state; nil if the stage is final.
  @inline(__always)
  private mutating func step(
    _ contact: Contact, at time: Timestamp, _ motion: Motion, ends: Bool
  ) -> Press.State? {
    if ends {
      level -= 1
      return level == 0 ? .ended : .changed
    }
    if level < ladder.stageCount, value >= ladder.threshold(of: level + 1).press {
      level += 1
      return level == 1 ? .started : .changed
    }
    guard level > 1 else { return nil }
    let point = ladder.threshold(of: level).release
    guard value < point, isReleased(below: point, contact, at: time, motion) else { return nil }
    level -= 1
    return .changed
  }

  /// Whether a value below a release point releases its stage, which a moving finger makes harder.
  @inline(never)
  private mutating func isReleased(
    below point: Double, _ contact: Contact, at time: Timestamp, _ motion: Motion
  ) -> Bool {
    let current = rules.press.rules.releaseFactor(at: motion.speed(of: contact, at: time))
    let factor = drag.factor(current, at: time)
    if value < min(point, max(point * factor, ladder.leastDragged)) { return true }
    recheckAt = time.advanced(byMicroseconds: ForcePress.recheck)
    return false
  }

  /// A finger that stops is still dragging for a while, also if its force decreases only then.
  @inline(never)
  private mutating func noteDrag(_ contact: Contact, at time: Timestamp, _ motion: Motion) {
    guard contact.phase == .moved else { return }
    let current = rules.press.rules.releaseFactor(at: motion.speed(of: contact, at: time))
    _ = drag.factor(current, at: time)
  }

  @inline(__always)
  private mutating func raiseRelease() {
    release = max(release, min(value, ladder.peakLimit) * rules.press.rules.peakRelease)
  }

  /// Whether the force or the location has changed; while a simulated force grows, only that counts.
  @inline(__always)
  private func hasChanged(_ contact: Contact) -> Bool {
    guard let ramp, !ramp.isFull else { return contact.phase == .moved }
    return ramp.hasStepped
  }

  @inline(__always)
  private mutating func reachesMaximum(_ contact: Contact) -> Bool {
    let ratio = ramp?.ratio ?? contact.force.ratio
    guard !hasReachedMaximum, ratio >= MaximumForce.threshold.press else { return false }
    hasReachedMaximum = true
    return true
  }

  /// Mutating without need: a nonmutating function would get a copy of this large value.
  @inline(never)
  private mutating func emit(
    _ state: Press.State, _ contact: Contact, at time: Timestamp, _ output: inout EventBuffer,
    crossing: Press.Crossing? = nil
  ) {
    output.emit(.press(press(state, contact, crossing)), at: time)
  }

  @inline(__always)
  private func press(
    _ state: Press.State, _ contact: Contact, _ crossing: Press.Crossing? = nil
  ) -> Press {
    // A press that has fallen to level 0 has left the first stage.
    let level = max(level, 1)
    return Press(
      contact: contact, state: state, fingers: fingers, stage: ladder.name(of: level),
      transition: ladder.transition(of: value, in: level), force: ramp?.force ?? contact.force,
      isSimulated: isSimulated, hasClicked: hasClicked, crossing: crossing,
      target: rules.target(in: region, at: contact.location))
  }

  func current(of contact: Contact) -> Press? {
    state == .pressing ? press(.started, contact) : nil
  }
}
