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
}
