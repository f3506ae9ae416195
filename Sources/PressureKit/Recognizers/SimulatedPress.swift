/// Makes up a press for one contact, from the time that it rests.
///
///               fingers fit             hold time: started             ratio 1: fixed
///     waiting ───────────────▶ holding ────────────────────▶ growing ────────────────▶ full
///      │  ▲                    │ │                            │  ▲ │                    │
///      │  └──too few fingers───┘ │          every 10 ms ──────┘──┘ │ moves away,        │
///      │                         │          changed                │ other fingers      │ other
///      │ too many fingers        │ moves away, too many fingers    │ (cancelled)        │ fingers
///      ▼                         ▼                                 ▼                    ▼
///      └────────────────────────────────▶ failed ◀───────────────────────(cancelled)────┘
///
/// A lift ends what has started, and a palm or a lost device cancels it. When it is full the finger may
/// go where it likes: it is `changed` then by its place alone.
///
/// It has no clock: `deadline` says when it wants to go on, and `pass` goes on.
struct SimulatedPress {
  /// How long the force stays as it is.
  static let stepMicroseconds: Int64 = 10_000

  /// A ratio in twentieths, so that sums of 0.05 come to 1 exactly.
  private struct Twentieths {
    /// The ratio it starts at is 0.1.
    static let first = Twentieths(count: 2)

    var count: Int

    var ratio: Double { Double(count) / 20 }

    var next: Twentieths { Twentieths(count: count + 1) }

    var isFull: Bool { count >= 20 }
  }

  private struct HoldRamp {
    var ratio = Twentieths.first
    var tracker = StageTracker()

    /// Where the finger was first held.
    let origin: Location

    /// Where the press started; it stays the target, wherever the finger goes.
    let region: Int?
  }

  private enum State {
    /// There are too few fingers.
    case waiting
    /// It rests, for long enough at the time that is given.
    case holding(from: Location, until: Timestamp)
    /// It presses, harder at the time that is given.
    case growing(HoldRamp, next: Timestamp)
    /// It is pressed to the full.
    case full(HoldRamp)
    /// It is no press any more, however long it rests.
    case failed
  }

  private var contact: Contact
  private let rules: TouchRules
  private let ladder: PressLadder
  private let tolerance: MoveTolerance
  private var fingers = 0
  private var state: State

  init(of contact: Contact, rules: TouchRules, on surface: Surface) {
    self.contact = contact
    self.rules = rules
    ladder = PressLadder(simulated: rules.press, from: Twentieths.first.ratio)
    tolerance = MoveTolerance(millimeters: rules.press.moveToleranceMillimeters, on: surface)
    state = ladder.stageCount > 0 ? .waiting : .failed
  }

  /// Which contact it follows.
  var order: Int { contact.order }

  /// When it goes on by itself, or nil.
  var deadline: Timestamp? {
    switch state {
    case .holding(from: _, let until): until
    case .growing(_, let next): next
    case .waiting, .full, .failed: nil
    }
  }
}

// MARK: - The finger

extension SimulatedPress {
  /// Follows the contact through a frame.
  mutating func update(with contact: Contact, in frame: Frame, into output: inout EventBuffer) {
    self.contact = contact
    guard contact.isFinger else { return fingerLeft(at: frame.time, into: &output) }
    fingers = frame.fingers
    let fits = rules.press.fingers.allows(fingers)
    switch state {
    case .waiting: if fits { hold(at: frame.time) } else { wait() }
    case .holding(let origin, until: _):
      if !fits { wait() } else if hasMovedAway(from: origin) { state = .failed }
    case .growing(let ramp, next: _):
      if !fits || hasMovedAway(from: ramp.origin) { cancel(ramp, at: frame.time, &output) }
    case .full(let ramp):
      if !fits {
        cancel(ramp, at: frame.time, &output)
      } else if contact.phase == .moved {
        emit(.changed, ramp, at: frame.time, &output)
      }
    case .failed: break
    }
  }

  /// The contact is a finger on the surface no more: it hovers, and may come back, or it is a palm.
  private mutating func fingerLeft(at time: Timestamp, into output: inout EventBuffer) {
    let last: Press.State = contact.isHovering ? .ended : .cancelled
    switch state {
    case .growing(let ramp, next: _), .full(let ramp): emit(last, ramp, at: time, &output)
    case .waiting, .holding, .failed: break
    }
    state = contact.isHovering && ladder.stageCount > 0 ? .waiting : .failed
  }

  /// The contact has gone, lifted or cancelled.
  mutating func contactEnded(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    self.contact = contact
    let last: Press.State = contact.phase == .cancelled ? .cancelled : .ended
    switch state {
    case .growing(let ramp, next: _), .full(let ramp): emit(last, ramp, at: time, &output)
    case .waiting, .holding, .failed: break
    }
    state = .failed
  }

  private mutating func hold(at time: Timestamp) {
    let until = time.advanced(byMicroseconds: rules.press.hold)
    state = .holding(from: contact.location, until: until)
  }

  /// As with UIKit, too few fingers wait for the others, and too many fail.
  private mutating func wait() {
    state = rules.press.fingers.isExceeded(by: fingers) ? .failed : .waiting
  }

  private mutating func cancel(_ ramp: HoldRamp, at time: Timestamp, _ output: inout EventBuffer) {
    emit(.cancelled, ramp, at: time, &output)
    state = .failed
  }

  private func hasMovedAway(from origin: Location) -> Bool {
    tolerance.isExceeded(from: origin, to: contact.location)
  }
}

// MARK: - The time

extension SimulatedPress {
  /// Does what was to be done at the deadline.
  mutating func deadlineReached(_ deadline: Timestamp, into output: inout EventBuffer) {
    switch state {
    case .holding(let origin, until: _):
      var ramp = HoldRamp(origin: origin, region: rules.region(at: contact.location))
      ramp.tracker.enterFirstStage()
      emit(.started, ramp, at: deadline, &output, crossing: .up)
      _ = updateStage(&ramp, at: deadline, &output)
      state = .growing(ramp, next: SimulatedPress.step(after: deadline))
    case .growing(var ramp, next: _):
      ramp.ratio = ramp.ratio.next
      let hasStepped = updateStage(&ramp, at: deadline, &output)
      if ramp.ratio.isFull {
        emit(.maximumReached, ramp, at: deadline, &output)
        state = .full(ramp)
      } else {
        if !hasStepped { emit(.changed, ramp, at: deadline, &output) }
        state = .growing(ramp, next: SimulatedPress.step(after: deadline))
      }
    case .waiting, .full, .failed: break
    }
  }

  private static func step(after time: Timestamp) -> Timestamp {
    time.advanced(byMicroseconds: stepMicroseconds)
  }

  /// Says each stage on the way up; true where there was one.
  private func updateStage(
    _ ramp: inout HoldRamp, at time: Timestamp, _ output: inout EventBuffer
  ) -> Bool {
    let value = ladder.value(ofSimulated: ramp.ratio.ratio)
    let before = ramp.tracker.level
    while ramp.tracker.stepUp(towards: value, on: ladder) {
      emit(.changed, ramp, at: time, &output, crossing: .up)
    }
    return ramp.tracker.level > before
  }

  private func emit(
    _ state: Press.State, _ ramp: HoldRamp, at time: Timestamp, _ output: inout EventBuffer,
    crossing: Press.Crossing? = nil
  ) {
    let ratio = ramp.ratio.ratio
    let value = ladder.value(ofSimulated: ratio)
    let press = Press(
      contact: contact, state: state, fingers: fingers,
      stage: ladder.name(of: ramp.tracker.level),
      transition: ladder.transition(of: value, in: ramp.tracker.level),
      force: Force(ratio: ratio, maximumPossible: Force.referenceMaximum),
      isSimulated: true, crossing: crossing,
      target: rules.target(in: ramp.region, at: contact.location))
    output.emit(.press(press), at: time)
  }
}

/// How far a finger that is held may stray on one surface.
struct MoveTolerance {
  private let millimeters: Double

  /// The surface's height in widths: without a resolution, the units of both axes are taken to be alike.
  private let heightInWidths: Double

  init(millimeters: Double, on surface: Surface) {
    self.millimeters = millimeters
    let (width, height) = (surface.x.span, surface.y.span)
    heightInWidths = width > 0 && height > 0 ? Double(height) / Double(width) : 1
  }

  /// Whether it is too far from one place to another.
  func isExceeded(from start: Location, to end: Location) -> Bool {
    if let here = start.millimeters, let there = end.millimeters {
      return MoveTolerance.isBeyond(millimeters, there.x - here.x, there.y - here.y)
    }
    let widths = (end.x - start.x, (end.y - start.y) * heightInWidths)
    return MoveTolerance.isBeyond(PressConfiguration.moveToleranceOfWidth, widths.0, widths.1)
  }

  /// What a difference of two decimal fractions may be too large by, as a part.
  private static let rounding = 1e-9

  private static func isBeyond(_ limit: Double, _ x: Double, _ y: Double) -> Bool {
    x * x + y * y > limit * limit * (1 + rounding)
  }
}
