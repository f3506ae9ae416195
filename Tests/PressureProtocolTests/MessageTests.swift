import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureProtocol

/// Lines that no scenario shows, as the protocol's session has them.
struct MessageTests {
  private func device(_ words: String) throws -> Device {
    let description = try DeviceDescription(words: words.split(separator: " "))
    return Device(
      id: DeviceID(description), node: "/dev/input/event5", surface: try Surface(description))
  }

  private let pad = "slots=5 x=0..1216@12 y=0..680@12 pressure=0..255"

  /// A pad on which contact 45 has lain for a while.
  private func engine(on device: Device) -> Engine {
    var engine = Engine(surface: device.surface)
    var buffer = EventBuffer()
    engine.receive(
      frame: [
        (.slot, 0), (.trackingID, 45), (.positionX, 608), (.positionY, 170), (.pressure, 51),
      ], at: 81_234_567, into: &buffer)
    return engine
  }

  @Test func `a device that was there before is present`() throws {
    var lines = JSONLinesWriter()
    lines.append(try device(pad), .present, at: Timestamp(microseconds: 81_230_000))
    #expect(
      lines.text == """
        {"event":"device","time":81230000,"device":"0018-06cb-cd41","change":"present",\
        "name":"Pad","node":"/dev/input/event5","slots":5,"capability":"size","per_contact":true,\
        "weight_source":"nominal","pressure":{"minimum":0,"maximum":255,"resolution":0},\
        "effective_maximum":255,"size_mm":[101.33,56.67],"haptics":false,"simulated_press":false,\
        "verdict":{"measures":"area","certainty":"assumed","range":[0,255],"range_source":"declared",\
        "clicks_itself":false,"haptics_trigger":"none","settings":[],"reasons":[]}}

        """)
  }

  @Test func `a device without pressure and size has null fields, and may have haptics`() throws {
    var lines = JSONLinesWriter()
    var pad = try device("x=0..9 y=0..9")
    pad.hasHaptics = true
    lines.append(pad)
    #expect(
      lines.text == """
        {"device":"0018-06cb-cd41","name":"Pad","node":"/dev/input/event5","slots":1,\
        "capability":"none","per_contact":true,"weight_source":"none","pressure":null,\
        "effective_maximum":null,"size_mm":null,"haptics":true,"simulated_press":true,\
        "verdict":{"measures":"none","certainty":null,"range":null,"range_source":null,\
        "clicks_itself":false,"haptics_trigger":"none","settings":[],\
        "reasons":["it reports no pressure"]}}
        """)
  }

  @Test func `a client that connects late receives a contact as begun`() throws {
    let pad = try device(pad)
    let contact = try #require(engine(on: pad).contacts.first)
    var lines = JSONLinesWriter()
    lines.append(
      present: contact.with(.stationary), device: pad, at: Timestamp(microseconds: 81_994_567))
    #expect(
      lines.text == """
        {"event":"contact","time":81994567,"device":"0018-06cb-cd41","slot":0,"contact":45,\
        "phase":"began","present":true,"x":0.5,"y":0.25,"x_mm":50.67,"y_mm":14.17}

        """)
  }

  @Test func `the state has each contact at rest`() throws {
    let pad = try device(pad)
    var lines = JSONLinesWriter()
    var engine = engine(on: pad)
    var buffer = EventBuffer()
    engine.advance(to: Timestamp(microseconds: 83_000_000), into: &buffer)
    lines.append(stateOf: engine, device: pad)
    #expect(
      lines.text == """
        {"device":"0018-06cb-cd41","contacts":[{"slot":0,"contact":45,"phase":"stationary",\
        "x":0.5,"y":0.25,"x_mm":50.67,"y_mm":14.17,"raw":51,"ratio":0.2,"force":1.333,\
        "maximum_possible_force":6.667,"grams":77,"saturated":false}],"heaviest":45,\
        "scale":{"status":"stable","grams":77,"gross_grams":77,"tare_grams":0,"error_grams":null,\
        "repeat_grams":null,"rate":0,"held":false,"decaying":false,"target":null}}
        """)
  }
}
