import PressureTestSupport
import Testing

@testable import PressureKit

/// Checks random streams of touches against the invariants of presses.
struct PressInvariantsTests {
  /// A surface and its settings, in the syntax of a scenario.
  private static let pads = [
    ("slots=3 x=0..1000@10 y=0..600@10 pressure=0..100", ""),
    (
      "slots=3 x=0..1000 y=0..600 pressure=0..100",
      "press: { fingers: 1, stages: [{ name: a, press: 0.2, release: 0.1 }, { name: b, press: 0.4, release: 0.3 }, { name: c, press: 1, release: 0.9 }] }"
    ),
    (
      "slots=3 x=0..1000 y=0..600 pressure=0..1000@2",
      "press: { fingers: 2 }, regions: [{ name: r, x: 0.2, y: 0, width: 0.5, height: 1 }]"
    ),
    ("slots=3 x=0..1000 y=0..600 single=0..100", ""),
    (
      "x=0..1000 y=0..600 single=0..100",
      "press: { stages: [{ name: a, press: 1, release: 0.9, unit: force }, { name: b, press: 3, release: 1, unit: force }] }, devices: [{ match: '*', effective_maximum: 60 }]"
    ),
    ("slots=3 x=0..1000 y=0..600", "press: { hold_ms: 40 }"),
    (
      "slots=3 x=0..1000@10 y=0..600@10",
      "press: { hold_ms: 0, fingers: 1 }, regions: [{ name: r, x: 0, y: 0, width: 0.5, height: 1 }]"
    ),
    (
      "slots=3 x=0..1000 y=0..600 pressure=0..100",
      "press: { simulated: always, hold_ms: 60, fingers: 2 }"
    ),
    (
      "slots=3 x=0..1000 y=0..600 pressure=0..0",
      "press: { hold_ms: 20, stages: [{ name: a, press: 0.05, release: 0.02 }, { name: b, press: 0.08, release: 0.06 }] }"
    ),
    ("slots=3 x=0..1000@10 y=0..600@10 pressure=0..1000@2", "rules=repress_ms:2000,quiet_ms:400"),
    ("slots=3 x=0..1000@10 y=0..600@10 pressure=0..100", "press: { rules: none }"),
    ("\(places) \(all) pressure=0..100", ""),
    ("\(places) \(all) pressure=0..100", "press: { fingers: 1 } rules=settle_ms:50,repress:0"),
    ("\(places) \(all) pressure=0..1000@2", "press: { fingers: 1 }"),
    (
      "\(places) \(all) pressure=0..1000@2",
      "press: { stages: [{ name: a, above_click: 1, release: 0.8 }, { name: b, above_click: 1.8, release: 1.5 }] }"
    ),
    ("\(places) \(all) single=0..100", "rules=drag_mm_per_s:200,ignore_thumbs:0"),
    ("\(places) \(all)", "press: { hold_ms: 50, fingers: 1 }"),
    ("slots=2 x=0..1000 y=0..600", "press: { simulated: never }"),
  ]

  private static let places = "slots=3 x=0..1000@10 y=0..600@10"

  /// Palms, hovering contacts, their shape and a button.
  private static let all =
    "major=0..500@10 minor=0..500@10 distance=0..1 tool=0..2 keys=button property=2"

  private static let streamsForEach = trials(300, few: 60)

  @Test(arguments: pads)
  func `hundreds of streams satisfy the invariants`(device: String, settings: String) throws {
    let configuration = try configuration(settings)
    let surface = try Surface(
      DeviceDescription(words: words(device)), settings: configuration.settings(for: ""))
    let engine = Engine(surface: surface, configuration: configuration)
    let all = PressInvariants(configuration.press, on: surface)
    var random = TinyRandom(seed: 0xf0c3)
    var buffer = EventBuffer()
    var lines = 0
    for stream in 0..<Self.streamsForEach {
      var touches = TouchStream(on: engine, seed: random.next())
      var invariants = all
      touches.play(into: &buffer, &invariants)
      lines += invariants.count
      guard invariants.broken == nil else {
        Issue.record("stream \(stream): \(invariants.broken ?? "")")
        return
      }
    }
    #expect(
      (lines > Self.streamsForEach) == (configuration.press.simulation != .never),
      "streams in which nothing happens prove nothing, \(lines) lines")
  }

  /// Settings of an engine, those required of it, and the invariant that it violates.
  private static let violations = [
    ("rules=repress:0", "rules=repress:1.2", "a hand that stays heavy presses once"),
    ("rules=repress_ms:20", "rules=repress_ms:5000", "a hand that stays heavy presses once"),
    ("rules=quiet_ms:0", "rules=quiet_ms:100", "no press starts w"),
    ("rules=quiet_ms:20", "rules=quiet_ms:200", "no press starts within the quiet time"),
    ("rules=peak_release:0.9", "rules=peak_release:0.5", "it ends below"),
    ("rules=peak_release:0", "rules=peak_release:0.5", "a finger at rest ends its press"),
    (
      "rules=peak_release:0.9,peak_limit_grams:385", "rules=peak_release:0.9,peak_limit_grams:200",
      "it ends below its release point"
    ),
    ("rules=drag_mm_per_s:200", "rules=drag_mm_per_s:60", "a drag does not end its press"),
    ("rules=settle_ms:0", "rules=settle_ms:100", "no press starts before its contact has settled"),
    ("", "press: { fingers: 1 }", "the number of fingers is allowed"),
    (
      "press: { stages: [{ name: a, press: 0.2, release: 0.1 }] }",
      "press: { stages: [{ name: a, press: 0.4, release: 0.1 }] }", "it starts at its press point"
    ),
    (
      "press: { stages: [{ name: a, press: 0.5, release: 0.1 }] }",
      "press: { stages: [{ name: a, press: 0.2, release: 0.1 }] }",
      "a finger that presses alone has pressed"
    ),
    (
      "press: { stages: [{ name: a, press: 0.5, release: 0.4 }] } rules=drag_mm_per_s:0",
      "press: { stages: [{ name: a, press: 0.5, release: 0.1 }] } rules=drag_mm_per_s:0",
      "it ends below"
    ),
    (
      "press: { stages: [{ name: a, press: 0.2, release: 0.1 }, { name: b, press: 0.4, release: 0.3 }] }",
      "press: { stages: [{ name: a, press: 0.2, release: 0.1 }, { name: b, press: 0.6, release: 0.3 }] }",
      "a stage begins at its press"
    ),
    (
      "press: { stages: [{ name: a, press: 0.2, release: 0.1 }, { name: b, press: 0.6, release: 0.5 }] }",
      "press: { stages: [{ name: a, press: 0.2, release: 0.1 }, { name: b, press: 0.6, release: 0.3 }] }",
      "a stage ends below its release"
    ),
  ]

  @Test(arguments: violations)
  func `an engine with other settings violates the invariant`(
    actual: String, required: String, name: String
  ) throws {
    let device = try DeviceDescription(words: words("\(Self.places) \(Self.all) pressure=0..100"))
    let surface = try Surface(device)
    // A release point just below the press point lets the rules decide.
    var stages = StageLadder()
    try stages.append(
      PressStage(name: "light", threshold: Threshold(press: 0.3, release: 0.29), unit: .ratio))
    var (used, wanted) = (try configuration(actual), try configuration(required))
    if !actual.contains("stages") { (used.press.stages, wanted.press.stages) = (stages, stages) }
    let (engine, press) = (Engine(surface: surface, configuration: used), wanted.press)
    var random = TinyRandom(seed: 0xf0c3)
    var buffer = EventBuffer()
    for _ in 0..<10_000 {
      var touches = TouchStream(on: engine, seed: random.next())
      var invariants = PressInvariants(press, on: surface)
      touches.play(into: &buffer, &invariants)
      if let broken = invariants.broken {
        return #expect(broken.hasPrefix(name))
      }
    }
    Issue.record("no stream violates \(name)")
  }

  @Test func `stages above the click begin at multiples of the median of the latest clicks`() throws
  {
    let surface = try Surface(
      DeviceDescription(words: words("\(Self.places) \(Self.all) pressure=0..1000@2")))
    let settings =
      "press: { stages: [{ name: a, above_click: 1, release: 0.8 }, { name: b, above_click: 1.8, release: 1.5 }] }"
      + " rules=repress:0,quiet_ms:0,peak_release:0"
    let configuration = try configuration(settings)
    var random = TinyRandom(seed: 0xc11c)
    for _ in 0..<100 {
      var engine = Engine(surface: surface, configuration: configuration)
      var (time, stages) = (Int64(0), [String]())
      func frame(_ values: (EventCode, Int32)...) {
        time += 10_000
        var buffer = EventBuffer()
        engine.receive(frame: values, at: time, into: &buffer)
        for case .press(let press) in buffer.events.map(\.kind) where press.entersStage {
          stages.append(press.stage)
        }
      }
      let clicks = (0..<random.below(30)).map { _ in Int32(100 + random.below(200)) }
      for (id, click) in clicks.enumerated() {
        frame((.trackingID, Int32(id)), (.positionX, 500), (.positionY, 200), (.pressure, click))
        frame((.leftButton, 1))
        frame((.leftButton, 0))
        frame((.trackingID, -1))
      }
      let latest = clicks.suffix(25).sorted()
      // 130 g are 260 units.
      let click = Double(latest.count < 5 ? 260 : latest[latest.count / 2])
      stages = []
      frame((.trackingID, 99), (.pressure, Int32(click) - 1))
      #expect(stages == [])
      frame((.pressure, Int32(click)))
      #expect(stages == ["a"])
      frame((.pressure, Int32((click * 1.8).rounded(.up)) - 1))
      #expect(stages == ["a"])
      frame((.pressure, Int32((click * 1.8).rounded(.up)) + 1))
      #expect(stages == ["a", "b"])
    }
  }

  @Test(arguments: pads)
  func `changes within a stage are all that an engine may omit`(device: String, settings: String)
    throws
  {
    let configuration = try configuration(settings)
    let surface = try Surface(
      DeviceDescription(words: words(device)), settings: configuration.settings(for: ""))
    let engine = Engine(surface: surface, configuration: configuration)
    let all = PressInvariants(configuration.press, on: surface)
    var random = TinyRandom(seed: 0x0517)
    var omitted = 0
    for _ in 0..<trials(50, few: 20) {
      let seed = random.next()
      func events(wantsPressChanges: Bool) -> [Event] {
        var (events, buffer, invariants) = ([Event](), EventBuffer(), all)
        buffer.wantsPressChanges = wantsPressChanges
        var touches = TouchStream(on: engine, seed: seed)
        touches.play(into: &buffer, &invariants) { events += $0.events }
        return events
      }
      let (all, fewer) = (events(wantsPressChanges: true), events(wantsPressChanges: false))
      // Formatting thousands of events would take minutes.
      let isSame = all.filter { !$0.isPressChange } == fewer.filter { !$0.isPressChange }
      #expect(isSame)
      omitted += all.count - fewer.count
    }
    #expect((omitted > 0) == (configuration.press.simulation != .never))
  }

  /// Settings in YAML, and behind `rules=` numbers of rules, which no file can contain.
  private func configuration(_ text: String) throws -> Configuration {
    let parts = text.split(separator: "rules=", omittingEmptySubsequences: false)
    var configuration = try Scenario.configuration(parts.prefix(1).map { $0 })
    for rule in parts.dropFirst().joined().split(separator: ",") {
      let pair = rule.split(separator: ":")
      let number = try #require(PressRules.numbers.first { $0.name == pair[0] })
      number.set(&configuration.press.rules, try #require(Double(pair[1])))
    }
    return configuration
  }

  private func words(_ text: String) -> [Substring] { text.split(separator: " ") }
}

extension Event {
  /// Whether it is a change of a press within a stage.
  fileprivate var isPressChange: Bool {
    if case .press(let press) = kind {
      press.state == .changed && press.crossing == nil
    } else {
      false
    }
  }
}
