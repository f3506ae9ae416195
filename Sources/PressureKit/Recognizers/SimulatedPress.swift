/// Simulates the press of one contact from the time that it rests.
///
///               fingers match           hold time: started       ratio 1: maximumReached
///     waiting ───────────────▶ holding ────────────────────▶ growing ────────────────▶ full
///      │  ▲                    │ │                            │  ▲ │                    │
///      │  └──too few fingers───┘ │          every 10 ms ──────┘──┘ │ moves away,        │
///      │                         │          changed                │ other fingers      │ other
///      │ too many fingers        │ moves away, too many fingers    │ (cancelled)        │ fingers
///      ▼                         ▼                                 ▼                    ▼
///      └────────────────────────────────▶ failed ◀───────────────────────(cancelled)────┘
///
/// A lift ends a started press, and a palm or a removed device cancels it. In the state `full` the finger may move
/// anywhere: `changed` then reports its location only.
///
/// It has no clock: at `deadline`, `deadlineReached(_:into:)` must be called.
struct SimulatedPress {
  /// The interval between two steps of the force.
  static let stepMicroseconds: Int64 = 10_000

  /// A ratio in twentieths, so that steps of 0.05 reach exactly 1.
  private struct Twentieths {
    /// The initial ratio is 0.1.
    static let first = Twentieths(count: 2)

    var count: Int

    var ratio: Double { Double(count) / 20 }

    var next: Twentieths { Twentieths(count: count + 1) }

    var isFull: Bool { count >= 20 }
  }

  private struct HoldRamp {
    var ratio = Twentieths.first
    var tracker = StageTracker()

    /// The location at which the finger began to rest.
    let origin: Location

    /// The region in which the press started; it stays the target wherever the finger moves.
    let region: Int?
  }

  private enum State {
    /// There are too few fingers.
    case waiting
    /// The finger rests; the press starts at the given time.
    case holding(from: Location, until: Timestamp)
    /// The press has started; its force increases at the given time.
    case growing(HoldRamp, next: Timestamp)
    /// The press has reached the maximum.
    case full(HoldRamp)
    /// The press failed and does not start again.
    case failed
  }

  private var contact: Contact
  private let rules: TouchRules
  private let ladder: PressLadder
  private let tolerance: MoveTolerance
  private var fingers = 0

  /// When it is decided whether contacts are thumbs, if that decides whether the press may start.
  private var undecidedUntil: Timestamp?

  /// Whether the pad is clicked, or was since the press started; nil if it does not click.
  private var hasClicked: Bool?
  private var isClicked = false
  private var state: State

  init(of contact: Contact, rules: TouchRules, on surface: Surface) {
    self.contact = contact
    self.rules = rules
    ladder = PressLadder(simulated: rules.press, from: Twentieths.first.ratio)
    tolerance = MoveTolerance(millimeters: rules.press.moveToleranceMillimeters, on: surface)
    hasClicked = surface.clicksBySurface ? false : nil
    state = ladder.stageCount > 0 ? .waiting : .failed
  }

  /// The `order` of its contact.
  var order: Int { contact.order }

  /// The time of the next step; nil if there is none.
  var deadline: Timestamp? {
    switch state {
    case .holding(from: _, let until): until
    case .growing(_, let next): next
    case .waiting, .full, .failed: nil
    }
  }
}

// MARK: - Contact

extension SimulatedPress {
  /// Updates the press with the contact of a frame.
  mutating func update(with contact: Contact, in frame: Frame, into output: inout EventBuffer) {
    self.contact = contact
    guard contact.isFinger else { return fingerLeft(at: frame.time, into: &output) }
    fingers = frame.fingers
    isClicked = frame.isClicked
    if isClicked || frame.hasClicked, hasClicked == false { hasClicked = true }
    let fits = rules.press.fingers.allows(fingers) && !isIgnoredThumb
    let isDecided =
      !contact.isUndecidedThumb && rules.press.fingers.allows(fingers + frame.undecidedCount)
    undecidedUntil = isDecided ? nil : frame.undecidedUntil
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

  /// The contact is not a finger any more: it hovers, and may return, or it is a palm.
  private mutating func fingerLeft(at time: Timestamp, into output: inout EventBuffer) {
    let last: Press.State = contact.isHovering ? .ended : .cancelled
    switch state {
    case .growing(let ramp, next: _), .full(let ramp): emit(last, ramp, at: time, &output)
    case .waiting, .holding, .failed: break
    }
    state = contact.isHovering && ladder.stageCount > 0 ? .waiting : .failed
  }

  /// The contact has ended or was cancelled.
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

  /// A thumb at rest does not begin a press; one that has begun continues.
  private var isIgnoredThumb: Bool {
    guard contact.isThumbAtRest else { return false }
    switch state {
    case .waiting, .holding: return true
    case .growing, .full, .failed: return false
    }
  }

  private mutating func hold(at time: Timestamp) {
    let until = time.advanced(byMicroseconds: rules.press.hold)
    state = .holding(from: contact.location, until: until)
  }

  /// As in UIKit, too few fingers wait for more, and too many fail.
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

// MARK: - Time

extension SimulatedPress {
  /// Performs the step that is due.
  ///
  /// - Parameters:
  ///   - deadline: the time.
  ///   - motion: the motion of all contacts; no press starts just after several have moved.
  ///   - output: receives the events.
  mutating func deadlineReached(
    _ deadline: Timestamp, motion: Motion, into output: inout EventBuffer
  ) {
    switch state {
    case .holding(let origin, until: _):
      if let end = motion.quietEnd(rules.press.rules), deadline < end {
        return state = .holding(from: origin, until: end)
      }
      if let end = undecidedUntil, deadline < end {
        return state = .holding(from: origin, until: end)
      }
      var ramp = HoldRamp(origin: origin, region: rules.region(at: contact.location))
      ramp.tracker.enterFirstStage()
      if hasClicked != nil { hasClicked = isClicked }
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

  /// Emits each stage on the way up; returns whether there was one.
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
    output.emit(.press(press(state, ramp, crossing)), at: time)
  }

  private func press(
    _ state: Press.State, _ ramp: HoldRamp, _ crossing: Press.Crossing? = nil
  ) -> Press {
    let ratio = ramp.ratio.ratio
    let value = ladder.value(ofSimulated: ratio)
    return Press(
      contact: contact, state: state, fingers: fingers,
      stage: ladder.name(of: ramp.tracker.level),
      transition: ladder.transition(of: value, in: ramp.tracker.level),
      force: Force(ratio: ratio, maximumPossible: Force.referenceMaximum),
      isSimulated: true, hasClicked: hasClicked, crossing: crossing,
      target: rules.target(in: ramp.region, at: contact.location))
  }

  /// The press in progress as of its latest event; nil if there is none.
  var current: Press? {
    switch state {
    case .growing(let ramp, next: _), .full(let ramp): press(.started, ramp)
    case .waiting, .holding, .failed: nil
    }
  }
}

/// The distance that a resting finger may move on one surface.
struct MoveTolerance {
  private let millimeters: Double

  /// The surface's height divided by its width; without a resolution both axes are assumed to have equal units.
  private let heightInWidths: Double

  init(millimeters: Double, on surface: Surface) {
    self.millimeters = millimeters
    let (width, height) = (surface.x.span, surface.y.span)
    heightInWidths = width > 0 && height > 0 ? Double(height) / Double(width) : 1
  }

  /// Whether the distance between two locations exceeds the tolerance.
  func isExceeded(from start: Location, to end: Location) -> Bool {
    if let here = start.millimeters, let there = end.millimeters {
      return MoveTolerance.isBeyond(millimeters, there.x - here.x, there.y - here.y)
    }
    let widths = (end.x - start.x, (end.y - start.y) * heightInWidths)
    return MoveTolerance.isBeyond(PressConfiguration.moveToleranceOfWidth, widths.0, widths.1)
  }

  /// Relative tolerance for the rounding error of a difference of two decimal fractions.
  private static let rounding = 1e-9

  private static func isBeyond(_ limit: Double, _ x: Double, _ y: Double) -> Bool {
    x * x + y * y > limit * limit * (1 + rounding)
  }
}
