import Testing

@testable import PressureBindings
@testable import PressureKit
@testable import PressureProtocol
@testable import PressureTerminal

/// What sets a binding off: lines above, what is done below.
struct BindingMatcherTests {
  private static let light = binding("light")
  private static let deep = binding("deep")
  private static let deepKey = binding("deep", .pressKey(.key(0x112)))
  private static let lightKey = binding("light", .pressKey(.key(0x110)))

  private static func binding(
    _ stage: String, _ deed: Binding.BindingAction = .run(["a"]),
    _ change: (inout ActionTrigger) -> Void = { _ in }
  ) -> Binding {
    var trigger = ActionTrigger(stage: stage)
    change(&trigger)
    return Binding(trigger: .press(trigger), deed: deed)
  }

  private func press(
    _ state: Press.State?, _ stage: String? = nil, contact: Int64 = 1, device: String = "a",
    fingers: Int? = 1, target: String? = nil
  ) -> ReceivedEvent {
    var press = ReceivedPress(
      time: 0, device: device, contact: contact, state: state.map { .known($0) } ?? .unknown)
    (press.stage, press.fingers, press.target) = (stage, fingers, target)
    return .press(press)
  }

  private func outcomes(
    _ bindings: [Binding], _ events: [ReceivedEvent]
  ) -> [[BindingMatcher.Outcome]] {
    var matcher = BindingMatcher(bindings)
    return events.map { matcher.hear($0) }
  }

  @Test func `each stage fires once on the way up`() {
    let lines = [
      press(.started, "light"), press(.changed, "light"), press(.changed, "deep"),
      press(.changed, "deep"), press(.maximumReached, "deep"), press(.changed, "deep"),
      press(.ended, "deep"),
    ]
    #expect(
      outcomes([Self.light, Self.deep], lines) == [[.fire(0)], [], [.fire(1)], [], [], [], []])
  }

  @Test func `the way down fires nothing, and the next way up fires again`() {
    let lines = [
      press(.started, "light"), press(.changed, "deep"), press(.changed, "light"),
      press(.changed, "deep"), press(.ended, "deep"), press(.started, "light"),
    ]
    #expect(
      outcomes([Self.light, Self.deep], lines)
        == [[.fire(0)], [.fire(1)], [], [.fire(1)], [], [.fire(0)]])
  }

  @Test func `a press that starts on the bound stage fires it`() {
    #expect(outcomes([Self.deep], [press(.started, "deep")]) == [[.fire(0)]])
  }

  @Test func `a line that is lost makes nothing fire twice`() {
    let lines = [
      press(.started, "light"), press(.changed, "deep"),
      // A way down and up again was lost here, and there a second start comes.
      press(.changed, "deep"), press(.started, "deep"), press(.maximumReached, "deep"),
    ]
    #expect(outcomes([Self.deep], lines) == [[], [.fire(0)], [], [], []])
  }

  @Test func `a press whose start was not heard fires nothing until it ends`() {
    let lines = [
      press(.changed, "light"), press(.changed, "deep"), press(.ended, "deep"),
      press(.started, "deep"),
    ]
    #expect(outcomes([Self.deep], lines) == [[], [], [], [.fire(0)]])
  }

  @Test func `presses are told apart by device and contact`() {
    let lines = [
      press(.started, "deep"), press(.started, "deep", contact: 2),
      press(.started, "deep", device: "b"), press(.changed, "deep", contact: 2),
    ]
    #expect(outcomes([Self.deep], lines) == [[.fire(0)], [.fire(0)], [.fire(0)], []])
  }

  @Test func `a binding fires where all its conditions hold`() {
    let two = Self.binding("deep") { $0.fingers = .exactly(2) }
    let left = Self.binding("deep") { $0.region = "left" }
    let pads = Self.binding("deep") { $0.device = "0018-*" }
    let bindings = [two, left, pads]
    #expect(outcomes(bindings, [press(.started, "deep")]) == [[]])
    #expect(outcomes(bindings, [press(.started, "deep", fingers: 2)]) == [[.fire(0)]])
    #expect(outcomes(bindings, [press(.started, "deep", target: "left")]) == [[.fire(1)]])
    #expect(outcomes(bindings, [press(.started, "deep", device: "0018-06cb")]) == [[.fire(2)]])
  }

  @Test(arguments: [Press.State.ended, .cancelled])
  func `a key is held until the press is over`(end: Press.State) {
    let lines = [press(.started, "light"), press(.changed, "deep"), press(end, "deep"), press(end)]
    #expect(outcomes([Self.deepKey], lines) == [[], [.fire(0)], [.letGo(0)], []])
  }

  @Test func `a key is held until the press falls below its stage`() {
    let lines = [
      press(.started, "light"), press(.changed, "deep"), press(.changed, "deepest"),
      press(.changed, "deep"), press(.changed, "light"), press(.ended, "light"),
    ]
    #expect(
      outcomes([Self.lightKey, Self.deepKey], lines)
        == [[.fire(0)], [.fire(1)], [], [], [.letGo(1)], [.letGo(0)]])
  }

  @Test func `a lost connection lets go of all, and its presses are over`() {
    var matcher = BindingMatcher([Self.deepKey])
    _ = matcher.hear(press(.started, "deep"))
    _ = matcher.hear(press(.started, "deep", contact: 2))
    #expect(matcher.forget() == [.letGo(0), .letGo(0)])
    #expect(matcher.forget() == [])
    #expect(matcher.hear(press(.changed, "deep")) == [])
    #expect(matcher.hear(press(.ended, "deep")) == [])
  }

  @Test func `a press whose key was refused releases nobody's key`() {
    var matcher = BindingMatcher([Self.lightKey])
    let second = press(.started, "light", contact: 2)
    #expect(matcher.hear(press(.started, "light")) == [.fire(0)])
    #expect(matcher.hear(second) == [.fire(0)])
    matcher.refuse(0, of: second)
    #expect(matcher.hear(press(.ended, "light", contact: 2)) == [])
    #expect(matcher.hear(press(.ended, "light")) == [.letGo(0)])
  }

  @Test func `other bindings let go of the old ones' keys, and do not fire anew`() {
    var matcher = BindingMatcher([Self.lightKey])
    _ = matcher.hear(press(.started, "light"))
    #expect(matcher.replace(by: [Self.deep, Self.lightKey]) == [.letGo(0)])
    #expect(matcher.hear(press(.changed, "light")) == [])
    #expect(matcher.hear(press(.changed, "deep")) == [.fire(0)])
    #expect(matcher.hear(press(.ended, "deep")) == [])
  }

  @Test func `an action fires each time, and taps a key`() {
    let bindings = [
      Binding(trigger: .action("a"), deed: .run(["x"])),
      Binding(trigger: .action("a"), deed: .pressKey(.key(1))),
      Binding(trigger: .action("b"), deed: .run(["x"])),
    ]
    let action = ReceivedEvent.action(ReceivedAction(time: 0, type: "a"))
    let expected: [BindingMatcher.Outcome] = [.fire(0), .fire(1), .letGo(1)]
    #expect(outcomes(bindings, [action, action, .other]) == [expected, expected, []])
  }

  @Test func `a state or a stage that is not known is passed over`() {
    #expect(outcomes([Self.deep], [press(nil, "deep"), press(.started)]) == [[], []])
  }
}
