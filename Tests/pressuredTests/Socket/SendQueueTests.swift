import PressureKit
@testable import PressureProtocol
import Testing

@testable import PressureDaemon
@testable import PressureTerminal

struct OutboxTests {
  private static let limit = 1000
  private static let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

  private func append(to outbox: inout SendQueue) -> Bool {
    OutboxTests.line.withUnsafeBufferPointer { outbox.append($0, key: nil) }
  }

  @Test func `who always lags a little costs no more memory for it`() {
    var outbox = SendQueue(limit: OutboxTests.limit)
    _ = append(to: &outbox)
    for _ in 0..<1000 {
      #expect(append(to: &outbox))
      var room = OutboxTests.line.count
      let isWhole = outbox.drain { piece in
        let taken = min(room, piece.count)
        room -= taken
        return taken
      }
      #expect(isWhole)
      #expect(!outbox.isEmpty)
      #expect(outbox.footprint <= OutboxTests.limit * 5 / 4)
    }
  }

  @Test func `who never reads costs no more memory than the bound and a quarter of it`() {
    let limit = 256 << 10
    var outbox = SendQueue(limit: limit)
    let key = SendQueue.Key(name: .weight, device: 1)
    for _ in 0..<10_000 {
      let fits = OutboxTests.line.withUnsafeBufferPointer { outbox.append($0, key: key) }
      #expect(fits)
      // The allocator rounds up a little.
      #expect(outbox.room <= limit * 5 / 4 + 4096)
    }
    #expect(outbox.waiting > limit - OutboxTests.line.count)
  }

  @Test func `what is sent comes out as it went in, however it is cut`() {
    var outbox = SendQueue(limit: OutboxTests.limit)
    var received: [UInt8] = []
    var expected: [UInt8] = []
    for number in 0..<500 {
      let line = Array("\(number) \(String(repeating: "x", count: number % 60))\n".utf8)
      expected += line
      let fits = line.withUnsafeBufferPointer { outbox.append($0, key: nil) }
      #expect(fits)
      var room = number % 7 == 0 ? 500 : 17
      _ = outbox.drain { piece in
        let taken = min(room, piece.count)
        received += piece.prefix(taken)
        room -= taken
        return taken
      }
    }
    _ = outbox.drain { piece in
      received += piece
      return piece.count
    }
    #expect(received == expected)
    #expect(outbox.footprint == 0)
  }
}
