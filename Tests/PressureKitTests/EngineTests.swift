import PressureTestSupport
import Testing

@testable import PressureKit

/// Deadlines and configuration changes between events.
struct EngineTests {
  /// An engine and the presses that it has emitted.
  private struct Pad {
    var engine: Engine
    var buffer = EventBuffer()

    init(
      _ words: String, _ configuration: Configuration = Configuration().withFixedStages,
      clicks: ClickForce = ClickForce()
    ) throws {
      let description = try DeviceDescription(words: words.split(separator: " "))
      let settings = configuration.settings(for: DeviceID(description).text)
      let surface = try Surface(description, settings: settings)
      engine = Engine(surface: surface, configuration: configuration, clicks: clicks)
    }

    mutating func frame(_ time: Int64, _ values: (EventCode, Int32)...) {
      engine.receive(frame: values, at: time, into: &buffer)
    }

    mutating func advance(to time: Int64) {
      engine.advance(to: Timestamp(microseconds: time), into: &buffer)
    }

    var presses: [String] {
      buffer.events.compactMap { event in
        guard case .press(let press) = event.kind else { return nil }
        return
          "\(event.time.microseconds) \(press.contact.id.value) \(press.state.rawValue) \(press.stage)"
      }
    }
  }

  private let plain = "slots=2 x=0..1000 y=0..1000"
  private let pressing = "slots=2 x=0..1000 y=0..1000 pressure=0..100"

  private func configuration(_ change: (inout Configuration) -> Void) -> Configuration {
    var configuration = Configuration().withFixedStages
    change(&configuration)
    return configuration
  }

  @Test func `a contact is cancelled at the time of the last complete frame`() throws {
    var pad = try Pad(pressing)
    pad.frame(1000, (.slot, 0), (.trackingID, 45), (.pressure, 1))
    let late = Timestamp(microseconds: 5000)
    pad.engine.receive(InputEvent(time: late, code: .pressure, value: 2), into: &pad.buffer)
    #expect(pad.engine.time?.microseconds == 1000)
    pad.engine.cancelAll(at: Timestamp(microseconds: 1000), into: &pad.buffer)
    #expect(pad.buffer.events.last?.time.microseconds == 1000)
  }

  @Test func `the deadline of a force click is bounded, however small the excess`() throws {
    for value in Int32(400)...990 {
      // In floating point, some of these exceed the point by the least difference.
      let usual = Double(value) / 20 / ForceClickRule.area.bounds.upperBound
      var pad = try Pad(
        "slots=2 x=0..1000 y=0..1000 pressure=0..1023 property=2 keys=button", Configuration(),
        clicks: ClickForce([620], strengths: [usual, usual, 600, 600, 600]))
      pad.frame(1000, (.trackingID, 45), (.pressure, 30))
      pad.frame(100_000, (.pressure, 400), (.leftButton, 1))
      pad.frame(120_000, (.pressure, value))
      pad.advance(to: 200_000)
      #expect(pad.presses.first == "100000 45 started light")
    }
  }

  @Test func `a touch that begins anew has no press and no past`() throws {
    for surface in [plain, pressing] {
      var pad = try Pad(surface)
      pad.frame(1000, (.slot, 0), (.trackingID, 45), (.pressure, 100))
      pad.advance(to: 2_000_000)
      #expect(pad.presses.last?.contains("45 ended") == false, "\(surface)")
      pad.frame(2_001_000, (.pressure, 60))
      pad.buffer.removeAll()
      pad.engine.beginTouchesAnew(at: Timestamp(microseconds: 3_000_000), into: &pad.buffer)
      #expect(pad.presses == ["3000000 45 cancelled deep"])
      pad.buffer.removeAll()
      pad.frame(3_001_000, (.pressure, 10))
      pad.frame(3_002_000, (.pressure, 90))
      pad.advance(to: 6_000_000)
      pad.frame(6_000_000, (.trackingID, -1))
      #expect(pad.presses == [])
      let ends = pad.buffer.events.compactMap { event -> Contact? in
        guard case .contact(let contact) = event.kind, contact.phase == .ended else { return nil }
        return contact
      }
      #expect(ends.map(\.beganAt.microseconds) == [3_000_000])
      #expect(ends[0].peakForce < 100)
    }
  }

  @Test func `there is a deadline while something is due`() throws {
    var pad = try Pad(plain)
    #expect(pad.engine.deadline == nil)
    pad.frame(1000, (.slot, 0), (.trackingID, 45))
    #expect(pad.engine.deadline?.microseconds == 301_000)
    pad.advance(to: 300_999)
    #expect(pad.presses.isEmpty)
    pad.advance(to: 301_000)
    #expect(pad.presses == ["301000 45 started light"])
    #expect(pad.engine.deadline?.microseconds == 311_000)
    pad.frame(305_000, (.trackingID, -1))
    #expect(pad.engine.deadline == nil)
  }

  @Test func `deadlines fire in order, each at its own time`() throws {
    var pad = try Pad(plain)
    pad.frame(0, (.slot, 0), (.trackingID, 45))
    pad.frame(4000, (.slot, 1), (.trackingID, 46))
    pad.advance(to: 312_000)
    #expect(
      pad.presses == [
        "300000 45 started light", "304000 46 started light", "310000 45 changed light",
      ])
  }

  @Test func `a late event gets the time of the deadline before it`() throws {
    var pad = try Pad(plain)
    pad.frame(0, (.slot, 0), (.trackingID, 45))
    pad.advance(to: 300_000)
    pad.frame(299_000, (.trackingID, -1))
    #expect(pad.presses == ["300000 45 started light", "300000 45 ended light"])
  }

  @Test func `a deadline beyond the end of time does not trap`() throws {
    var pad = try Pad(plain)
    pad.frame(.max - 5, (.slot, 0), (.trackingID, 45))
    pad.advance(to: .max)
    #expect(pad.presses.first == "\(Int64.max) 45 started light")
    #expect(pad.presses.last == "\(Int64.max) 45 fixed deep")
  }

  @Test func `a removed device fires the deadlines before its end`() throws {
    var pad = try Pad(plain)
    pad.frame(0, (.slot, 0), (.trackingID, 45))
    pad.engine.cancelAll(at: Timestamp(microseconds: 305_000), into: &pad.buffer)
    #expect(pad.presses == ["300000 45 started light", "305000 45 cancelled light"])
    #expect(pad.engine.deadline == nil)
  }

  @Test func `a configuration takes effect with the next touch`() throws {
    var pad = try Pad(pressing)
    pad.frame(0, (.slot, 0), (.trackingID, 45), (.pressure, 20))
    pad.engine.configure(
      configuration {
        let soft = PressStage(
          name: "soft", threshold: Threshold(knownPress: 0.1, release: 0.05), unit: .ratio)
        $0.press.stages = StageLadder(known: [soft])
      }, at: Timestamp(microseconds: 0), into: &pad.buffer)
    pad.frame(1000, (.slot, 0), (.pressure, 25))
    pad.frame(2000, (.slot, 1), (.trackingID, 46), (.pressure, 25))
    pad.frame(3000, (.slot, 0), (.pressure, 35))
    #expect(pad.presses == ["2000 46 started soft", "3000 45 started light"])
  }

  @Test func `an effective maximum takes effect when the surface is empty`() throws {
    var pad = try Pad(pressing)
    pad.frame(0, (.slot, 0), (.trackingID, 45), (.pressure, 20))
    pad.engine.configure(
      configuration {
        $0.devices = [DeviceConfiguration(match: "*")]
        $0.devices[0].effectiveMaximum = 50
      }, at: Timestamp(microseconds: 0), into: &pad.buffer)
    pad.frame(1000, (.pressure, 25))
    #expect(pad.engine.contacts.first?.force.ratio == 0.25)
    pad.buffer.removeAll()
    pad.frame(2000, (.trackingID, -1))
    let kinds = pad.buffer.events.map(\.kind)
    #expect(kinds.contains(.capability(.size)), "the capability event is emitted")
    pad.buffer.removeAll()
    pad.frame(3000, (.trackingID, 46), (.pressure, 50))
    #expect(pad.engine.contacts.first?.force.ratio == 1)
    #expect(pad.buffer.events.first?.kind != .capability(.size), "it is emitted once")
  }

  @Test func `an effective maximum takes effect at once on an empty surface`() throws {
    var pad = try Pad(pressing)
    pad.frame(0, (.slot, 0), (.trackingID, 45), (.pressure, 20))
    pad.frame(1000, (.trackingID, -1))
    pad.buffer.removeAll()
    let halved = configuration {
      $0.devices = [DeviceConfiguration(match: "*")]
      $0.devices[0].effectiveMaximum = 50
    }
    for time: Int64 in [5000, 6000] {
      pad.engine.configure(halved, at: Timestamp(microseconds: time), into: &pad.buffer)
    }
    let events = pad.buffer.events.filter { $0.kind == .capability(.size) }
    #expect(events.map(\.time.microseconds) == [5000])
    #expect(pad.engine.surface.pressure?.effectiveMaximum == 50)
  }

  @Test func `simulation is switched with the next touch`() throws {
    var pad = try Pad(pressing)
    pad.frame(0, (.slot, 0), (.trackingID, 45), (.pressure, 20))
    pad.engine.configure(
      configuration { $0.press.simulation = .always }, at: Timestamp(microseconds: 0),
      into: &pad.buffer)
    #expect(!pad.engine.surface.simulatesPress)
    pad.frame(1000, (.slot, 1), (.trackingID, 46), (.pressure, 90))
    #expect(pad.engine.surface.simulatesPress)
    pad.frame(2000, (.slot, 0), (.pressure, 40))
    pad.frame(305_000, (.slot, 0), (.pressure, 10))
    #expect(
      pad.presses == ["2000 45 started light", "301000 46 started light", "305000 45 ended light"])
  }

  @Test func `a region applies to the devices that it names`() throws {
    let left = try Region(name: "left", device: "0003-*", x: 0, y: 0, width: 1, height: 1)
    let right = try Region(name: "right", device: "0018-*", x: 0, y: 0, width: 1, height: 1)
    var pad = try Pad(pressing, configuration { $0.regions = [left, right] })
    pad.frame(0, (.slot, 0), (.trackingID, 45), (.pressure, 50))
    let targets = pad.buffer.events.compactMap { event in
      if case .press(let press) = event.kind { press.target?.name } else { nil }
    }
    #expect(targets == ["right"])
  }

  @Test func `an axis at rest above its minimum is not stuck`() throws {
    var pad = try Pad("slots=2 x=0..1000 y=0..1000 pressure=-30..70")
    for id: Int32 in 1...9 {
      pad.frame(Int64(id) * 2000, (.slot, 0), (.trackingID, id))
      #expect(pad.engine.contacts.first?.force.ratio == 0.3)
      #expect(pad.engine.contacts.first?.weight != nil)
      pad.frame(Int64(id) * 2000 + 1000, (.trackingID, -1))
    }
    #expect(pad.engine.surface.capability == .size)
  }

  @Test func `a time that overflows is rejected`() {
    #expect(Timestamp(seconds: .max, microseconds: 0) == nil)
    #expect(Timestamp(seconds: 3, microseconds: 7)?.microseconds == 3_000_007)
  }
}
