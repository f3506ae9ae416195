import Glibc
import PressureKit
import PressureTestSupport
import Testing

@testable import PressureClient
@testable import PressureDaemon
@testable import PressureProtocol
@testable import PressureSystem

/// The lines that a client receives for a device, and when; times are in microseconds.
struct DeliveryTests {
  /// A client, and the other end of its connection.
  private final class Peer {
    let client: Client
    let far: Descriptor

    init(number: Int) throws {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      client = Client(number: number, file: Descriptor(ends[0]), bufferLimit: 65536)
      far = Descriptor(ends[1])
    }
  }

  /// A pad, its batch, and clients at the other ends of pairs of sockets.
  private final class Line {
    private var peers: [Peer] = []
    private var peerCount = 0
    private var engine: Engine
    private var buffer = EventBuffer()
    private let batch: Batch
    private var countedLines = 0
    private var gatherWrite = GatherWrite()

    /// Whether lines are encoded that no client takes.
    private let isEager: Bool

    private let isBrief: Bool

    init(_ subscriptions: String..., isEager: Bool = false, isBrief: Bool = true) throws {
      (self.isEager, self.isBrief) = (isEager, isBrief)
      var description = DeviceDescription()
      for (code, maximum) in [
        (EventCode.slot, 3), (.trackingID, 65535), (.positionX, 1000), (.positionY, 1000),
        (.pressure, 100),
      ] as [(EventCode, Int32)] {
        description.axes[code.code] = Axis(minimum: 0, maximum: maximum)
      }
      let surface = try Surface(description)
      batch = Batch(Device(id: DeviceID(description), node: "", surface: surface), number: 7)
      var configuration = Configuration()
      configuration.press.stages = PressFeel.fixed.clickStages
      engine = Engine(surface: surface, configuration: configuration)
      for subscription in subscriptions { try join(subscription) }
    }

    var client: Client { peers[0].client }

    private var clients: [Client] { peers.map(\.client) }

    func join(_ subscription: String) throws {
      peerCount += 1
      peers.append(try Peer(number: peerCount))
      try subscribe(subscription, peers.count - 1)
    }

    /// Removes the client that has been there longest, if another one stays.
    func leave() {
      if peers.count > 1 { peers.removeFirst() }
    }

    func subscribe(_ words: String, _ index: Int = 0) throws {
      let request = try Request(line: Array("subscribe \(words)".utf8))
      if case .subscribe(let wanted) = try Command(request) {
        clients[index].subscribe(to: wanted)
      }
    }

    /// A frame, with the pressure of each slot; nil lifts.
    func frame(_ time: Int64, _ pressures: [Int32?]) {
      var values: [(EventCode, Int32)] = []
      for (slot, pressure) in pressures.enumerated() {
        values += [(.slot, Int32(slot)), (.trackingID, pressure == nil ? -1 : Int32(40 + slot))]
        if let pressure { values.append((.pressure, pressure)) }
      }
      engine.receive(frame: values, at: time, into: &buffer)
    }

    /// Publishes the events since the last call, and returns the lines that arrive.
    func deliver(at now: Int64) -> [String] {
      batch.take(&buffer, wanted: clients.reduce(0) { $0 | $1.subscription.eventMask })
      if isEager { for index in batch.lines.indices { _ = batch.range(of: index) } }
      return publish(at: now)
    }

    private func publish(at now: Int64) -> [String] {
      for client in clients {
        client.deliver(batch, of: batch.device.id, at: now, gatherWrite: &gatherWrite)
      }
      batch.finish()
      return arrived()
    }

    /// Publishes a line that is not the engine's, and returns the lines that arrive.
    func announce(at now: Int64) -> [String] {
      let text = "{\"event\":\"device\",\"time\":\(now)}\n"
      batch.encode(.device, at: Timestamp(microseconds: now)) { lines, _ in
        Array(text.utf8).withUnsafeBufferPointer { lines.append(raw: $0) }
      }
      return publish(at: now)
    }

    /// Advances to the deadline of held readings.
    func pass(at now: Int64) -> [String] {
      let time = engine.time ?? Timestamp(microseconds: 0)
      for client in clients {
        guard let due = client.due(of: 7), due <= now else { continue }
        client.sendHeld(batch, at: now) { engine.state(of: $0, at: time) }
      }
      return arrived()
    }

    /// The lines of each client in turn.
    private func arrived() -> [String] {
      peers.flatMap { peer -> [String] in
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = max(recv(peer.far.number, &bytes, bytes.count, Int32(MSG_DONTWAIT)), 0)
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
          .map { isBrief ? Line.brief($0) : String($0) }
      }
    }

    /// The number of lines that were encoded since the last call.
    func takeEncodedLines() -> Int {
      defer { countedLines = batch.encoded.lines }
      return batch.encoded.lines - countedLines
    }

    /// The event with its time, and for a press its state, contact and stage.
    private static func brief(_ line: Substring) -> String {
      let fields = line.split { ",:{}\"".contains($0) }
      func value(_ key: Substring) -> Substring? {
        fields.firstIndex(of: key).map { fields[$0 + 1] }
      }
      let keys: [Substring] =
        value("event") == "press"
        ? ["event", "time", "state", "contact", "stage"] : ["event", "time"]
      return keys.compactMap(value).joined(separator: " ")
    }
  }

  @Test func `the readings of one frame are sent together, and the next are held`() throws {
    let line = try Line("events=weight,press max_hz=100")
    line.frame(0, [40])
    #expect(line.deliver(at: 0) == ["weight 0", "press 0 started 40 light"])
    line.frame(10_000, [41])
    #expect(line.deliver(at: 10_000) == ["weight 10000", "press 10000 changed 40 light"])
    line.frame(12_000, [42])
    line.frame(14_000, [43])
    #expect(line.deliver(at: 14_000).isEmpty)
    #expect(line.client.due(of: 7) == 20_000)
    #expect(line.pass(at: 19_999).isEmpty)
    #expect(line.pass(at: 20_000) == ["weight 14000", "press 14000 changed 40 light"])
    #expect(line.client.due(of: 7) == nil)
  }

  @Test func `presses are held per contact, the newest replacing older ones`() throws {
    let line = try Line("events=press max_hz=100")
    line.frame(0, [40, 40])
    line.frame(1000, [41, 40])
    #expect(
      line.deliver(at: 1000) == [
        "press 0 started 40 light", "press 0 started 41 light", "press 1000 changed 40 light",
      ])
    line.frame(2000, [42, 40])
    _ = line.deliver(at: 2000)
    line.frame(3000, [42, 43])
    _ = line.deliver(at: 3000)
    line.frame(4000, [44, 43])
    #expect(line.deliver(at: 4000).isEmpty)
    #expect(
      line.pass(at: 11_000) == ["press 4000 changed 40 light", "press 4000 changed 41 light"])
  }

  @Test func `a stage crossing and the end replace held readings of their press`() throws {
    let line = try Line("events=press max_hz=10")
    line.frame(0, [40])
    line.frame(1000, [41])
    line.frame(2000, [42])
    line.frame(3000, [80])
    line.frame(4000, [81])
    #expect(
      line.deliver(at: 4000) == ["press 0 started 40 light", "press 1000 changed 40 light"]
        + ["press 3000 changed 40 deep"])
    line.frame(5000, [nil])
    #expect(line.deliver(at: 5000) == ["press 5000 ended 40 deep"])
    #expect(line.client.due(of: 7) == nil, "nothing comes after the end")
  }

  @Test func `a held reading is sent with the time and the force of the last frame`() throws {
    let line = try Line("events=press,contact max_hz=10", isBrief: false)
    line.frame(0, [40])
    line.frame(1000, [41])
    _ = line.deliver(at: 1000)
    line.frame(2000, [42])
    #expect(line.deliver(at: 2000).isEmpty)
    line.frame(3000, [42, 20])
    #expect(line.deliver(at: 3000).count == 1, "the contact does not wait")
    let lines = line.pass(at: 200_000)
    try #require(lines.count == 1)
    #expect(lines[0].includes("\"time\":3000,") && lines[0].includes("\"force\":2.8,"))
  }

  @Test func `a line that is not the engine's does not wait for a held press`() throws {
    let line = try Line("events=device,press max_hz=10")
    line.frame(0, [40])
    line.frame(1000, [41])
    _ = line.deliver(at: 1000)
    line.frame(2000, [42])
    #expect(line.deliver(at: 2000).isEmpty)
    #expect(line.announce(at: 2000) == ["device 2000"])
    #expect(line.pass(at: 200_000) == ["press 2000 changed 40 light"])
  }

  @Test func `until held readings are sent, newer ones replace them`() throws {
    let line = try Line("events=weight,press max_hz=100")
    for time in stride(from: Int64(0), through: 10_000, by: 1000) {
      line.frame(time, [30 + Int32(time / 1000)])
      #expect(line.deliver(at: time).isEmpty == (time > 0))
    }
    #expect(line.pass(at: 10_000) == ["weight 10000", "press 10000 changed 40 light"])
  }

  @Test func `unsubscribed events are no longer held`() throws {
    let line = try Line("events=weight,press max_hz=10")
    line.frame(0, [40])
    _ = line.deliver(at: 0)
    line.frame(1000, [41])
    _ = line.deliver(at: 1000)
    try line.subscribe("events=press")
    #expect(line.pass(at: 200_000) == ["press 1000 changed 40 light"])
  }

  @Test func `a weight that no client takes is not encoded`() throws {
    let line = try Line("events=weight max_hz=10")
    for time in stride(from: Int64(0), through: 9000, by: 1000) {
      line.frame(time, [40 + Int32(time / 1000)])
      #expect(line.deliver(at: time) == (time == 0 ? ["weight 0"] : []))
    }
    #expect(line.takeEncodedLines() == 1)
    #expect(line.pass(at: 100_000) == ["weight 9000"])
    #expect(line.takeEncodedLines() == 1)
    #expect(line.pass(at: 200_000).isEmpty)
  }

  @Test func `a held weight is encoded once for all clients`() throws {
    let words = "events=weight max_hz=10"
    let line = try Line(words, words)
    line.frame(0, [20])
    _ = line.deliver(at: 0)
    line.frame(1000, [21])
    line.frame(2000, [22])
    _ = line.deliver(at: 2000)
    _ = line.takeEncodedLines()
    #expect(line.pass(at: 200_000) == ["weight 2000", "weight 2000"])
    #expect(line.takeEncodedLines() == 1)
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func `with clients that come and go lines are those of an encoding of all`(
    _ seed: UInt64
  ) throws {
    let subscriptions = [
      "events=weight max_hz=100", "max_hz=30", "events=weight max_hz=0", "events=contact",
      "events=weight,heaviest max_hz=7 min_change_grams=5", "events=press max_hz=0",
      "events=weight,scale max_hz=60", "events=weight,press max_hz=50",
      "events=weight devices=none",
    ]
    let lazy = try Line("events=weight max_hz=50", isBrief: false)
    let eager = try Line("events=weight max_hz=50", isEager: true, isBrief: false)
    var generator = TinyRandom(seed: seed)
    var (now, count) = (Int64(0), 0)
    for _ in 0..<trials(2000, few: 800) {
      now += Int64.random(in: 100...5000, using: &generator)
      let words = subscriptions[generator.below(subscriptions.count)]
      let action = generator.below(40)
      for line in [lazy, eager] {
        switch action {
        case 0: try line.join(words)
        case 1, 2: line.leave()
        case 3: try line.subscribe(words)
        default: break
        }
      }
      let due = lazy.pass(at: now)
      #expect(due == eager.pass(at: now))
      let pressures = (0..<3).map { _ in
        generator.below(30) == 0 ? nil : Int32(20 + generator.below(70))
      }
      for line in [lazy, eager] { line.frame(now, pressures) }
      let lines = lazy.deliver(at: now)
      #expect(lines == eager.deliver(at: now))
      count += due.count + lines.count
    }
    #expect(count > 100)
    #expect(lazy.takeEncodedLines() < eager.takeEncodedLines())
  }

  @Test func `without a rate every line is sent`() throws {
    let line = try Line("events=press max_hz=0")
    line.frame(0, [40])
    line.frame(1000, [41])
    line.frame(2000, [42])
    #expect(line.deliver(at: 2000).count == 3)
  }
}
