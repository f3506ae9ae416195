/// The force that the next press of a contact must exceed: that at which the last one ended, or at which one was not allowed to
/// start.
///
/// It fades with time, but not below the actual force, so that a hand that stays heavy does not press twice.
struct HeldForce {
  /// The force as it is remembered now; 0 once it is forgotten.
  private var value = 0.0

  private var initial = 0.0
  private var time = Timestamp(microseconds: 0)
  private var previous = 0.0

  init() {}

  /// A press has ended, or was not allowed to start, at a value.
  init(_ value: Double, at time: Timestamp, _ rules: PressRules) {
    guard rules.repress > 0 else { return }
    (self.value, initial, self.time, previous) = (value, value, time, value)
  }

  var isHeld: Bool { value > 0 }

  func allows(_ value: Double, _ rules: PressRules) -> Bool { value >= self.value * rules.repress }

  /// Forgets a held force with time, with the actual one.
  @inline(never)
  mutating func fade(
    to actual: Double, at now: Timestamp, _ rules: PressRules, _ ladder: PressLadder
  ) {
    let memory = Double(rules.repressMemory)
    let elapsed = Double(now.microseconds(since: time))
    let faded = elapsed < memory ? initial * (1 - elapsed / memory) : 0
    // A dip of one frame is noise.
    value = min(value, max(actual, previous, faded))
    previous = actual
    if !ladder.isReached(by: value * rules.repress) { value = 0 }
  }
}

/// The greatest force of a contact that may not press yet, if it would have started a press.
struct EarlyForce {
  /// The contact when its force was greatest.
  private(set) var contact: Contact
  private(set) var value: Double
  var hasClicked = false

  mutating func note(_ contact: Contact, _ value: Double) {
    if value > self.value { (self.contact, self.value) = (contact, value) }
  }
}

/// How much harder a moving finger makes the release of its press.
struct DragHold {
  /// How long a finger that stops is still dragging, in microseconds: it may only pause.
  private static let pause: Int64 = 500_000

  /// The least factor for release points while the finger moved, and when it applied; 1 once it is forgotten.
  private var least = 1.0
  private var time = Timestamp(microseconds: 0)

  /// The factor for release points, with that for the present speed.
  mutating func factor(_ current: Double, at now: Timestamp) -> Double {
    if current <= least {
      (least, time) = (current, now)
    } else if now.microseconds(since: time) >= DragHold.pause {
      least = current
    }
    return least
  }
}
