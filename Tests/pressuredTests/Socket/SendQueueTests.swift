import PressureKit
@testable import PressureProtocol
import Testing

@testable import PressureDaemon
@testable import PressureTerminal

struct OutboxTests {
  private static let limit = 1000
  private static let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

  private func append(to sendQueue: inout SendQueue) -> Bool {
    OutboxTests.line.withUnsafeBufferPointer { sendQueue.append($0, key: nil) }
  }

  @Test func `who always lags a little costs no more memory for it`() {
    var sendQueue = SendQueue(limit: OutboxTests.limit)
    _ = append(to: &sendQueue)
    for _ in 0..<1000 {
      #expect(append(to: &sendQueue))
      var room = OutboxTests.line.count
      let isWhole = sendQueue.drain { piece in
        let taken = min(room, piece.count)
        room -= taken
        return taken
      }
      #expect(isWhole)
      #expect(!sendQueue.isEmpty)
      #expect(sendQueue.footprint <= OutboxTests.limit * 5 / 4)
    }
  }

  @Test func `who never reads costs no more memory than the bound and a quarter of it`() {
    let limit = 256 << 10
    var sendQueue = SendQueue(limit: limit)
    let key = SendQueue.Key(name: .weight, device: 1)
    for _ in 0..<10_000 {
      let fits = OutboxTests.line.withUnsafeBufferPointer { sendQueue.append($0, key: key) }
      #expect(fits)
      // The allocator rounds up a little.
      #expect(sendQueue.capacity <= limit * 5 / 4 + 4096)
    }
    #expect(sendQueue.pendingByteCount > limit - OutboxTests.line.count)
  }

  @Test func `what is sent comes out as it went in, however it is cut`() {
    var sendQueue = SendQueue(limit: OutboxTests.limit)
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
}
