package import PressureKit
internal import PressureProtocol

/// Checks the events of an engine against the invariants of presses.
///
///     (none) ──started──▶ open ──changed, fixed at most once──▶ open ──ended or cancelled──▶ (none)
///
/// It receives the same input events as the engine, and follows contacts, their motion and the button by itself: `TouchHistory`.
/// The invariants of `PressRules` are those of `PressLaw`; a press that is a click of the pad follows none of them.
package struct PressInvariants {
  /// A press that has started and not ended.
  private struct Open {
    var stage: Int
    var hasReachedMaximum = false
    var target: String?
    var isSimulated: Bool
    var hasClicked: Bool?

    /// The value at the start and the highest one since; nil if it is unknown.
    var start: Double?
    var peak: Double?

    /// The least factor of a drag that has held the press, and when.
    var drag: (factor: Double, time: Timestamp)?
  }

  /// The value at which the last press of a contact ended, and the lowest one since.
  private struct Released {
    var value: Double
    var lowest: Double
    var time: Timestamp
  }

  /// The first invariant that was violated; nil if none was.
  package private(set) var broken: String?

  package private(set) var count = 0

  /// The configuration of contacts that begin later.
  private var press: PressConfiguration
  private var law: PressLaw?
  private var lawSurface: Surface
  private var laws: [Int: PressLaw] = [:]
  private var history: TouchHistory

  /// Contacts are identified by `order`, as a broken driver may give two of them the same ID.
  private var open: [Int: Open] = [:]
  private var released: [Int: Released] = [:]
  private var pressed: Set<Int> = []
  private var failed: Set<Int> = []
  private var down: Set<Int> = []

  /// The contacts that ended in the events that are checked now, and presses that must end in them.
  private var gone: Set<Int> = []
  private var taps: [Int: Event] = [:]
  private var time = Timestamp(microseconds: .min)

  /// Checks presses of a surface; `configure` changes their configuration.
  package init(_ press: PressConfiguration, on surface: Surface) {
    (self.press, lawSurface) = (press, surface)
    history = TouchHistory(on: surface)
  }

  /// Contacts that begin from now on have another configuration.
  package mutating func configure(_ press: PressConfiguration) {
    (self.press, law) = (press, nil)
  }

  /// Follows an input event before the engine receives it.
  package mutating func receive(_ event: InputEvent) { history.receive(event) }

  /// Follows the time before the engine advances to it.
  package mutating func advance(to time: Timestamp) { history.advance(to: time) }

  /// Checks the events that an input event or a deadline caused.
  package mutating func check(_ buffer: EventBuffer, _ frame: Frame, on surface: Surface) {
    gone.removeAll(keepingCapacity: true)
    for event in buffer.events {
      guard case .contact(let contact) = event.kind, contact.phase != .began else { continue }
      gone.insert(contact.order)
    }
    for event in buffer.events {
      require(event.time >= time, "times never decrease", event)
      time = event.time
      switch event.kind {
      case .contact(let contact): check(contact, event, surface)
      case .press(let press):
        count += 1
        check(press, event, surface)
      case .weight(let report): note(report, event.time)
      case .maximumForce, .heaviest, .scale, .action, .capability: break
      }
    }
    for (order, event) in taps where open[order] != nil {
      require(false, "no press starts before its contact has settled, unless it is a tap", event)
    }
    if !taps.isEmpty { taps.removeAll() }
    checkForces(frame)
  }

  package mutating func checkEnd() {
    if let order = open.keys.first { broken = broken ?? "press \(order) never ended" }
    history.removed()
  }

  private mutating func require(_ condition: Bool, _ name: StaticString, _ event: Event) {
    if !condition, broken == nil { broken = "\(name): \(event)" }
  }
}

// MARK: - Contacts and frames

extension PressInvariants {
  private mutating func check(_ contact: Contact, _ event: Event, _ surface: Surface) {
    let order = contact.order
    switch contact.phase {
    case .began:
      down.insert(order)
      if law == nil || surface != lawSurface {
        (law, lawSurface) = (PressLaw(press, on: surface), surface)
      }
      laws[order] = surface.clicksBySurface && press.followsClicks ? nil : law
      history.began(contact, at: event.time)
    case .ended, .cancelled:
      require(open[order] == nil, "a press ends before its contact", event)
      down.remove(order)
      released[order] = nil
      pressed.remove(order)
      failed.remove(order)
      laws[order] = nil
      history.ended(contact, at: event.time)
    case .moved, .stationary: require(false, "a contact only begins and ends", event)
    }
  }

  /// Follows the force and the location of each contact; a weight line precedes the presses of its frame.
  private mutating func note(_ report: WeightReport, _ time: Timestamp) {
    history.note(report.contacts, at: time)
    for contact in report.contacts {
      let order = contact.order
      guard let law = laws[order], let value = law.value(of: contact, in: report) else { continue }
      if let lowest = released[order]?.lowest { released[order]?.lowest = min(lowest, value) }
      guard let peak = open[order]?.peak else { continue }
      open[order]?.peak = max(peak, value)
      guard let speed = history.certainSpeed(of: order, at: time) else { continue }
      let factor = law.releaseFactor(at: speed)
      guard factor < 1, value < law.point(afterPeak: max(peak, value)) else { continue }
      if let drag = open[order]?.drag, drag.factor < factor, law.isHeld(drag.time, at: time) {
        continue
      }
      open[order]?.drag = (factor, time)
    }
  }

  /// The force of each contact against what it should have caused after a frame.
  private mutating func checkForces(_ frame: Frame) {
    guard broken == nil else { return }
    for contact in frame.contacts {
      let order = contact.order
      guard let law = laws[order], !law.isSimulated else { continue }
      if !law.fingers.allows(frame.fingers) { failed.insert(order) }
      guard let value = law.value(of: contact, in: frame), contact.isFinger else { continue }
      if let last = open[order], !last.isSimulated {
        if value < law.certainRelease { broken = "a light force ends a press: \(contact)" }
        if let peak = last.peak, !history.hasMoved(order),
          value < law.point(afterPeak: max(peak, value)) - 1e-9
        {
          broken = "a finger at rest ends its press below the release point: \(contact)"
        }
      } else if open[order] == nil, !pressed.contains(order), !failed.contains(order),
        frame.contacts.count == 1, law.mustStart(value), history.wasAlone(order, law.rules),
        frame.time.microseconds(since: contact.beganAt) >= law.settling
      {
        broken = "a finger that presses alone has pressed: \(contact)"
      }
    }
  }
}

// MARK: - Presses

extension PressInvariants {
  private mutating func check(_ press: Press, _ event: Event, _ surface: Surface) {
    let order = press.contact.order
    require(down.contains(order), "the contact of a press is down", event)
    require((-1...1).contains(press.transition), "transition is within -1…1", event)
    require((0...1).contains(press.progress), "progress is within 0…1", event)
    require(press.weight == nil || !press.isSimulated, "a simulated press has no weight", event)
    // On a shared sensor the weight is unknown if the pressure of any contact is.
    require(
      press.weight != nil || press.isSimulated || press.contact.raw == nil || !surface.isPerContact,
      "a measured press has a weight", event)
    guard let law = laws[order] else { return }
    let stage = law.names.firstIndex(of: press.stage) ?? -1
    if !press.hasEnded {
      require(law.fingers.allows(press.fingers), "the number of fingers is allowed", event)
      require(press.contact.isFinger, "what presses is a finger, not a palm nor hovering", event)
    }
    switch press.state {
    case .started: start(press, stage, law, event, surface)
    case .changed: change(press, stage, law, event)
    case .maximumReached: fix(press, stage, event)
    case .ended, .cancelled: end(press, stage, law, event)
    }
    checkClick(press, event)
  }

  private mutating func start(
    _ press: Press, _ stage: Int, _ law: PressLaw, _ event: Event, _ surface: Surface
  ) {
    let order = press.contact.order
    require(open[order] == nil, "a press starts once", event)
    require(stage == 0, "it starts on the first stage", event)
    require(
      !press.isSimulated || press.force.ratio == 0.1, "a simulated press starts at 0.1", event)
    require(
      surface.isPerContact || press.isSimulated || open.isEmpty,
      "one contact presses a shared sensor", event)
    require(!press.contact.isThumbAtRest, "a thumb at rest starts no press", event)
    let value = law.value(of: press)
    open[order] = Open(
      stage: stage, target: press.target?.name, isSimulated: press.isSimulated,
      hasClicked: press.hasClicked, start: value, peak: value)
    pressed.insert(order)
    require(
      history.knownGesture.map { event.time >= law.quietEnd(after: $0) } ?? true,
      "no press starts within the quiet time", event)
    guard !press.isSimulated else { return }
    if let value, let point = law.first?.press {
      require(value >= point, "it starts at its press point", event)
    }
    checkRepress(press, value, law, event)
    if law.rules.quiet > 0, press.contact.phase != .stationary {
      require(
        !history.isMovingTogether(at: event.time), "no press starts while two fingers move", event)
    }
    if event.time.microseconds(since: press.contact.beganAt) < law.settling { taps[order] = event }
  }

  /// A press of the same contact starts above the force at which the last one ended, unless it is forgotten.
  private mutating func checkRepress(
    _ press: Press, _ value: Double?, _ law: PressLaw, _ event: Event
  ) {
    guard let last = released.removeValue(forKey: press.contact.order), let value else { return }
    let elapsed = Double(event.time.microseconds(since: last.time))
    let memory = max(Double(law.rules.repressMemory), 1)
    let least = max(last.lowest, last.value * (1 - elapsed / memory))
    require(
      value >= least * law.rules.repress * (1 - 1e-9), "a hand that stays heavy presses once",
      event)
  }

  private mutating func change(_ press: Press, _ stage: Int, _ law: PressLaw, _ event: Event) {
    guard var last = open[press.contact.order] else {
      return require(false, "a press that changes has started", event)
    }
    let step = abs(stage - last.stage)
    require(step == (press.crossing != nil ? 1 : 0), "stages come in order, none skipped", event)
    require(press.crossing == nil || !event.isCoalescible, "a crossing is not lost", event)
    require(last.target == press.target?.name, "the target stays", event)
    if !press.isSimulated, let value = law.value(of: press) {
      switch press.crossing {
      case .up:
        let point = law.threshold(of: stage)?.press
        require(point.map { value >= $0 } ?? true, "a stage begins at its press point", event)
      case .down:
        if let point = law.threshold(of: last.stage)?.release {
          let end = last.peak.map { law.point(afterPeak: max($0, value)) } ?? point
          require(
            value < max(point, end) * (1 + 1e-9), "a stage ends below its release point", event)
        }
      case nil: break
      }
    }
    last.stage = stage
    open[press.contact.order] = last
  }

  private mutating func fix(_ press: Press, _ stage: Int, _ event: Event) {
    guard let last = open[press.contact.order] else {
      return require(false, "a press at the maximum has started", event)
    }
    require(press.force.ratio >= 1, "the maximum is not reached below it", event)
    require(!last.hasReachedMaximum, "a press reaches the maximum once", event)
    require(stage == last.stage, "reaching the maximum does not change the stage", event)
    open[press.contact.order]?.hasReachedMaximum = true
  }

  private mutating func end(_ press: Press, _ stage: Int, _ law: PressLaw, _ event: Event) {
    let order = press.contact.order
    guard let last = open.removeValue(forKey: order) else {
      return require(false, "a press that ends has started", event)
    }
    require(last.stage == stage, "no stage is skipped", event)
    require(last.target == press.target?.name, "the target stays", event)
    guard !press.isSimulated else { return }
    if press.state == .cancelled {
      require(
        gone.contains(order) || !press.contact.isFinger || !law.fingers.allows(press.fingers),
        "a press is cancelled by a palm, a loss or another number of fingers", event)
    } else if press.crossing == nil {
      require(
        gone.contains(order) || press.contact.isHovering,
        "a press ends by its force or with its contact", event)
    } else if let value = law.value(of: press) {
      endByForce(value, last, law, event, order)
    }
  }

  /// A press that ends by its force is below its release point, or below the configured part of its peak; during a drag, by far.
  private mutating func endByForce(
    _ value: Double, _ last: Open, _ law: PressLaw, _ event: Event, _ order: Int
  ) {
    guard let start = last.start, let peak = last.peak else { return }
    require(
      value < start || value < peak * law.rules.peakRelease * (1 + 1e-9),
      "it ends below its start or below a part of its peak", event)
    let point = law.point(afterPeak: max(peak, value))
    require(value < point * (1 + 1e-9), "it ends below its release point", event)
    var factor = history.certainSpeed(of: order, at: event.time).map(law.releaseFactor(at:)) ?? 1
    if let drag = last.drag, law.isHeld(drag.time, at: event.time) {
      factor = min(factor, drag.factor)
    }
    require(
      value < max(point * factor, law.leastDragged) * (1 + 1e-9), "a drag does not end its press",
      event)
    if law.rules.repress > 0 {
      released[order] = Released(value: value, lowest: value, time: event.time)
    }
  }

  /// `clicked` is whether the button is down, or has been since the press started.
  private mutating func checkClick(_ press: Press, _ event: Event) {
    let order = press.contact.order
    guard history.hasButton else {
      return require(press.hasClicked == nil, "only a pad that clicks has `clicked`", event)
    }
    guard let hasClicked = press.hasClicked else {
      return require(false, "a pad that clicks has `clicked`", event)
    }
    let before = open[order]?.hasClicked
    require(before != true || hasClicked, "a press stays clicked", event)
    if hasClicked {
      require(
        history.wasDown(since: press.contact.beganAt), "no press is clicked without a click", event)
    } else if !gone.contains(order), !press.contact.isHovering, !press.hasEnded {
      require(!history.isDown(at: event.time), "a click during a press is noted", event)
    }
    open[order]?.hasClicked = hasClicked
  }
}
