import PressureTestSupport
import Testing

@testable import PressureKit

/// Neither a broken driver nor an untrusted recording crashes the engine.
struct SlotTableFuzzTests {
  private static let codes: [EventCode] = [
    .report, .report, .report, .dropped, .multitouchReport, .slot, .slot, .trackingID, .trackingID,
    .trackingID, .positionX, .positionY, .pressure, .pressure, .toolType, .distance, .touchMajor,
    .touchMinor, .widthMajor, .orientation,
    .x, .y, .singlePressure, .touch, .toolFinger, .toolDoubleTap, .toolTripleTap, .toolQuadTap,
    .toolQuintTap, .beforeSlot,
  ]

  /// Usually a plausible value, sometimes a boundary, sometimes any value.
  private static func value(of code: EventCode, _ random: inout TinyRandom) -> Int32 {
    switch random.below(10) {
    case 0: return Int32(truncatingIfNeeded: random.next())
    case 1: return [.min, .max, -1, 254, 255, 256][random.below(6)]
    default: break
    }
    return switch code {
    case .trackingID: Int32(random.below(6)) - 1
    case .slot: Int32(random.below(4))
    case .pressure, .singlePressure: Int32(random.below(260))
    default: Int32(random.below(2))
    }
  }

  private static func event(_ random: inout TinyRandom, at time: Int64) -> InputEvent {
    let anything = EventCode(
      type: UInt16(truncatingIfNeeded: random.next() % 6),
      code: UInt16(truncatingIfNeeded: random.next()))
    let code = random.below(20) == 0 ? anything : codes[random.below(codes.count)]
    let jitter = random.below(50) == 0 ? -Int64(random.next() >> 20) : 0
    return InputEvent(
      time: Timestamp(microseconds: time &+ jitter), code: code, value: value(of: code, &random))
  }

  @Test(arguments: [
    "slots=5 x=0..1216@12 y=0..680@12 pressure=0..255 major=0..100 minor=0..100 width=0..100 orientation=-4..4",
    "slots=2 x=0..9 y=0..9 single=0..255 current_slot=7", "x=0..9 y=0..9 single=0..255",
    "slots=10 x=5..5 y=9..0 pressure=0..0", "slots=3 x=0..9 y=0..9",
    "slots=4 x=-2147483648..2147483647@1 y=0..9 pressure=-2147483648..2147483647@2147483647",
  ])
  func `a hundred thousand random events leave no contact behind`(device: String) throws {
    let surface = try Surface(DeviceDescription(words: device.split(separator: " ")))
    var engine = Engine(surface: surface)
    var buffer = EventBuffer()
    var invariants = ContactInvariants()
    var random = TinyRandom(seed: 0x5e)
    for step in 0..<100_000 {
      engine.receive(Self.event(&random, at: Int64(step) * 1000), into: &buffer)
      invariants.check(buffer)
      if !buffer.isEmpty { invariants.compare(with: engine.contacts) }
      buffer.removeAll()
    }
    engine.cancelAll(at: Timestamp(microseconds: .min), into: &buffer)
    invariants.check(buffer)
    invariants.checkEnd()
    #expect(invariants.broken == nil)
    #expect(engine.contacts.isEmpty)
    #expect(invariants.begun > 300, "the test needs contacts to be meaningful")
  }
}
