import PressureTestSupport
import Testing

@testable import PressureKit

/// A pad whose touches are frames of values.
private struct Touches {
  var engine: Engine
  var buffer = EventBuffer()
  private var time: Int64 = 0
  private var nextID: Int32 = 0

  init(_ words: String, quirk: Quirk? = nil, descriptor: DescriptorFacts? = nil) throws {
    var description = try DeviceDescription(words: words.split(separator: " "))
    description.descriptor = descriptor
    engine = Engine(
      surface: try Surface(description.corrected(by: quirk.map { [$0] } ?? [])))
  }

  mutating func send(_ events: [(EventCode, Int32)]) {
    time += 10_000
    engine.receive(frame: events, at: time, into: &buffer)
  }

  mutating func put(_ slot: Int32, _ values: [(EventCode, Int32)] = []) {
    nextID += 1
    send([(.slot, slot), (.trackingID, nextID), (.positionX, 10 + nextID)] + values)
  }

  mutating func lift(_ slots: Int32...) {
    send(slots.flatMap { [(.slot, $0), (.pressure, 0), (.trackingID, -1)] })
  }

  /// A touch that reaches a pressure and is lifted.
  mutating func touch(_ raw: Int32) {
    put(0, [(.pressure, raw)])
    send([(.slot, 0), (.pressure, raw / 2)])
    lift(0)
  }

  /// A touch with one pressure.
  mutating func tap(_ raw: Int32) {
    put(0, [(.pressure, raw)])
    lift(0)
  }

  /// Two new contacts with these pressures in each frame, which then are lifted.
  mutating func press(_ frames: [(Int32, Int32)]) {
    put(0)
    put(1)
    defer { lift(0, 1) }
    for (first, second) in frames {
      send([(.slot, 0), (.pressure, first), (.slot, 1), (.pressure, second)])
    }
  }

  var verdict: Verdict { engine.surface.verdict }
  var evidence: StreamEvidence { engine.surface.evidence }

  /// How often clients were notified that the surface has changed, since the last call.
  mutating func changes() -> Int {
    defer { buffer.removeAll() }
    return buffer.events.count {
      if case .capability = $0.kind { true } else { false }
    }
  }
}

struct StreamEvidenceTests {
  private static let grams = "slots=5 x=0..1000 y=0..1000 pressure=0..2000@1"
  private static let lengths = "slots=5 x=0..1000 y=0..1000 pressure=0..255 major=0..1000"

  private static var pad: Quirk {
    var quirk = Quirk(title: "pad")
    quirk.isPressurePad = true
    return quirk
  }

  @Test func `equal values are a total until they differ`() throws {
    var touches = try Touches(Self.grams)
    touches.press((0..<9).map { (300 + $0, 300 + $0) })
    #expect(touches.verdict.measure == .total)
    #expect(touches.verdict.certainty == .confirmed)
    #expect(touches.changes() == 1)
    // Seven differences may be the device's, as frames of a resting finger.
    touches.press((0..<7).map { (400 + $0, 300 + $0) })
    #expect(touches.verdict.measure == .total)
    touches.press([(500, 500)] + (0..<8).map { (400 + $0, 300 + $0) })
    #expect(touches.verdict.measure == .force)
    #expect(touches.engine.surface.isPerContact)
    #expect(touches.changes() == 1)
    touches.press((0..<20).map { (300 + $0, 300 + $0) })
    #expect(touches.verdict.measure == .force, "it does not alternate")
    #expect(touches.changes() == 0)
  }

  @Test func `a single difference refutes that contacts carry the total`() throws {
    var touches = try Touches(Self.grams)
    touches.press(
      [(300, 300), (301, 301), (303, 304)] + (304..<340 as Range<Int32>).map { ($0, $0) })
    #expect(touches.engine.surface.isPerContact)
  }

  @Test func `a total by quirk is withdrawn too`() throws {
    var quirk = Quirk(title: "total")
    quirk.contactsCarryTotal = true
    var touches = try Touches(Self.grams, quirk: quirk)
    #expect(touches.verdict.measure == .total)
    touches.press((0..<8).map { (400 + $0, 300 + $0) })
    #expect(touches.verdict.measure == .force)
    let reason = "each contact has a separate pressure, although a quirk defines a total"
    #expect(touches.verdict.reasons.contains(reason))
  }

  @Test func `a pressure that follows the length is no force`() throws {
    var touches = try Touches(Self.lengths, quirk: Self.pad)
    #expect(touches.engine.surface.capability == .force)
    touches.put(0)
    for round in 0..<16 {
      for length in 0..<12 as Range<Int32> {
        touches.send([
          (.positionX, Int32(round * 12) + length), (.touchMajor, length), (.pressure, length * 4),
        ])
      }
    }
    #expect(touches.engine.surface.capability == .force, "a touch is measured by one surface")
    touches.lift(0)
    #expect(touches.engine.surface.capability == .size)
    #expect(touches.verdict.measure == .area)
    #expect(touches.verdict.certainty == .confirmed)
    #expect(
      touches.verdict.reasons.contains("the pressure follows the length of the contact exactly"))
    #expect(touches.changes() == 1)
  }

  /// One press with held steps, and then touches of one length.
  @Test func `a held press does not agree with itself`() throws {
    var touches = try Touches(Self.lengths, quirk: Self.pad)
    touches.put(0)
    for length in 1...10 as ClosedRange<Int32> {
      for frame in 0..<10 as Range<Int32> {
        touches.send([
          (.positionX, length * 10 + frame), (.touchMajor, length), (.pressure, length * 4),
        ])
      }
    }
    #expect(touches.verdict.measure == .force)
    for raw in 0..<40 as Range<Int32> {
      touches.send([(.touchMajor, 10), (.pressure, raw % 2 == 0 ? 20 : 95)])
    }
    touches.lift(0)
    #expect(touches.verdict.measure == .force)
    #expect(touches.verdict.certainty == .confirmed)
  }

  @Test func `an area is withdrawn by mismatches that are small in the declared range`() throws {
    var touches = try Touches(
      "slots=5 x=0..1000 y=0..1000 pressure=0..2601 major=0..1000", quirk: Self.pad)
    touches.put(0)
    for index in 0..<192 as Range<Int32> {
      touches.send([
        (.positionX, index), (.touchMajor, index % 12), (.pressure, index % 12 * 4),
      ])
    }
    touches.lift(0)
    #expect(touches.verdict.measure == .area)
    touches.put(0)
    for index in 0..<32 as Range<Int32> {
      touches.send([(.touchMajor, 11), (.pressure, index % 2 * 20)])
    }
    touches.lift(0)
    #expect(touches.verdict.measure == .force)
    #expect(touches.verdict.certainty == .confirmed)
    #expect(touches.changes() == 2)
  }

  @Test func `who clicks is stated only if the device declares it`() throws {
    let words = "slots=5 x=0..1000 y=0..1000 pressure=0..255"
    var verdict = try Touches(words, quirk: Self.pad).verdict
    #expect(verdict.trigger == .none)
    #expect(verdict.reasons.contains("the kernel offers no haptic feedback"))
    var facts = DescriptorFacts()
    facts.triggersItself = true
    verdict = try Touches(words, descriptor: facts).verdict
    #expect(verdict.trigger == .pad)
    var description = try DeviceDescription(words: words.split(separator: " "))
    description.descriptor = facts
    description.effects = [EventCode.haptic.code]
    verdict = try Surface(description).verdict
    #expect(verdict.trigger == .host)
  }

  /// hwdb may halve the weight of a pad with one unit per gram; 10.4 are 10 by rounding.
  @Test(arguments: [(1.0, 2, 2.0), (1, 1, 1), (10.4, 10, 10.4), (1, 0, 1)])
  func `the kernel's units are believed unless they are rounded`(
    stated: Double, resolution: Int, expected: Double
  ) throws {
    var facts = DescriptorFacts()
    facts.pressure = DescriptorFacts.Pressure(
      minimum: 0, maximum: 2000, unit: .mass(unitsPerGram: stated))
    let touches = try Touches(
      "slots=5 x=0..1000 y=0..1000 pressure=0..2000@\(resolution)", descriptor: facts)
    #expect(touches.engine.surface.pressure?.unitsPerGram == expected)
  }

  @Test func `a force that does not follow the length is confirmed`() throws {
    var touches = try Touches(Self.lengths, quirk: Self.pad)
    #expect(touches.verdict.certainty == .inferred)
    touches.put(0, [(.touchMajor, 9)])
    for raw in 0..<40 as Range<Int32> {
      touches.send([(.pressure, raw % 2 * 100)])
    }
    touches.lift(0)
    #expect(touches.verdict.measure == .force)
    #expect(touches.verdict.certainty == .confirmed)
    #expect(touches.changes() == 1)
  }

  @Test func `a pressure that is the same in twenty touches is broken`() throws {
    var touches = try Touches("slots=2 x=0..1000 y=0..1000 pressure=0..255")
    for _ in 0..<20 { touches.tap(7) }
    #expect(touches.verdict.measure == .area)
    touches.tap(7)
    #expect(touches.verdict.measure == .broken)
    #expect(touches.verdict.reasons.contains("every touch had the same pressure"))
    // The same device, opened again.
    var surface = try Surface(touches.engine.surface.description)
    surface.adopt(touches.evidence)
    var again = touches
    again.engine = Engine(surface: surface)
    #expect(again.verdict.measure == .broken)
    for var touches in [touches, again] {
      touches.tap(8)
      touches.tap(9)
      #expect(touches.verdict.measure == .broken)
      touches.tap(10)
      #expect(touches.verdict.measure == .area)
    }
  }

  /// A pad with few levels reaches the same one often.
  @Test func `equal peaks of pressures that change are not broken`() throws {
    var touches = try Touches("slots=2 x=0..1000 y=0..1000 pressure=0..16")
    for _ in 0..<60 { touches.touch(4) }
    #expect(touches.verdict.measure == .area)
    #expect(touches.changes() == 0)
  }

  @Test func `light touches are no maximum`() throws {
    var facts = DescriptorFacts()
    facts.pressure = DescriptorFacts.Pressure(
      minimum: 0, maximum: 2601, rangeOrigin: "Y", unit: .inherited(from: "Y"))
    var touches = try Touches(
      "slots=5 x=0..4103 y=0..2601 pressure=0..2601", quirk: Self.pad, descriptor: facts)
    for raw in 0..<30 as Range<Int32> { touches.touch(50 + raw % 10) }
    #expect(touches.engine.surface.pressure?.effectiveMaximum == 325)
    touches.touch(400)
    #expect(touches.engine.surface.pressure?.effectiveMaximum == 400)
  }

  @Test func `an inherited range is replaced by that of use`() throws {
    var facts = DescriptorFacts()
    facts.pressure = DescriptorFacts.Pressure(
      minimum: 0, maximum: 2601, rangeOrigin: "Y", unit: .inherited(from: "Y"))
    var touches = try Touches(
      "slots=5 x=0..4103 y=0..2601 pressure=0..2601", quirk: Self.pad, descriptor: facts)
    #expect(touches.verdict.rangeSource == .inherited)
    #expect(touches.engine.surface.pressure?.effectiveMaximum == 2601)
    for raw in 0..<19 as Range<Int32> { touches.touch(50 + raw) }
    #expect(touches.verdict.rangeSource == .inherited)
    touches.touch(1004)
    #expect(touches.verdict.rangeSource == .use)
    #expect(touches.verdict.range == 0...1004)
    #expect(touches.engine.surface.pressure?.effectiveMaximum == 1004)
    let reason =
      "the pressure range is inherited from Y, so it is not used; effective maximum from use: 1004"
    #expect(touches.verdict.reasons.contains(reason))
    #expect(touches.changes() == 1)
    touches.touch(1100)
    #expect(touches.engine.surface.pressure?.effectiveMaximum == 1004, "it grows in steps")
    touches.touch(1200)
    #expect(touches.engine.surface.pressure?.effectiveMaximum == 1200)
    // The daemon closes a device without clients.
    var again = try Surface(touches.engine.surface.description)
    again.adopt(touches.evidence)
    #expect(again.pressure?.effectiveMaximum == 1200)
  }

  @Test func `palms and hovering contacts show nothing`() throws {
    var touches = try Touches("slots=2 x=0..1000 y=0..1000 pressure=0..255")
    for _ in 0..<9 {
      touches.put(0, [(.toolType, 2)])
      touches.lift(0)
      touches.put(1, [(.toolType, 0), (.distance, 5)])
      touches.send([(.slot, 1), (.distance, 7)])
      touches.lift(1)
      touches.send([(.slot, 0), (.toolType, 0), (.slot, 1), (.distance, 0)])
    }
    #expect(touches.verdict.measure == .area, "no touch was without pressure")
    #expect(!touches.engine.surface.isStuck)
  }

  @Test func `bogus palms are touches by quirk`() throws {
    var quirk = Quirk(title: "palms")
    quirk.missingAxes = [EventCode.toolType.code]
    for (quirk, contacts) in [(quirk, 1), (nil, 0)] {
      var touches = try Touches(
        "slots=2 x=0..1000 y=0..1000 pressure=0..255 tool=0..2", quirk: quirk)
      touches.put(0, [(.toolType, 2), (.pressure, 50)])
      #expect(touches.engine.contacts.count == contacts)
    }
  }
}
