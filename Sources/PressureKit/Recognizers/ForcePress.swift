/// Recognizes the press of one contact from its measured force.
///
///               press point of stage 1              effective maximum, once per press
///     waiting ─────────started───────▶ pressing ────────────maximumReached─────────┐
///      │  ▲                            │ │ │  ▲ ▲                                  │
///      │  └──ended: below its release──┘ │ │  │ └──────────────────────────────────┘
///      │                                 │ └──┘ changed: force, location or stage
///      │ too many        another number  │
///      │ fingers           of fingers    ▼
///      └──────────────────────────────▶ failed ──lift──▶ (removed)
///                         (cancelled)
///
/// In every state a lift ends it, and a palm or a removed device cancels it.
///
/// Finger counts work as in UIKit: with fewer fingers than configured the gesture waits; with more it fails until the
/// contact is lifted. After the press has started, any other number cancels it.
struct ForcePress {
  private enum State {
    /// The force is below the press point, or there are too few fingers.
    case waiting
    /// The press has started.
    case pressing
    /// The press failed and does not start again before the contact is lifted.
    case failed
  }

  /// The `order` of its contact.
  let order: Int

  private let rules: TouchRules
  private let ladder: PressLadder

  private var state = State.waiting
  private var fingers = 0

  /// The current value in the unit of the stages.
  private var value = 0.0

  // The following values are valid while pressing.

  private var tracker = StageTracker()

  /// The region in which the press started; it stays the target wherever the finger moves.
  private var region: Int?

  private var hasReachedMaximum = false

  init(of contact: Contact, rules: TouchRules, on surface: Surface) {
    order = contact.order
    self.rules = rules
    ladder = PressLadder(rules.press, on: surface)
  }

  /// Updates the press with the contact of a frame.
  ///
  /// - Parameters:
  ///   - contact: the contact as of the frame.
  ///   - frame: the frame.
  ///   - mayStart: false if another contact alone presses on a shared sensor.
  ///   - output: receives the events.
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

  /// The contact has ended or was cancelled; the event has its last force.
  mutating func contactEnded(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard state == .pressing else { return }
    emit(contact.phase == .cancelled ? .cancelled : .ended, contact, at: time, &output)
    state = .failed
  }
}

extension ForcePress {
  /// The contact is not a finger any more: it hovers, and may return, or it is a palm.
  private mutating func fingerLeft(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    if state == .pressing {
      emit(contact.isHovering ? .ended : .cancelled, contact, at: time, &output)
    }
    state = contact.isHovering ? .waiting : .failed
  }

  /// Starts the press if all conditions are met.
  private mutating func wait(for contact: Contact, mayStart: Bool) {
    if rules.press.fingers.isExceeded(by: fingers) {
      state = .failed
    } else if mayStart, rules.press.fingers.allows(fingers), ladder.isReached(by: value) {
      state = .pressing
      (tracker, hasReachedMaximum) = (StageTracker(), false)
      region = rules.region(at: contact.location)
    }
  }

  /// Emits each stage on the way to the current value, then whether the maximum was reached.
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

  /// Mutating without need: a nonmutating function would get a copy of this large value.
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
