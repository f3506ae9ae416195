import PressureSystem

@testable import PressureDaemon
@testable import PressureProtocol

/// Lines for a client whose socket accepts fragments: no event overtakes another, no lossless event is dropped, and each
/// dropped coalescible event is counted.
func fuzzQueue(_ bytes: UnsafeBufferPointer<UInt8>) {
  var feed = Feed(bytes)
  var stand = OutboxTrial(limit: 64 + 8 * feed.below(256))
  while !feed.isEmpty {
    let step = feed.byte()
    switch step & 3 {
    case 0: stand.drain(Int(feed.byte()))
    case 1: stand.drain(Int(feed.word()))
    default:
      let kind = Int(step >> 2 & 15)
      stand.append(length: 1 + feed.below(256), kind: kind < 6 ? nil : kind)
    }
  }
  stand.drain(.max)
  stand.end()
}

/// A send queue, with the lines put into it and taken out of it.
private struct OutboxTrial {
  /// Lines with the same number are of the same kind; lossless events have none.
  private struct Line {
    var kind: Int?
    var bytes: [UInt8]
    var hasLeft = false
  }

  private var sendQueue: SendQueue
  private var lines: [Line] = []
  private var out: [UInt8] = []
  private var place = 0

  init(limit: Int) {
    sendQueue = SendQueue(limit: limit)
  }

  mutating func append(length: Int, kind: Int?) {
    let number = lines.count
    // Three bytes identify the line, if it is long enough.
    let mark = [UInt8(number & 255), UInt8(number >> 8 & 255), UInt8(number >> 16 & 255)]
    let bytes = mark + [UInt8](repeating: UInt8(number % 251), count: length)
    let key = kind.map {
      Subject(
        name: $0 < 10 ? .weight : $0 < 12 ? .press : .scale, device: $0 % 3, contact: Int32($0))
    }
    let isIn = bytes.withUnsafeBufferPointer { sendQueue.append($0, key: key) }
    if isIn {
      lines.append(Line(kind: kind, bytes: bytes))
    } else {
      let lossless = lines[place...].filter { $0.kind == nil }.reduce(0) { $0 + $1.bytes.count }
      let half = out.isEmpty ? 0 : lines[place...].map(\.bytes.count).max() ?? 0
      // For a coalescible one no place is made if lossless events leave less than an eighth.
      let spare = kind == nil ? 0 : sendQueue.limit / 8
      require(
        lossless + half + bytes.count + spare > sendQueue.limit,
        "only lossless events fill a queue")
    }
    require(
      sendQueue.bytes.count <= sendQueue.limit * 5 / 4,
      "memory is bounded: \(sendQueue.bytes.count)")
  }

  /// A socket that accepts that many bytes.
  mutating func drain(_ room: Int) {
    var room = room
    _ = sendQueue.drain { piece in
      let taken = min(room, piece.count)
      out += piece.prefix(taken)
      room -= taken
      return .written(taken)
    }
    read()
  }

  /// Identifies the lines that were sent; skipped ones must be coalescible.
  private mutating func read() {
    while out.count >= 3 {
      let number = Int(out[0]) | Int(out[1]) << 8 | Int(out[2]) << 16
      require(
        number < lines.count && number >= place, "line \(number) has come after \(place)")
      guard out.count >= lines[number].bytes.count else { return }
      require(out.starts(with: lines[number].bytes), "line \(number) has come whole")
      for passed in place..<max(place, number) {
        require(lines[passed].kind != nil, "lossless event \(passed) is lost")
      }
      lines[number].hasLeft = true
      out.removeFirst(lines[number].bytes.count)
      place = max(place, number + 1)
    }
  }

  /// Checks the queue after it has been drained.
  func end() {
    require(sendQueue.isEmpty && out.isEmpty, "the queue is empty")
    let lost = lines.count { !$0.hasLeft }
    require(lost == sendQueue.missed, "\(lost) lines are lost, \(sendQueue.missed) are counted")
    require(lines.allSatisfy { $0.hasLeft || $0.kind != nil }, "no lossless event is lost")
  }
}
