import Testing

@testable import PressureKit

/// Neither a broken driver nor a stranger's recording brings the engine down.
struct SlotTableFuzzTests {
  private static let codes: [EventCode] = [
    .report, .report, .report, .dropped, .multitouchReport, .slot, .slot, .trackingID, .trackingID,
    .trackingID, .positionX, .positionY, .pressure, .pressure, .toolType, .distance, .touchMajor,
    .x, .y, .singlePressure, .touch, .toolFinger, .toolDoubleTap, .toolTripleTap, .toolQuadTap,
    .toolQuintTap, .beforeSlot,
  ]

  /// Mostly what a device would say of this, at times a boundary, and at times anything.
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

  /// What a client can know of a device's contacts from what was said.
  fileprivate struct Listener {
    struct Who: Hashable {
      var slot: Int
      var id: TrackingID
    }

    var down: [Who: Int] = [:]
    var full: Set<Who> = []
    var crowned: TrackingID?
    var time = Timestamp(microseconds: .min)
    var begun = 0

    mutating func hear(_ event: Event, among contacts: [Contact]) {
      #expect(event.time >= time, "time has run backwards")
      time = event.time
      switch event.kind {
      case .contact(let contact): hear(contact)
      case .weight(let report):
        for contact in contacts[report.contacts] {
          #expect(down[Who(contact), default: 0] > 0, "who weighs is down")
          #expect((0...1).contains(contact.force.ratio))
        }
        let ids = contacts[report.contacts].map(\.id)
        #expect(report.heaviest.map(ids.contains) ?? true, "who is heaviest is down")
      case .maximumForce(let contact, .reached, target: _):
        #expect(full.insert(Who(contact)).inserted, "reached twice")
      case .maximumForce(let contact, .released, target: _):
        #expect(full.remove(Who(contact)) != nil, "released, but never reached")
      case .heaviest(let contact, let previous):
        #expect(previous == crowned)
        crowned = contact?.id
      case .press, .scale, .action, .capability: break
      }
    }

    private mutating func hear(_ contact: Contact) {
      let who = Who(contact)
      switch contact.phase {
      case .began:
        down[who, default: 0] += 1
        begun += 1
      case .ended, .cancelled:
        #expect(down[who, default: 0] > 0, "ended, but never begun")
        down[who, default: 0] -= 1
        if down[who] == 0 { down[who] = nil }
      case .moved, .stationary: Issue.record("a contact line says \(contact.phase)")
      }
    }
  }

  @Test(arguments: [
    "slots=5 x=0..1216@12 y=0..680@12 pressure=0..255 major=0..100",
    "slots=2 x=0..9 y=0..9 single=0..255 current_slot=7", "x=0..9 y=0..9 single=0..255",
    "slots=10 x=5..5 y=9..0 pressure=0..0", "slots=3 x=0..9 y=0..9",
    "slots=4 x=-2147483648..2147483647@1 y=0..9 pressure=-2147483648..2147483647@2147483647",
  ])
  func `a hundred thousand events of any kind end as they began`(device: String) throws {
    let surface = try Surface(DeviceDescription(words: device.split(separator: " ")))
    var engine = Engine(surface: surface)
    var buffer = EventBuffer()
    var listener = Listener()
    var random = TinyRandom(seed: 0x5e)
    for step in 0..<100_000 {
      engine.receive(Self.event(&random, at: Int64(step) * 1000), into: &buffer)
      for event in buffer.events { listener.hear(event, among: buffer.contacts) }
      if !buffer.isEmpty { listener.expectDown(engine.contacts) }
      buffer.removeAll()
    }
    engine.cancelAll(at: Timestamp(microseconds: .min), into: &buffer)
    for event in buffer.events { listener.hear(event, among: buffer.contacts) }
    listener.expectDown([])
    #expect(listener.full.isEmpty)
    #expect(listener.crowned == nil)
    #expect(engine.contacts.isEmpty)
    #expect(listener.begun > 300, "a device on which nothing happens proves nothing")
  }
}

extension SlotTableFuzzTests.Listener {
  fileprivate func expectDown(_ contacts: [Contact]) {
    let known = contacts.reduce(into: [:]) { $0[Who($1), default: 0] += 1 }
    #expect(down == known, "a client knows of other contacts than the engine")
  }
}

extension SlotTableFuzzTests.Listener.Who {
  fileprivate init(_ contact: Contact) {
    self.init(slot: contact.slot, id: contact.id)
  }
}
