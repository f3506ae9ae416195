import PressureTestSupport
import Testing

@testable import PressureKit

/// Checks a hundred thousand random streams of touches against the invariants of presses.
struct PressInvariantsTests {
  /// A surface and its settings, in the syntax of a scenario.
  private static let pads = [
    ("slots=3 x=0..1000@10 y=0..600@10 pressure=0..100", ""),
    ("slots=3 x=0..1000 y=0..600 pressure=0..100", "fingers=1 stages=a:0.2:0.1,b:0.4:0.3,c:1:0.9"),
    ("slots=3 x=0..1000 y=0..600 pressure=0..1000@2", "fingers=2 region=r:0.2:0:0.5:1"),
    ("slots=3 x=0..1000 y=0..600 single=0..100", ""),
    ("x=0..1000 y=0..600 single=0..100", "force_stages=a:1:0.9,b:3:1 effective_maximum=60"),
    ("slots=3 x=0..1000 y=0..600", "hold_ms=40"),
    ("slots=3 x=0..1000@10 y=0..600@10", "hold_ms=0 fingers=1 region=r:0:0:0.5:1"),
    ("slots=3 x=0..1000 y=0..600 pressure=0..100", "simulated=always hold_ms=60 fingers=2"),
    ("slots=3 x=0..1000 y=0..600 pressure=0..0", "hold_ms=20 stages=a:0.05:0.02,b:0.08:0.06"),
    ("slots=3 x=0..1000@10 y=0..600@10 pressure=0..1000@2", "rules=repress_ms:2000,quiet_ms:400"),
    ("slots=3 x=0..1000@10 y=0..600@10 pressure=0..100", "rules=none"),
    ("slots=2 x=0..1000 y=0..600", "simulated=never"),
  ]

  /// Eleven of the pads allow presses, with more than a hundred thousand streams in total.
  private static let streamsForEach = 9_200

  /// A rule, and the invariant that an engine without it violates.
  private static let rules = [
    ("repress:1.2,quiet_ms:0", "a hand that stays heavy presses once"),
    ("repress:0,quiet_ms:100", "no press starts while two fingers move"),
  ]

  @Test(arguments: rules)
  func `an engine without a rule violates its invariant`(rule: String, name: String) throws {
    let words = { (text: String) in text.split(separator: " ") }
    let device = "slots=3 x=0..1000@10 y=0..600@10 pressure=0..100"
    let surface = try Surface(DeviceDescription(words: words(device)))
    let engine = Engine(
      surface: surface,
      configuration: try Tuning(words: words("rules=none stages=light:0.3:0.29")).configuration)
    let required = try Tuning(words: words("rules=\(rule)")).configuration.press
    var random = TinyRandom(seed: 0xf0c3)
    var buffer = EventBuffer()
    for _ in 0..<Self.streamsForEach {
      var touches = TouchStream(on: engine, seed: random.next())
      var invariants = PressInvariants(required, on: surface)
      touches.play(into: &buffer) { invariants.check($0) }
      if let broken = invariants.broken {
        return #expect(broken.hasPrefix(name))
      }
    }
    Issue.record("no stream violates \(name)")
  }

  @Test(arguments: pads)
  func `nine thousand streams satisfy the invariants`(device: String, settings: String) throws {
    let words = { (text: String) in text.split(separator: " ") }
    let tuning = try Tuning(words: words(settings))
    let surface = try Surface(DeviceDescription(words: words(device)), settings: tuning.device)
    let engine = Engine(surface: surface, configuration: tuning.configuration)
    let allInvariants = PressInvariants(tuning.configuration.press, on: surface)
    var random = TinyRandom(seed: 0xf0c3)
    var buffer = EventBuffer()
    var lines = 0
    for stream in 0..<Self.streamsForEach {
      var touches = TouchStream(on: engine, seed: random.next())
      var invariants = allInvariants
      touches.play(into: &buffer) { invariants.check($0) }
      invariants.checkEnd()
      lines += invariants.count
      guard invariants.broken == nil else {
        Issue.record("stream \(stream): \(invariants.broken ?? "")")
        return
      }
    }
    #expect(
      (lines > Self.streamsForEach) == (tuning.configuration.press.simulation != .never),
      "streams in which nothing happens prove nothing, \(lines) lines")
  }

  @Test(arguments: pads)
  func `changes within a stage are all that an engine may omit`(device: String, settings: String)
    throws
  {
    let words = { (text: String) in text.split(separator: " ") }
    let tuning = try Tuning(words: words(settings))
    let surface = try Surface(DeviceDescription(words: words(device)), settings: tuning.device)
    let engine = Engine(surface: surface, configuration: tuning.configuration)
    var random = TinyRandom(seed: 0x0517)
    var omitted = 0
    for _ in 0..<100 {
      let seed = random.next()
      func events(wantsPressChanges: Bool) -> [Event] {
        var (events, buffer) = ([Event](), EventBuffer())
        buffer.wantsPressChanges = wantsPressChanges
        var touches = TouchStream(on: engine, seed: seed)
        touches.play(into: &buffer) { events += $0.events }
        return events
      }
      let (all, fewer) = (events(wantsPressChanges: true), events(wantsPressChanges: false))
      // Formatting thousands of events would take minutes.
      let isSame = all.filter { !$0.isPressChange } == fewer.filter { !$0.isPressChange }
      #expect(isSame)
      omitted += all.count - fewer.count
    }
    #expect((omitted > 0) == (engine.surface.pressure != nil && !engine.surface.simulatesPress))
  }
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
