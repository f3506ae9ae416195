internal import PressureKit
internal import PressureProtocol

/// Decides what each line of the daemon's sets off; it does nothing itself.
///
///                started: fires stage 1
///     unheard ───────────────────────────▶ on a stage ◀──┐
///      ▲  ▲ │                                │  │  │     │ a stage further up: fires it
///      │  └─┘ anything else                  │  │  └─────┤
///      │                                     │  └────────┘ a stage further down: lets go of those above
///      └─────────────────────────────────────┘
///         ended, cancelled, the connection lost: lets go of all
///
/// Stages are names here, and their order is learned: a press climbs them one by one from the first. So a
/// press whose start was not heard sets nothing off until it ends; a line that is lost or heard twice
/// never makes a binding fire again, as only a stage above the present one does.
struct BindingMatcher {
  /// What is to be done with a binding, by its place in the list.
  enum Outcome: Hashable {
    /// Run its command, or press its key.
    case fire(Int)
    /// Release its key.
    case letGo(Int)
    /// Nothing, for this reason; only where somebody has asked to know.
    case skip(Int, String)
  }

  /// Whether outcomes tell, too, why a binding on presses is not done.
  var explains = false

  private struct PressKey: Hashable {
    var device: String
    var contact: Int64
  }

  private struct HeardPress {
    /// The stages that it has been on, from the first up.
    var stages: [String] = []

    /// Where it is among them.
    var level = -1

    /// Bindings whose keys it holds, and the stages that these belong to.
    var held: [(binding: Int, level: Int)] = []

    var releases: [Outcome] { held.map { .letGo($0.binding) } }
  }

  private(set) var bindings: [Binding]
  private var presses: [PressKey: HeardPress] = [:]
  private var together = FireOncePerGroup<Int, PressKey>()

  init(_ bindings: [Binding]) {
    self.bindings = bindings
  }

  /// Gives what a line sets off, in order.
  mutating func hear(_ event: ReceivedEvent) -> [Outcome] {
    switch event {
    case .press(let press): hear(press)
    case .action(let action): hear(action)
    case .hello, .device, .contact, .weight, .maximumForce, .heaviest, .scale, .missed, .reply,
      .other:
      []
    }
  }

  /// Lets go of all keys, and of all presses: their ends will not be heard.
  mutating func forget() -> [Outcome] {
    defer { (presses, together) = ([:], FireOncePerGroup()) }
    return presses.values.flatMap(\.releases)
  }

  /// A binding that a line has fired was not done, so that the press holds no key by it.
  ///
  /// - Parameters:
  ///   - binding: its place in the list.
  ///   - event: the line.
  mutating func refuse(_ binding: Int, of event: ReceivedEvent) {
    guard case .press(let press) = event else { return }
    let key = PressKey(device: press.device, contact: press.contact)
    presses[key]?.held.removeAll { $0.binding == binding }
  }

  /// Puts other bindings in place; presses go on, and fire by these from their next stage on.
  ///
  /// - Parameter bindings: the new ones.
  /// - Returns: the keys of the old bindings that are to be let go first.
  mutating func replace(by bindings: [Binding]) -> [Outcome] {
    defer { (self.bindings, together) = (bindings, FireOncePerGroup()) }
    return presses.keys.flatMap { key in
      defer { presses[key]?.held = [] }
      return presses[key]?.releases ?? []
    }
  }
}

extension BindingMatcher {
  private mutating func hear(_ press: ReceivedPress) -> [Outcome] {
    let key = PressKey(device: press.device, contact: press.contact)
    switch press.state {
    case .known(.started), .known(.changed), .known(.maximumReached):
      guard let stage = press.stage else { return [] }
      guard var heard = presses[key] ?? (press.state == .started ? HeardPress() : nil) else {
        return explains ? skipAll("the press began before its start could be heard") : []
      }
      defer { presses[key] = heard }
      return move(&heard, to: stage, by: press, key)
    case .known(.ended), .known(.cancelled):
      together.release(key)
      return presses.removeValue(forKey: key)?.releases ?? []
    case .unknown: return []
    }
  }

  private mutating func move(
    _ heard: inout HeardPress, to stage: String, by press: ReceivedPress, _ key: PressKey
  ) -> [Outcome] {
    let before = heard.level
    heard.level = heard.stages.firstIndex(of: stage) ?? heard.stages.count
    let level = heard.level
    if level == heard.stages.count { heard.stages.append(stage) }
    guard level <= before else { return fire(&heard, by: press, key) }
    let above = heard.held.filter { $0.level > level }
    heard.held.removeAll { $0.level > level }
    return above.map { .letGo($0.binding) }
  }

  private mutating func fire(
    _ heard: inout HeardPress, by press: ReceivedPress, _ key: PressKey
  ) -> [Outcome] {
    var outcomes: [Outcome] = []
    for (index, binding) in bindings.enumerated() {
      guard case .press(let trigger) = binding.trigger else { continue }
      guard trigger.fits(press) else {
        if explains { outcomes.append(.skip(index, trigger.objection(to: press))) }
        continue
      }
      guard together.admits(key, to: index, fingers: trigger.fingers) else {
        if explains { outcomes.append(.skip(index, "another finger of the same press fired it")) }
        continue
      }
      outcomes.append(.fire(index))
      if binding.holdsKey { heard.held.append((index, heard.level)) }
    }
    return outcomes
  }

  private func skipAll(_ reason: String) -> [Outcome] {
    bindings.indices.filter { if case .press = bindings[$0].trigger { true } else { false } }
      .map { .skip($0, reason) }
  }

  private func hear(_ action: ReceivedAction) -> [Outcome] {
    bindings.indices.filter { bindings[$0].trigger == .action(action.type) }
      .flatMap { bindings[$0].holdsKey ? [.fire($0), .letGo($0)] : [.fire($0)] }
  }
}

extension Binding {
  fileprivate var holdsKey: Bool {
    switch deed {
    case .pressKey: true
    case .run: false
    }
  }
}

extension ActionTrigger {
  /// Whether a press that has just climbed to its stage is the one that is meant.
  fileprivate func fits(_ press: ReceivedPress) -> Bool {
    press.stage == stage && fingers.allows(press.fingers ?? 1) && device.matches(press.device)
      && (region == nil || region == press.target)
  }

  /// The first reason why a press is not the one that is meant.
  fileprivate func objection(to press: ReceivedPress) -> String {
    if press.stage != stage { return "it waits for the stage \(stage)" }
    let count = press.fingers ?? 1
    if !fingers.allows(count), case .exactly(let wanted) = fingers {
      return "it is for \(wanted) \(wanted == 1 ? "finger" : "fingers"), and there are \(count)"
    }
    if !device.matches(press.device) { return "it is for another device than \(press.device)" }
    return "it is for the region \(region ?? ""), and the press began in "
      + (press.target.map { "the region \($0)" } ?? "none")
  }
}
