package import PressureKit
internal import PressureProtocol

/// Checks the events of an engine against the invariants of presses.
///
///     (none) ──started──▶ open ──changed, fixed at most once──▶ open ──ended or cancelled──▶ (none)
package struct PressInvariants {
  /// A press that has started and not ended.
  private struct Open {
    var stage: Int
    var hasReachedMaximum = false
    var target: String?

    /// The ratio at the start, and the highest one since.
    var start: Double
    var peak: Double
  }

  /// The force at which the last press of a contact ended, and the lowest one since, as ratios.
  private struct Released {
    var ratio: Double
    var lowest: Double
    var time: Timestamp
  }

  /// Where a contact was, in millimeters.
  private struct Position {
    var time: Timestamp
    var x: Double
    var y: Double

    func isAway(from other: Position) -> Bool {
      let (x, y) = (x - other.x, y - other.y)
      return x * x + y * y >= 1
    }
  }

  /// The first invariant that was violated; nil if none was.
  package private(set) var broken: String?

  /// The number of press events.
  package private(set) var count = 0

  private let fingers: Fingers
  private let rules: PressRules

  /// The size of the surface in millimeters; the width counts as 100 mm if it is unknown.
  private let size: (width: Double, height: Double)

  /// Whether ratios and the unit of the stages are proportional and belong to one contact.
  private let isProportional: Bool
  private let names: [String]

  /// Contacts are identified by `order`, as a broken driver may give two of them the same ID.
  private var open: [Int: Open] = [:]
  private var down: Set<Int> = []
  private var released: [Int: Released] = [:]
  private var positions: [Int: [Position]] = [:]
  private var frames: [Timestamp] = []
  private var time = Timestamp(microseconds: .min)

  /// - Parameters:
  ///   - press: the configuration of presses.
  ///   - surface: the surface; nil leaves out the invariants of `PressRules`, which hold for fingers that neither hover nor change
  ///     their configuration.
  package init(_ press: PressConfiguration, on surface: Surface? = nil) {
    fingers = press.fingers
    rules = surface == nil ? .none : press.rules
    isProportional = surface?.isPerContact ?? false && press.curve.points.isEmpty
    let (width, height) = (Double(surface?.x.span ?? 0), Double(surface?.y.span ?? 0))
    size =
      if let width = surface?.x.millimeters, let height = surface?.y.millimeters {
        (width, height)
      } else {
        (100, width > 0 && height > 0 ? 100 * height / width : 100)
      }
    // Both stage ladders of these tests have the same names.
    names = press.stages.stages.map(\.name)
  }

  package mutating func check(_ buffer: EventBuffer) {
    for event in buffer.events {
      require(event.time >= time, "times never decrease", event)
      time = event.time
      switch event.kind {
      case .contact(let contact): check(contact, event)
      case .press(let press):
        count += 1
        check(press, event)
      case .weight(let report): note(report.contacts, event.time)
      case .maximumForce, .heaviest, .scale, .action, .capability: break
      }
    }
  }

  /// Checks the final state.
  package mutating func checkEnd() {
    if let order = open.keys.first { broken = broken ?? "press \(order) never ended" }
  }

  private mutating func require(_ condition: Bool, _ name: StaticString, _ event: Event) {
    if !condition, broken == nil { broken = "\(name): \(event)" }
  }

  private mutating func check(_ contact: Contact, _ event: Event) {
    switch contact.phase {
    case .began: down.insert(contact.order)
    case .ended, .cancelled:
      require(open[contact.order] == nil, "a press ends before its contact", event)
      down.remove(contact.order)
      released[contact.order] = nil
      positions[contact.order] = nil
    case .moved, .stationary: require(false, "a contact only begins and ends", event)
    }
  }

  private mutating func check(_ press: Press, _ event: Event) {
    require(down.contains(press.contact.order), "the contact of a press is down", event)
    require((-1...1).contains(press.transition), "transition is within -1…1", event)
    require((0...1).contains(press.progress), "progress is within 0…1", event)
    require(
      press.isSimulated == (press.weight == nil), "only a simulated press has no weight", event)
    let stage = names.firstIndex(of: press.stage) ?? -1
    switch press.state {
    case .started: start(press, stage, event)
    case .changed: change(press, stage, event)
    case .maximumReached: fix(press, stage, event)
    case .ended, .cancelled:
      let last = open.removeValue(forKey: press.contact.order)
      require(last != nil, "a press that ends has started", event)
      require(last.map { $0.stage == stage } ?? true, "no stage is skipped", event)
      require(last?.target == press.target?.name, "the target stays", event)
      if let last { end(press, last, event) }
    }
  }

  /// Follows the force and the location of each contact; a weight line precedes the presses of its frame.
  private mutating func note(_ contacts: [Contact], _ time: Timestamp) {
    frames.append(time)
    for contact in contacts {
      let (order, ratio) = (contact.order, contact.force.ratio)
      if let peak = open[order]?.peak { open[order]?.peak = max(peak, ratio) }
      if let lowest = released[order]?.lowest { released[order]?.lowest = min(lowest, ratio) }
      positions[order, default: []].append(
        Position(
          time: time, x: contact.location.x * size.width, y: contact.location.y * size.height))
    }
  }

  /// A press that ends by its force is below its start, or below the configured part of its peak.
  private mutating func end(_ press: Press, _ last: Open, _ event: Event) {
    guard press.state == .ended, press.crossing == .down, isProportional else { return }
    let ratio = press.force.ratio
    require(
      ratio < last.start || ratio < last.peak * rules.peakRelease + 1e-9,
      "it ends below its start or below a part of its peak", event)
    if rules.repress > 0 {
      released[press.contact.order] = Released(ratio: ratio, lowest: ratio, time: event.time)
    }
  }

  /// A press of the same contact starts above the force at which the last one ended, unless it is forgotten.
  private mutating func checkRepress(_ press: Press, _ event: Event) {
    guard let last = released.removeValue(forKey: press.contact.order) else { return }
    let elapsed = Double(event.time.microseconds(since: last.time))
    let memory = max(Double(rules.repressMilliseconds) * 1000, 1)
    let least = max(last.lowest, last.ratio * (1 - elapsed / memory))
    require(
      press.force.ratio >= least * rules.repress - 1e-9, "a hand that stays heavy presses once",
      event)
  }

  /// No press starts while two fingers move, that is, both are away from where they were 50 ms ago and some time before.
  ///
  /// The recognizer compares with one of the frames of that time; which of them depends on when it takes its samples.
  private mutating func checkQuiet(_ event: Event) {
    guard rules.quietMilliseconds > 0 else { return }
    var start = event.time
    for _ in 0..<2 { start = frame(before: frame(after: start.advanced(byMicroseconds: -25_000))) }
    start = start.advanced(byMicroseconds: -25_000)
    let end = event.time.advanced(byMicroseconds: -50_000)
    // Contacts rest where they are after a pause of 250 ms between a sample and a frame; a sample may be 25 ms old.
    let resumed = frame(after: end)
    guard resumed.microseconds(since: frame(before: resumed)) < 225_000 else { return }
    let moving = down.filter { order in
      guard let track = positions[order], let now = track.last, let first = track.first,
        first.time <= end
      else { return false }
      let earlier = track.indices.filter {
        track[$0].time <= end && ($0 + 1 == track.count || track[$0 + 1].time > start)
      }
      return earlier.allSatisfy { now.isAway(from: track[$0]) }
    }
    require(moving.count < 2, "no press starts while two fingers move", event)
  }

  private func frame(after time: Timestamp) -> Timestamp { frames.first { $0 > time } ?? time }

  private func frame(before time: Timestamp) -> Timestamp { frames.last { $0 < time } ?? time }

  private mutating func start(_ press: Press, _ stage: Int, _ event: Event) {
    require(open[press.contact.order] == nil, "a press starts once", event)
    require(stage == 0, "it starts on the first stage", event)
    require(
      !press.isSimulated || press.force.ratio == 0.1, "a simulated press starts at 0.1", event)
    require(fingers.allows(press.fingers), "the number of fingers is allowed", event)
    open[press.contact.order] = Open(
      stage: stage, target: press.target?.name, start: press.force.ratio, peak: press.force.ratio)
    guard !press.isSimulated else { return }
    if isProportional { checkRepress(press, event) }
    checkQuiet(event)
  }

  private mutating func change(_ press: Press, _ stage: Int, _ event: Event) {
    guard var last = open[press.contact.order] else {
      return require(false, "a press that changes has started", event)
    }
    let step = abs(stage - last.stage)
    require(step == (press.crossing != nil ? 1 : 0), "stages come in order, none skipped", event)
    require(press.crossing == nil || !event.isCoalescible, "a crossing is not lost", event)
    require(last.target == press.target?.name, "the target stays", event)
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
}
