import Testing

@testable import PressureDesktop
@testable import PressureKit
@testable import PressureProtocol

/// Which bindings a sequence of events fires.
struct BindingMatcherTests {
  private static let light = binding("light")
  private static let deep = binding("deep")
  private static let deepKey = binding("deep", .pressKey(.key(0x112)))
  private static let lightKey = binding("light", .pressKey(.key(0x110)))

  private static func binding(
    _ stage: String, _ action: Binding.Action = .run(["a"]),
    _ change: (inout ActionTrigger) -> Void = { _ in }
  ) -> Binding {
    var trigger = ActionTrigger(stage: stage)
    change(&trigger)
    return Binding(trigger: .press(trigger), action: action)
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
    return events.map { matcher.update(with: $0) }
  }

  /// The keys that are held after each of a sequence of events.
  private func heldKeys(_ bindings: [Binding], _ events: [ReceivedEvent]) -> [[UInt16]] {
    var matcher = BindingMatcher(bindings)
    return events.map {
      _ = matcher.update(with: $0)
      return matcher.heldKeys.map(\.code)
    }
  }

  @Test func `each stage fires once while the press rises`() {
    let lines = [
      press(.started, "light"), press(.changed, "light"), press(.changed, "deep"),
      press(.changed, "deep"), press(.maximumReached, "deep"), press(.changed, "deep"),
      press(.ended, "deep"),
    ]
    #expect(
      outcomes([Self.light, Self.deep], lines) == [[.fire(0)], [], [.fire(1)], [], [], [], []])
  }

  @Test func `falling fires nothing, and rising again fires again`() {
    let lines = [
      press(.started, "light"), press(.changed, "deep"), press(.changed, "light"),
      press(.changed, "deep"), press(.ended, "deep"), press(.started, "light"),
    ]
    #expect(
      outcomes([Self.light, Self.deep], lines)
        == [[.fire(0)], [.fire(1)], [], [.fire(1)], [], [.fire(0)]])
  }

  @Test func `a lost line does not make a binding fire twice`() {
    let lines = [
      press(.started, "light"), press(.changed, "deep"),
      // A fall and a rise were lost here; then a second `started` arrives.
      press(.changed, "deep"), press(.started, "deep"), press(.maximumReached, "deep"),
    ]
    #expect(outcomes([Self.deep], lines) == [[], [.fire(0)], [], [], []])
  }

  @Test func `a press whose start was missed fires nothing until it ends`() {
    let lines = [
      press(.changed, "light"), press(.changed, "deep"), press(.ended, "deep"),
      press(.started, "deep"),
    ]
    #expect(outcomes([Self.deep], lines) == [[], [], [], [.fire(0)]])
  }

  @Test func `presses are distinguished by device and contact`() {
    let lines = [
      press(.started, "deep"), press(.started, "deep", contact: 2),
      press(.started, "deep", device: "b"), press(.changed, "deep", contact: 2),
    ]
    #expect(outcomes([Self.deep], lines) == [[.fire(0)], [.fire(0)], [.fire(0)], []])
  }

  @Test func `a binding fires if all its conditions are met`() {
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
  func `a key is held until the press ends`(end: Press.State) {
    let lines = [press(.started, "light"), press(.changed, "deep"), press(end, "deep"), press(end)]
    #expect(outcomes([Self.deepKey], lines) == [[], [.fire(0)], [], []])
    #expect(heldKeys([Self.deepKey], lines) == [[], [0x112], [], []])
  }

  @Test func `a key is held until the press falls below its stage`() {
    let lines = [
      press(.started, "light"), press(.changed, "deep"), press(.changed, "deepest"),
      press(.changed, "deep"), press(.changed, "light"), press(.ended, "light"),
    ]
    #expect(
      heldKeys([Self.lightKey, Self.deepKey], lines)
        == [[0x110], [0x110, 0x112], [0x110, 0x112], [0x110, 0x112], [0x110], []])
  }

  @Test func `a lost connection releases all keys and forgets all presses`() {
    var matcher = BindingMatcher([Self.deepKey])
    _ = matcher.update(with: press(.started, "deep"))
    _ = matcher.update(with: press(.started, "deep", contact: 2))
    #expect(matcher.heldKeys == [.key(0x112), .key(0x112)])
    matcher.connectionLost()
    #expect(matcher.heldKeys == [])
    #expect(matcher.update(with: press(.changed, "deep")) == [])
    #expect(matcher.update(with: press(.ended, "deep")) == [])
  }

  @Test func `a press whose binding was not executed does not release the key of another press`() {
    var matcher = BindingMatcher([Self.lightKey])
    let second = press(.started, "light", contact: 2)
    #expect(matcher.update(with: press(.started, "light")) == [.fire(0)])
    #expect(matcher.update(with: second) == [.fire(0)])
    matcher.cancel(0, for: second)
    #expect(matcher.update(with: press(.ended, "light", contact: 2)) == [])
    #expect(matcher.heldKeys == [.key(0x110)])
    #expect(matcher.update(with: press(.ended, "light")) == [])
    #expect(matcher.heldKeys == [])
  }

  @Test
  func `replacing the bindings releases their keys and does not fire the current stage again`() {
    var matcher = BindingMatcher([Self.lightKey])
    _ = matcher.update(with: press(.started, "light"))
    matcher.replace(by: [Self.deep, Self.lightKey])
    #expect(matcher.heldKeys == [])
    #expect(matcher.update(with: press(.changed, "light")) == [])
    #expect(matcher.update(with: press(.changed, "deep")) == [.fire(0)])
    #expect(matcher.update(with: press(.ended, "deep")) == [])
  }

  @Test func `an action fires every time, and holds no key`() {
    let bindings = [
      Binding(trigger: .action("a"), action: .run(["x"])),
      Binding(trigger: .action("a"), action: .pressKey(.key(1))),
      Binding(trigger: .action("b"), action: .run(["x"])),
    ]
    let action = ReceivedEvent.action(ReceivedAction(time: 0, type: "a"))
    let expected: [BindingMatcher.Outcome] = [.fire(0), .fire(1)]
    #expect(outcomes(bindings, [action, action, .other]) == [expected, expected, []])
    #expect(heldKeys(bindings, [action]) == [[]])
  }

  @Test func `an unknown state and a missing stage are ignored`() {
    #expect(outcomes([Self.deep], [press(nil, "deep"), press(.started)]) == [[], []])
  }
}

@Test(arguments: [
  ([], [1, 2], [1, 2]), ([1, 2], [], [-2, -1]), ([1], [2, 1], [2]), ([1, 2], [2, 3], [-1, 3]),
  ([], [1, 1], [1]), ([1], [1, 1], []),
])
func `keys are pressed in order, and released in reverse, if no press holds them`(
  down: [Int], keys: [Int], expected: [Int]
) {
  func codes(_ numbers: [Int]) -> [EventCode] { numbers.map { .key(UInt16($0)) } }
  let changes = VirtualKeys.changes(from: codes(down), to: codes(keys))
  #expect(changes.map { $0.isDown ? Int($0.key.code) : -Int($0.key.code) } == expected)
}

struct StartLimitsTests {
  @Test func `a binding refused because of others keeps its own tokens`() {
    var limits = StartLimits(perSecond: 1)
    for index in 0..<4 {
      for _ in 0..<2 {
        let isAdmitted = limits.admits(index, at: 0)
        #expect(isAdmitted)
      }
    }
    for _ in 0..<10 {
      let isAdmitted = limits.admits(4, at: 0)
      #expect(!isAdmitted)
    }
    let admitted = (0..<10).count { _ in limits.admits(4, at: 1_000_000) }
    #expect(admitted == 2)
  }
}
