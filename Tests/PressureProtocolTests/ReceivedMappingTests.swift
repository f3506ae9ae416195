import FoundationEssentials
import Testing

@testable import PressureKit
@testable import PressureProtocol

/// What a client draws of a line is what a program in the daemon's place would draw of the event.
struct ReceivedMappingTests {
  private func read<Value: Decodable>(_ json: String, as: Value.Type) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }

  @Test func `a contact maps as it does where it is measured`() throws {
    var contact = Contact(
      slot: 0, id: try #require(TrackingID(45)), beganAt: Timestamp(microseconds: 0), order: 1)
    contact.raw = 153
    contact.force = Force(ratio: 0.6, maximumPossible: 20)
    contact.location = Location(x: 0.25, y: 0.75)
    contact.weight = Weight(grams: 100, error: nil)
    var lines = JSONLinesWriter()
    lines.append(pressing: contact)
    let received = try read(lines.text, as: ReceivedPressure.self)
    #expect(ForceMapping(received) == ForceMapping(contact))
    let left = try Region(name: "left", x: 0, y: 0.5, width: 0.5, height: 0.5)
    #expect(ForceMapping(received, in: left) == ForceMapping(contact, in: left))
    #expect(ForceMapping(received, in: left).zoom == .init(scale: 12, x: 0.5, y: 0.5))
    #expect(ForceMapping(received).circle.scale == 2)
  }

  @Test func `a press maps by its own force in its target`() throws {
    let line = """
      {"event":"press","time":1,"device":"0018-06cb-cd41","state":"changed","contact":45,"slot":3,\
      "x":0.25,"y":0.75,"fingers":1,"stage":"light","progress":0.5,"transition":0.5,"force":4,\
      "ratio":0.5,"grams":77,"simulated":false,"target":"left","target_x":0.5,"target_y":1}
      """
    let mapping = ForceMapping(try read(line, as: ReceivedPress.self))
    #expect(mapping.zoom == .init(scale: 4, x: 0.5, y: 1))
    #expect(mapping.progress == 0.5)
    #expect(mapping.shadow() == .init(offset: 5, radius: 5))
    #expect(mapping.circle.scale == 1.77)
    #expect(mapping.force.maximumPossible == 8)
  }

  @Test func `a press of nothing maps to rest`() throws {
    let line = #"{"time":1,"device":"0018-06cb-cd41","state":"ended","contact":45}"#
    let mapping = ForceMapping(try read(line, as: ReceivedPress.self))
    #expect(mapping.zoom == .init(scale: 1, x: 0.5, y: 0.5))
    #expect(mapping.progress == 0)
  }
}
