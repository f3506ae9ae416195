import FoundationEssentials
import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureProtocol

/// A client's types against a whole session of protocol 1.
struct ReceivedSessionTests {
  private static let file = Folder.ofTests + "/protocol/protocol-0.1.session"

  private static func lines() throws -> [Data] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("< ") }.map { Data($0.dropFirst(2).utf8) }
  }

  private func events() throws -> [ReceivedEvent] {
    try Self.lines().map { try BothDecoders.decode(ReceivedEvent.self, from: $0) }
  }

  @Test func `every line is read as what it is`() throws {
    let events = try events()
    #expect(events.count > 60)
    #expect(!events.contains(.other))
  }

  @Test func `the greeting and the device come first`() throws {
    let events = try events()
    guard case .hello(let hello) = events[0], case .device(let device) = events[1] else {
      Issue.record("they do not")
      return
    }
    #expect((hello.protocolVersion, hello.clock) == (1, .known(.monotonic)))
    #expect(hello.commands.contains("state") && hello.events.contains("weight"))
    #expect(
      (device.change, device.capability, device.weightSource) == (
        .known(.present), .known(.size), .known(.nominal)
      ))
    #expect(device.pressure == ReceivedDevice.Pressure(minimum: 0, maximum: 255, resolution: 0))
    #expect((device.effectiveMaximum, device.sizeMillimeters) == (255, [100, 60]))
    #expect(device.isPerContact && !device.haptics && !device.simulatesPress)
  }

  @Test func `a contact begins, and its end has the peak force`() throws {
    let contacts = try events().compactMap { event -> ReceivedContact? in
      if case .contact(let contact) = event { contact } else { nil }
    }
    #expect(contacts.map(\.phase) == [.known(.began), .known(.began), .known(.ended)])
    #expect((contacts[0].xMillimeters, contacts[0].peakForce) == (50, nil))
    #expect((contacts[2].peakForce, contacts[2].peakGrams) == (6.667, 385))
    #expect(contacts[2].duration == 60_000)
  }

  @Test func `a weight has all contacts, and their middle`() throws {
    let weights = try events().compactMap { event -> ReceivedWeight? in
      if case .weight(let weight) = event { weight } else { nil }
    }
    let weight = try #require(weights.first { $0.contacts.count == 2 })
    #expect((weight.heaviest, weight.sharesSensor) == (2, false))
    let contact = weight.contacts[1]
    #expect((contact.raw, contact.ratio, contact.force) == (120, 0.471, 3.137))
    #expect((contact.phase, contact.grams, contact.isSaturated) == (.known(.began), 181.2, false))
    #expect(weights.last?.contacts.count == 1)
  }

  @Test func `heaviest, max_force and scale events are decoded`() throws {
    var (heaviestContacts, states, statuses): ([Int64?], [String], [String])
    (heaviestContacts, states, statuses) = ([], [], [])
    for event in try events() {
      switch event {
      case .heaviest(let heaviest): heaviestContacts.append(heaviest.contact)
      case .maximumForce(let force): states.append(force.state.rawValue)
      case .scale(let scale): statuses.append(scale.status.rawValue)
      default: break
      }
    }
    #expect(heaviestContacts == [1, 2, 1])
    #expect(states == ["reached", "released"])
    #expect(Set(statuses) == ["in_motion", "over_weight", "stable", "stable_zero"])
  }

  @Test func `a result is decoded as the type that its verb implies`() throws {
    var readings = 0
    for line in try Self.lines() {
      guard case .reply(let reply) = try BothDecoders.decode(ReceivedEvent.self, from: line),
        reply.isSuccess
      else { continue }
      switch reply.verb {
      case "devices":
        let devices = try BothDecoders.decode(ReceivedResult<[ReceivedDevice]>.self, from: line)
        #expect(devices.result.map(\.change) == [nil])
      case "weigh", "tare", "hold":
        _ = try BothDecoders.decode(ReceivedResult<ReceivedScale>.self, from: line)
        readings += 1
      default: break
      }
    }
    #expect(readings == 3)
  }

  @Test func `words that only a later daemon knows are unknown`() throws {
    let line = """
      {"event":"contact","time":1,"device":"a","slot":0,"contact":1,"phase":"melted","x":0,"y":0}
      """
    guard
      case .contact(let contact) = try BothDecoders.decode(
        ReceivedEvent.self, from: Data(line.utf8))
    else {
      Issue.record("it is no contact")
      return
    }
    #expect(contact.phase == .unknown)
  }

  @Test func `what was missed is counted`() throws {
    let line = Data(#"{"event":"missed","count":3}"#.utf8)
    #expect(try BothDecoders.decode(ReceivedEvent.self, from: line) == .missed(count: 3))
  }
}
