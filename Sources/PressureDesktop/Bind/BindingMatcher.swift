internal import PressureKit
internal import PressureProtocol

/// Determines which bindings an event of the daemon fires, without side effects.
///
///                started: fires stage 1
///     untracked ─────────────────────────▶ on a stage ◀──┐
///      ▲  ▲ │                                │  │  │     │ a higher stage: fires it
///      │  └─┘ anything else                  │  │  └─────┤
///      │                                     │  └────────┘ a lower stage: holds the keys above it no longer
///      └─────────────────────────────────────┘
///         ended, cancelled, connection lost: holds no keys
///
/// Stages are known by name only; their order follows from the order in which a press reaches them, beginning
/// with the first. Therefore a press whose `started` event was missed fires nothing until it ends, and a lost or
/// repeated event never fires a binding twice: only a stage above the current one fires.
struct BindingMatcher {
  struct Outcome: Hashable {
    var binding: Int

    /// Why it does not fire; reported only if `explains` is true.
    var mismatch: String?

    static func fire(_ binding: Int) -> Outcome { Outcome(binding: binding) }
  }

  /// Whether the outcomes include the press bindings that do not match, with the reason.
  var explains = false

  private struct PressKey: Hashable {
    var device: String
    var contact: Int64
  }

  private struct TrackedPress {
    /// The stages that it has reached, lowest first.
    var stages: [String] = []

    /// The index of the current stage; -1 before the first.
    var level = -1

    /// The keys that the press holds, with the binding and the level that pressed each.
    var held: [(key: EventCode, binding: Int, level: Int)] = []
  }

  private(set) var bindings: [Binding]
  private var presses: [PressKey: TrackedPress] = [:]
  private var firedGroups = FireOncePerGroup<Int, PressKey>()

  init(_ bindings: [Binding]) {
    self.bindings = bindings
  }

  /// The keys that presses hold, in the order in which each press has pressed them; several may hold the same.
  var heldKeys: [EventCode] { presses.values.flatMap { $0.held.map(\.key) } }

  mutating func update(with event: ReceivedEvent) -> [Outcome] {
    if case .press(let press) = event { return update(with: press) }
    guard case .action(let action) = event else { return [] }
    return bindings.indices.filter { bindings[$0].trigger == .action(action.type) }
      .map { .fire($0) }
  }

  /// Forgets all presses, because their `ended` events will not arrive.
  mutating func connectionLost() { (presses, firedGroups) = ([:], FireOncePerGroup()) }

  /// Records that a fired binding was not carried out, so that the press holds no key through it.
  mutating func cancel(_ binding: Int, for event: ReceivedEvent) {
    guard case .press(let press) = event else { return }
    let key = PressKey(device: press.device, contact: press.contact)
    presses[key]?.held.removeAll { $0.binding == binding }
  }

  /// Replaces the bindings; presses that continue hold no keys, and fire the new ones from their next stage on.
  mutating func replace(by bindings: [Binding]) {
    (self.bindings, firedGroups) = (bindings, FireOncePerGroup())
    for key in presses.keys { presses[key]?.held = [] }
  }

  private mutating func update(with press: ReceivedPress) -> [Outcome] {
    let key = PressKey(device: press.device, contact: press.contact)
    switch press.state {
    case .known(.started), .known(.changed), .known(.maximumReached):
      guard let stage = press.stage else { return [] }
      // A snapshot contains presses that started earlier; they fire nothing.
      let isNew = press.state == .started && press.present != true
      guard var tracked = presses[key] ?? (isNew ? TrackedPress() : nil) else {
        guard explains else { return [] }
        let mismatch = "the press started before pressured bind was connected"
        return bindings.indices.filter { bindings[$0].isForPress }
          .map { Outcome(binding: $0, mismatch: mismatch) }
      }
      defer { presses[key] = tracked }
      let before = tracked.level
      let level = tracked.stages.firstIndex(of: stage) ?? tracked.stages.count
      if level == tracked.stages.count { tracked.stages.append(stage) }
      tracked.level = level
      guard level <= before else { return fire(&tracked, by: press, key) }
      tracked.held.removeAll { $0.level > level }
      return []
    case .known(.ended), .known(.cancelled):
      firedGroups.release(key)
      presses[key] = nil
      return []
    case .unknown: return []
    }
  }

  private mutating func fire(
    _ tracked: inout TrackedPress, by press: ReceivedPress, _ key: PressKey
  ) -> [Outcome] {
    var outcomes: [Outcome] = []
    for (index, binding) in bindings.enumerated() {
      guard case .press(let trigger, let simulated) = binding.trigger else { continue }
      var mismatch = trigger.mismatch(with: press, simulated: simulated)
      if mismatch == nil, !firedGroups.admits(key, to: index, fingers: trigger.fingers) {
        mismatch = "another finger of the same press fired it"
      }
      if mismatch == nil || explains {
        outcomes.append(Outcome(binding: index, mismatch: mismatch))
      }
      if mismatch == nil, case .pressKey(let key) = binding.action {
        tracked.held.append((key, index, tracked.level))
      }
    }
    return outcomes
  }
}

extension ActionTrigger {
  /// The first condition that a press which has just reached its stage does not meet; nil if it meets all.
  fileprivate func mismatch(with press: ReceivedPress, simulated: Bool) -> String? {
    if press.stage != stage { return "it waits for the stage \(stage)" }
    let count = press.fingers ?? 1
    if !fingers.allows(count), case .exactly(let wanted) = fingers {
      return "it is for \(wanted) \(wanted == 1 ? "finger" : "fingers"), and there are \(count)"
    }
    if !device.matches(press.device) { return "it is not for the device \(press.device)" }
    if let region, region != press.target {
      return "it is for the region \(region), and the press started in "
        + (press.target.map { "the region \($0)" } ?? "no region")
    }
    if press.simulated == true, !simulated {
      return "the press is simulated by a finger that rests, and the binding lacks simulated: true"
    }
    return nil
  }
}
