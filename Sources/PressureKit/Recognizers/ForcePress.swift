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
  private struct Pressing {
    var climb = StageClimb()

    /// What it presses with, in the unit of the stages.
    var value: Double

    /// The region where it started; it stays the target, wherever the finger goes.
    let region: Int?

    var isFixed = false
  }

  private enum State {
    /// It is not pressed enough, or there are too few fingers.
    case waiting
    /// It stands on some stage.
    case pressing(Pressing)
    /// It is no press any more, however hard it is pressed.
    case failed
  }

  /// Which contact it follows.
  let order: Int

  private let rules: TouchRules
  private let ladder: PressLadder
  private var fingers = 0
  private var state = State.waiting

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
  mutating func see(
    _ contact: Contact, in frame: Frame, mayStart: Bool, into output: inout EventBuffer
  ) {
    fingers = frame.fingers
    let fits = rules.press.fingers.allows(fingers)
    let value = ladder.value(of: contact, in: frame)
    switch state {
    case .waiting:
      if rules.press.fingers.isExceeded(by: fingers) {
        state = .failed
      } else if fits, mayStart, ladder.isReached(by: value) {
        let region = rules.region(at: contact.location)
        climb(Pressing(value: value, region: region), contact, at: frame.time, &output)
      }
    case .pressing(var pressing):
      pressing.value = value
      if fits {
        climb(pressing, contact, at: frame.time, &output)
      } else {
        say(.cancelled, pressing, contact, at: frame.time, &output)
        state = .failed
      }
    case .failed: break
    }
  }

  /// The contact has gone, lifted or cancelled; what it pressed with last is what is said.
  mutating func part(
    with contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard case .pressing(let pressing) = state else { return }
    say(contact.phase == .cancelled ? .cancelled : .ended, pressing, contact, at: time, &output)
    state = .failed
  }
}

extension ForcePress {
  /// Says each stage on the way to the present value, then whether it is pressed to the full.
  private mutating func climb(
    _ before: Pressing, _ contact: Contact, at time: Timestamp, _ output: inout EventBuffer
  ) {
    var pressing = before
    var level = pressing.climb.level
    while let step = pressing.climb.step(towards: pressing.value, on: ladder) {
      let crossing: Press.Crossing = pressing.climb.level > level ? .up : .down
      say(step, pressing, contact, at: time, &output, crossing: crossing)
      level = pressing.climb.level
    }
    guard pressing.climb.level > 0 else { return state = .waiting }
    if !pressing.isFixed, contact.force.ratio >= rules.maximum.press {
      pressing.isFixed = true
      say(.fixed, pressing, contact, at: time, &output)
    } else if pressing.climb.level == before.climb.level, contact.phase == .moved {
      say(.changed, pressing, contact, at: time, &output)
    }
    state = .pressing(pressing)
  }

  @inline(never)
  private func say(
    _ state: Press.State, _ pressing: Pressing, _ contact: Contact, at time: Timestamp,
    _ output: inout EventBuffer, crossing: Press.Crossing? = nil
  ) {
    let level = pressing.climb.spoken
    let press = Press(
      contact: contact, state: state, fingers: fingers, stage: ladder.name(of: level),
      transition: ladder.transition(of: pressing.value, in: level), force: contact.force,
      isSimulated: false, crossing: crossing,
      target: rules.target(in: pressing.region, at: contact.location))
    output.say(.press(press), at: time)
  }
}
