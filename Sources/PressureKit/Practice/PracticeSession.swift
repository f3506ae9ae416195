/// Gestures that a user performs one after another, and what each is recognized as.
///
///                 touch                       bare for 0.7 s
///     waiting ───────────▶ touching ──lift──▶ lifted ───────────▶ waiting for the next gesture
///        ▲                     ▲                │
///        └── bare ── occupied  └─────touch──────┘
///
/// Where a gesture ends follows from the events alone, so that a recording of them gives the same result. It has no clock:
/// `advance(to:)` must be called at `deadline`.
package struct PracticeSession {
  package struct Performed: Hashable, Sendable {
    package let gesture: PracticeGesture
    package let outcome: PracticeOutcome

    /// The end of its events in `events`.
    package let end: Int
  }

  /// How long the surface must be bare after a gesture, in microseconds: longer than between the parts of one.
  private static let pause: Int64 = 700_000

  /// The maximum number of events: more than an hour of two fingers.
  package static let maxEvents = 2_000_000

  private enum Phase: Equatable {
    /// Something was on the surface when the session began.
    case occupied
    case waiting
    case touching
    case lifted(Timestamp)
  }

  package let times: Int
  package private(set) var performed: [Performed] = []

  /// The events so far; those of repeated gestures are removed.
  package private(set) var events: [InputEvent] = []

  private let limit: Int
  private let surface: Surface
  private let configuration: Configuration
  private let device: DeviceID
  private var trial: PracticeTrial
  private var phase = Phase.waiting

  /// The end of the initial state in `events`.
  private var start = 0

  /// Asks for each gesture `times` times.
  ///
  /// `limit` is the maximum number of events.
  package init(
    on surface: Surface, configuration: Configuration, device: DeviceID, times: Int,
    limit: Int = PracticeSession.maxEvents
  ) {
    self.limit = limit
    self.surface = surface
    self.configuration = configuration
    self.device = device
    self.times = times
    trial = PracticeTrial(surface, configuration, device, ClickForce())
  }

  package var current: PracticeGesture? {
    let gestures = PracticeGesture.allCases
    let number = performed.count / times
    return number < gestures.count && !isFull ? gestures[number] : nil
  }

  /// The number of the current gesture among those of its kind, counted from 1.
  package var number: Int { performed.count % times + 1 }

  package var isFull: Bool { events.count >= limit }

  package var isOccupied: Bool { phase == .occupied }

  package var ratio: Double { trial.engine.contacts.map(\.force.ratio).max() ?? 0 }

  /// The time at which `advance(to:)` is due; nil if there is none.
  package var deadline: Timestamp? {
    guard case .lifted(let time) = phase else { return trial.engine.deadline }
    return .earliest(
      trial.engine.deadline, time.advanced(byMicroseconds: PracticeSession.pause))
  }

  /// Starts with the state of a device: what is on the surface already is not a gesture.
  package mutating func begin(with state: [InputEvent]) {
    for event in state { trial.receive(event) }
    events = state
    start = state.count
    phase = trial.isTouched ? .occupied : .waiting
  }

  package mutating func receive(_ event: InputEvent) {
    guard current != nil else { return }
    advance(to: event.time)
    guard current != nil else { return }
    events.append(event)
    trial.receive(event)
    guard event.code == .report else { return }
    switch (phase, trial.isTouched) {
    case (.waiting, true), (.lifted, true): phase = .touching
    case (.touching, false): phase = .lifted(event.time)
    case (.occupied, false):
      phase = .waiting
      _ = trial.finishGesture()
      events = PracticeSession.state(after: events[...], at: event.time)
      start = events.count
    case (.waiting, false), (.touching, true), (.lifted, false), (.occupied, true): break
    }
  }

  /// Ends the gesture if the surface has been bare for long enough.
  package mutating func advance(to time: Timestamp) {
    trial.advance(to: time)
    guard case .lifted(let lifted) = phase,
      time.microseconds(since: lifted) >= PracticeSession.pause
    else { return }
    endGesture()
  }

  /// Ends a gesture after which there are no more events.
  package mutating func finish() {
    if case .lifted = phase { endGesture() }
  }

  private mutating func endGesture() {
    phase = .waiting
    let outcome = trial.finishGesture()
    guard let current else { return }
    performed.append(Performed(gesture: current, outcome: outcome, end: events.count))
  }

  // MARK: - Repeating a gesture

  /// Whether there is a gesture to repeat: a finger that touches may belong to the next one.
  package var canRepeat: Bool { phase == .waiting && !performed.isEmpty }

  /// Removes the last gesture, so that it is asked for again.
  ///
  /// One frame replaces its events: the kernel reports changes only, and later contacts start with the values of their slots.
  package mutating func repeatLast() {
    guard canRepeat else { return }
    performed.removeLast()
    let start = performed.last?.end ?? start
    let removed = events[start...]
    guard let time = removed.last?.time else { return }
    events.replaceSubrange(start..., with: PracticeSession.state(after: removed, at: time))
  }

  /// The last values of events, as one frame.
  private static func state(
    after events: ArraySlice<InputEvent>, at time: Timestamp
  ) -> [InputEvent] {
    // By slots; before its first change, events are of the slot that was current.
    let (unknown, common) = (Int.min, Int.max)
    var values: [Int: [EventCode: Int32]] = [common: [:]]
    var slot = unknown
    for event in events where !event.code.isSynchronization {
      guard event.code != .slot else {
        slot = Int(event.value)
        continue
      }
      // From `ABS_MT_TOUCH_MAJOR` to `ABS_MT_TOOL_Y`.
      let isOfSlot =
        event.code.type == EventCode.slot.type && (0x30...0x3d).contains(event.code.code)
      values[isOfSlot ? slot : common, default: [:]][event.code] = event.value
    }
    var frame: [InputEvent] = []
    for (key, codes) in values.sorted(by: { $0.key < $1.key }) {
      let number = key == common ? slot : key
      if number != unknown {
        frame.append(InputEvent(time: time, code: .slot, value: Int32(number)))
      }
      for (code, value) in codes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        frame.append(InputEvent(time: time, code: code, value: value))
      }
    }
    frame.append(InputEvent(time: time, code: .report, value: 0))
    return frame
  }

  // MARK: - Comparing sensitivities

  /// What all gestures are recognized as with the configuration, or with one of the named sensitivities in it.
  ///
  /// All start with what is known of the pad's clicks at the end.
  package func outcomes(with feel: PressFeel? = nil) -> [PracticeOutcome] {
    var configuration = configuration
    configuration.press.feel = feel
    for index in configuration.devices.indices { configuration.devices[index].press?.feel = feel }
    var trial = PracticeTrial(surface, configuration, device, self.trial.engine.clicks)
    var next = 0
    return performed.map { gesture in
      for event in events[next..<gesture.end] { trial.receive(event) }
      next = gesture.end
      return trial.finishGesture()
    }
  }

  package func rightCount(_ outcomes: [PracticeOutcome], of kind: PracticeGesture? = nil) -> Int {
    zip(performed, outcomes).count {
      (kind == nil || $0.gesture == kind) && $1.isRight(for: $0.gesture)
    }
  }

  /// Of several that recognize equally many, the one in the middle of the scale; nil if the configuration is as good.
  package var proposal: PressFeel? {
    var (best, most) = (PressFeel?.none, rightCount(outcomes()))
    for feel in [PressFeel.medium, .light, .firm, .fixed] {
      let count = rightCount(outcomes(with: feel))
      if count > most { (best, most) = (feel, count) }
    }
    return best
  }
}
