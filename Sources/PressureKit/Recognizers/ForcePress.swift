/// Follows how hard one contact presses, stage by stage.
///
///               press point of stage 1              effective maximum, once in a press
///     waiting ─────────started───────▶ pressing ───────────────fixed──────────────┐
///      │  ▲                            │ │ │  ▲ ▲                                  │
///      │  └──ended: below its release──┘ │ │  │ └──────────────────────────────────┘
///      │                                 │ └──┘ changed: force, place, or stage
///      │ too many        another number  │
///      │ fingers           of fingers    ▼
///      └──────────────────────────────▶ failed ──lift──▶ (nothing)
///                         (cancelled)
///
/// A lift ends it, and a palm or a lost device cancels it, in whatever stage it is.
///
/// Fingers are as UIKit has them: while there are fewer than configured the gesture waits for the
/// others; one too many, and it fails until the contact is lifted. Once the press has started any other
/// number cancels it.
struct ForcePress {
  private enum State {
    /// It is not pressed enough, or there are too few fingers.
    case waiting
    /// It stands on some stage.
    case pressing
    /// It is no press any more, however hard it is pressed.
    case failed
  }

  /// Which contact it follows.
  let order: Int

  private let rules: TouchRules
  private let ladder: PressLadder

  private var state = State.waiting
  private var fingers = 0

  /// What it presses with, in the unit of the stages.
  private var value = 0.0

  // What follows holds while it presses.

  private var tracker = StageTracker()

  /// The region where it started; it stays the target, wherever the finger goes.
  private var region: Int?

  private var hasReachedMaximum = false

  init(of contact: Contact, rules: TouchRules, on surface: Surface) {
    order = contact.order
    self.rules = rules
    ladder = PressLadder(rules.press, on: surface)
  }

  /// Follows the contact through a frame.
  ///
  /// - Parameters:
  ///   - contact: as the frame has it.
  ///   - frame: the frame.
  ///   - mayStart: false where another contact has the sensor for itself.
  ///   - output: where it speaks.
  mutating func update(
    with contact: Contact, in frame: Frame, mayStart: Bool, into output: inout EventBuffer
  ) {
    guard contact.isFinger else { return fingerLeft(contact, at: frame.time, into: &output) }
    fingers = frame.fingers
    value = ladder.value(of: contact, in: frame)
    if state == .waiting { wait(for: contact, mayStart: mayStart) }
    guard state == .pressing else { return }
    if rules.press.fingers.allows(fingers) {
      updateStage(with: contact, at: frame.time, &output)
    } else {
      emit(.cancelled, contact, at: frame.time, &output)
      state = .failed
    }
  }

  /// The contact has gone, lifted or cancelled; what it pressed with last is what is said.
  mutating func contactEnded(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard state == .pressing else { return }
    emit(contact.phase == .cancelled ? .cancelled : .ended, contact, at: time, &output)
    state = .failed
  }
}

extension ForcePress {
  /// The contact is a finger on the surface no more: it hovers, and may come back, or it is a palm.
  private mutating func fingerLeft(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    if state == .pressing {
      emit(contact.isHovering ? .ended : .cancelled, contact, at: time, &output)
    }
    state = contact.isHovering ? .waiting : .failed
  }

  /// Starts to press if it is time to.
  private mutating func wait(for contact: Contact, mayStart: Bool) {
    if rules.press.fingers.isExceeded(by: fingers) {
      state = .failed
    } else if mayStart, rules.press.fingers.allows(fingers), ladder.isReached(by: value) {
      state = .pressing
      (tracker, hasReachedMaximum) = (StageTracker(), false)
      region = rules.region(at: contact.location)
    }
  }

  /// Says each stage on the way to the present value, then whether it is pressed to the full.
  private mutating func updateStage(
    with contact: Contact, at time: Timestamp, _ output: inout EventBuffer
  ) {
    let before = tracker.level
    var level = before
    while let step = tracker.step(towards: value, on: ladder) {
      emit(step, contact, at: time, &output, crossing: tracker.level > level ? .up : .down)
      level = tracker.level
    }
    guard level > 0 else { return state = .waiting }
    if !hasReachedMaximum, contact.force.ratio >= rules.maximum.press {
      hasReachedMaximum = true
      emit(.maximumReached, contact, at: time, &output)
    } else if level == before, contact.phase == .moved {
      emit(.changed, contact, at: time, &output)
    }
  }

  /// It changes nothing; but what only looks at a large value gets a copy of it.
  @inline(never)
  private mutating func emit(
    _ state: Press.State, _ contact: Contact, at time: Timestamp, _ output: inout EventBuffer,
    crossing: Press.Crossing? = nil
  ) {
    let level = tracker.reportedLevel
    let press = Press(
      contact: contact, state: state, fingers: fingers, stage: ladder.name(of: level),
      transition: ladder.transition(of: value, in: level), force: contact.force,
      isSimulated: false, crossing: crossing,
      target: rules.target(in: region, at: contact.location))
    output.emit(.press(press), at: time)
  }
}
