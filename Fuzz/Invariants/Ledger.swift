@testable import PressureDaemon
@testable import PressureKit
@testable import PressureProtocol

/// What was said to a client, what it has heard of that, and the laws between the two.
struct Ledger {
  /// A line that was for the client.
  struct Entry {
    var bytes: [UInt8]

    /// What it is a state of; nil for a happening.
    var key: SendQueue.Key?

    var device: Int
    var time: Timestamp

    /// Whether the client had asked for every frame.
    var isOfEveryFrame: Bool
  }

  private var said: [Entry] = []
  private var places: [[UInt8]: [Int]] = [:]
  private var happenings: [Int] = []
  private var replies: [[UInt8]] = []
  private var heardHappenings = 0
  private var heardReplies = 0
  private var heardStates = 0
  private var lastTimes: [Int: Timestamp] = [:]
  private var lastPlaces: [SendQueue.Key: Int] = [:]
  private var lastOfEveryFrame = -1
  private var rest: [UInt8] = []

  /// How much the client was told that it has missed.
  private(set) var missed = 0

  mutating func say(_ entry: Entry) {
    if entry.key == nil { happenings.append(said.count) }
    places[entry.bytes, default: []].append(said.count)
    said.append(entry)
  }

  /// A request is due to be answered with this line, after those before it.
  mutating func expect(_ reply: [UInt8]) {
    replies.append(reply)
  }

  /// Hears bytes, cut anywhere.
  mutating func hear(_ bytes: some Collection<UInt8>) {
    rest += bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(rest[...end])
      rest.removeFirst(line.count)
      line.withUnsafeBufferPointer { JSONValidator.hold($0) }
      hear(line: line)
    }
  }

  private mutating func hear(line: [UInt8]) {
    if line.starts(with: "{\"event\":\"reply\"".utf8) {
      require(heardReplies < replies.count, "an answer is to a request: \(text(line))")
      require(line == replies[heardReplies], "answers come in order: \(text(line))")
      heardReplies += 1
    } else if line.starts(with: "{\"event\":\"missed\",\"count\":".utf8) {
      let count = Int(text(line.filter { (0x30...0x39).contains($0) })) ?? 0
      require(count > 0, "who is told has missed something: \(text(line))")
      missed += count
    } else {
      hear(event: line)
    }
  }

  private mutating func hear(event line: [UInt8]) {
    guard let place = places[line]?.first else { fatalError("nobody said \(text(line))") }
    places[line]?.removeFirst()
    let entry = said[place]
    require(
      lastTimes[entry.device].map { $0 <= entry.time } ?? true, "a time runs back: \(text(line))")
    lastTimes[entry.device] = entry.time
    if let key = entry.key {
      require(lastPlaces[key] ?? -1 < place, "a state is older than the last: \(text(line))")
      lastPlaces[key] = place
      heardStates += 1
    } else {
      let next = happenings[heardHappenings]
      require(next == place, "a happening is lost: \(text(said[next].bytes))")
      heardHappenings += 1
    }
    if entry.isOfEveryFrame {
      require(lastOfEveryFrame < place, "something overtakes: \(text(line))")
      lastOfEveryFrame = place
    }
  }

  private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

  /// How many bytes of happenings and answers have not been heard whole, and the longest line of all.
  var unheard: (bytes: Int, longest: Int) {
    let events = happenings[heardHappenings...].reduce(0) { $0 + said[$1].bytes.count }
    let answers = replies[heardReplies...].reduce(0) { $0 + $1.count }
    return (events + answers, said.reduce(0) { max($0, $1.bytes.count) })
  }

  /// How many states were never heard.
  var unheardStates: Int { said.count - happenings.count - heardStates }

  /// All that waited has been taken by a client that is still there.
  func close() {
    require(rest.isEmpty, "half a line is left: \(text(rest))")
    require(heardHappenings == happenings.count, "no happening is lost")
    require(heardReplies == replies.count, "no request is left without its answer")
  }
}
