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
  }

  /// The first invariant that was violated; nil if none was.
  package private(set) var broken: String?

  /// The number of press events.
  package private(set) var count = 0

  private let fingers: Fingers
  private let names: [String]

  /// Contacts are identified by `order`, as a broken driver may give two of them the same ID.
  private var open: [Int: Open] = [:]
  private var down: Set<Int> = []
  private var time = Timestamp(microseconds: .min)

  package init(_ press: PressConfiguration) {
    fingers = press.fingers
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
      case .weight, .maximumForce, .heaviest, .scale, .action, .capability: break
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
    }
  }

  private mutating func start(_ press: Press, _ stage: Int, _ event: Event) {
    require(open[press.contact.order] == nil, "a press starts once", event)
    require(stage == 0, "it starts on the first stage", event)
    require(
      !press.isSimulated || press.force.ratio == 0.1, "a simulated press starts at 0.1", event)
    require(fingers.allows(press.fingers), "the number of fingers is allowed", event)
    open[press.contact.order] = Open(stage: stage, target: press.target?.name)
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
