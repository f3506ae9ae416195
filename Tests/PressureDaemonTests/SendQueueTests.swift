import PressureKit
import Testing

@testable import PressureDaemon
@testable import PressureProtocol

struct SendQueueTests {
  private static let limit = 1000
  private static let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

  private func append(to sendQueue: inout SendQueue) -> Bool {
    SendQueueTests.line.withUnsafeBufferPointer { sendQueue.append($0, key: nil) }
  }

  @Test func `a client that always lags a little uses constant memory`() {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    _ = append(to: &sendQueue)
    for _ in 0..<1000 {
      #expect(append(to: &sendQueue))
      var room = SendQueueTests.line.count
      let isWhole = sendQueue.drain { piece in
        let taken = min(room, piece.count)
        room -= taken
        return taken
      }
      #expect(isWhole)
      #expect(!sendQueue.isEmpty)
      #expect(sendQueue.footprint <= SendQueueTests.limit * 5 / 4)
    }
  }

  @Test func `a client that never reads uses at most the limit and a quarter of it`() {
    let limit = 256 << 10
    var sendQueue = SendQueue(limit: limit)
    let key = SendQueue.Key(name: .weight, device: 1)
    for _ in 0..<10_000 {
      let fits = SendQueueTests.line.withUnsafeBufferPointer { sendQueue.append($0, key: key) }
      #expect(fits)
      // The allocator rounds up slightly.
      #expect(sendQueue.capacity <= limit * 5 / 4 + 4096)
    }
    #expect(sendQueue.pendingByteCount > limit - SendQueueTests.line.count)
  }

  @Test func `bytes are sent unchanged, with any fragmentation`() {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    var received: [UInt8] = []
    var expected: [UInt8] = []
    for number in 0..<500 {
      let line = Array("\(number) \(String(repeating: "x", count: number % 60))\n".utf8)
      expected += line
      let fits = line.withUnsafeBufferPointer { sendQueue.append($0, key: nil) }
      #expect(fits)
      var room = number % 7 == 0 ? 500 : 17
      _ = sendQueue.drain { piece in
        let taken = min(room, piece.count)
        received += piece.prefix(taken)
        room -= taken
        return taken
      }
    }
    _ = sendQueue.drain { piece in
      received += piece
      return piece.count
    }
    #expect(received == expected)
    #expect(sendQueue.footprint == 0)
  }

  @Test func `a full queue drops the oldest reading of a subject, or else the oldest of all`() {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    let reading = SendQueue.Key(name: .weight, device: 1)
    let other = SendQueue.Key(name: .weight, device: 2)
    let lines: [(Character, SendQueue.Key?)] =
      [("o", other)] + "abc".map { ($0, reading) } + "LMNOPQ".map { ($0, nil) }
      + [("d", reading), ("R", nil)]
    for (name, key) in lines {
      let line = Array(name.utf8) + SendQueueTests.line.dropFirst()
      #expect(line.withUnsafeBufferPointer { sendQueue.append($0, key: key) })
    }
    var received = ""
    _ = sendQueue.drain { piece in
      for start in stride(from: piece.startIndex, to: piece.endIndex, by: 100) {
        received.unicodeScalars.append(Unicode.Scalar(piece[start]))
      }
      return piece.count
    }
    #expect(received == "bcLMNOPQdR")
    #expect(sendQueue.missed == 2)
  }
}
