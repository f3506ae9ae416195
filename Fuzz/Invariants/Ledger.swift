@testable import PressureDaemon
@testable import PressureKit
@testable import PressureProtocol

/// The lines sent to a client, the lines it received, and the invariants between the two.
struct Ledger {
  /// A line that was for the client.
  struct Entry {
    var bytes: [UInt8]

    /// The key of a coalescible event; nil for a lossless one.
    var key: Subject?

    var device: Int
    var time: Timestamp

    /// Whether the client had asked for every frame.
    var isOfEveryFrame: Bool
  }

  private var sent: [Entry] = []
  private var places: [[UInt8]: [Int]] = [:]
  private var lossless: [Int] = []
  private var replies: [[UInt8]] = []
  private var receivedLossless = 0
  private var receivedReplies = 0
  private var receivedCoalescible = 0
  private var lastTimes: [Int: Timestamp] = [:]
  private var lastPlaces: [Subject: Int] = [:]
  private var lastOfEveryFrame = -1
  private var rest: [UInt8] = []

  /// The sum of the counts of `missed` lines.
  private(set) var missed = 0

  mutating func say(_ entry: Entry) {
    if entry.key == nil { lossless.append(sent.count) }
    places[entry.bytes, default: []].append(sent.count)
    sent.append(entry)
  }

  /// Replaces the newest line with a key by one with the state at a later time, which is sent in its place.
  mutating func restate(_ key: Subject, _ bytes: [UInt8], at time: Timestamp) {
    guard let place = sent.lastIndex(where: { $0.key == key }) else {
      fatalError("a reading is held that was never for the client")
    }
    places[sent[place].bytes]?.removeAll { $0 == place }
    (sent[place].bytes, sent[place].time) = (bytes, time)
    places[bytes, default: []].append(place)
  }

  /// Adds the expected reply to a request, after those of earlier requests.
  mutating func expect(_ reply: [UInt8]) {
    replies.append(reply)
  }

  /// Receives bytes, fragmented anywhere.
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
      require(receivedReplies < replies.count, "a reply without a request: \(text(line))")
      require(line == replies[receivedReplies], "replies come in order: \(text(line))")
      receivedReplies += 1
    } else if line.starts(with: "{\"event\":\"missed\",\"count\":".utf8) {
      let count = Int(text(line.filter { (0x30...0x39).contains($0) })) ?? 0
      require(count > 0, "a `missed` line has a count: \(text(line))")
      missed += count
    } else {
      hear(event: line)
    }
  }

  private mutating func hear(event line: [UInt8]) {
    guard let place = places[line]?.first else {
      fatalError("a received line was never sent: \(text(line))")
    }
    places[line]?.removeFirst()
    let entry = sent[place]
    require(
      lastTimes[entry.device].map { $0 <= entry.time } ?? true, "time decreases: \(text(line))")
    lastTimes[entry.device] = entry.time
    if let key = entry.key {
      require(
        lastPlaces[key] ?? -1 < place, "a coalescible event is older than the last: \(text(line))")
      lastPlaces[key] = place
      receivedCoalescible += 1
    } else {
      let next = lossless[receivedLossless]
      require(next == place, "a lossless event is lost: \(text(sent[next].bytes))")
      receivedLossless += 1
    }
    if entry.isOfEveryFrame {
      require(lastOfEveryFrame < place, "an event overtakes another: \(text(line))")
      lastOfEveryFrame = place
    }
  }

  private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

  /// The bytes of lossless events and replies not yet received, and the length of the longest line.
  var unreceived: (bytes: Int, longest: Int) {
    let events = lossless[receivedLossless...].reduce(0) { $0 + sent[$1].bytes.count }
    let answers = replies[receivedReplies...].reduce(0) { $0 + $1.count }
    return (events + answers, sent.reduce(0) { max($0, $1.bytes.count) })
  }

  /// The number of coalescible events never received.
  var unreceivedCoalescible: Int { sent.count - lossless.count - receivedCoalescible }

  /// Everything queued has been received by a client that is still connected.
  func close() {
    require(rest.isEmpty, "an incomplete line is left: \(text(rest))")
    require(receivedLossless == lossless.count, "no lossless event is lost")
    require(receivedReplies == replies.count, "every request has a reply")
  }
}
