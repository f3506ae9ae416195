import PressureKit
import Testing

@testable import pressured

struct OutboxTests {
  private static let limit = 1000
  private static let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

  private func append(to outbox: inout Outbox) -> Bool {
    OutboxTests.line.withUnsafeBufferPointer { outbox.append($0, key: nil) }
  }

  @Test func `who always lags a little costs no more memory for it`() {
    var outbox = Outbox(limit: OutboxTests.limit)
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
    var outbox = Outbox(limit: limit)
    let key = Outbox.Key(name: .weight, device: 1)
    for _ in 0..<10_000 {
      let fits = OutboxTests.line.withUnsafeBufferPointer { outbox.append($0, key: key) }
      #expect(fits)
      // The allocator rounds up a little.
      #expect(outbox.room <= limit * 5 / 4 + 4096)
    }
    #expect(outbox.waiting > limit - OutboxTests.line.count)
  }

  @Test func `what is sent comes out as it went in, however it is cut`() {
    var outbox = Outbox(limit: OutboxTests.limit)
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

  /// What is received of ten lines of 100 bytes each, by their first bytes, after more were appended to a queue of 1000.
  private func received(_ lines: [(String, Outbox.Key)]) -> String {
    var outbox = Outbox(limit: OutboxTests.limit)
    for (name, key) in lines {
      let line = Array(name.utf8) + OutboxTests.line.dropFirst()
      _ = line.withUnsafeBufferPointer { outbox.append($0, key: key) }
    }
    var received = ""
    _ = outbox.drain { piece in
      for start in stride(from: piece.startIndex, to: piece.endIndex, by: 100) {
        received.unicodeScalars.append(Unicode.Scalar(piece[start]))
      }
      return piece.count
    }
    return received
  }

  @Test func `lines of requests replace readings before each other`() {
    let reading = Outbox.Key(name: .weight, device: 1)
    let scale = Outbox.Key(name: .scale, device: 1)
    var requested = scale
    requested.isRequested = true
    let readings = "abcdefghi".map { (String($0), reading) } + [("s", scale)]
    let more = "123".map { (String($0), requested) }
    #expect(received(readings + more) == "defghis123")
    let requests = "0123456789".map { (String($0), requested) }
    #expect(received(requests + [("a", requested)]) == "123456789a")
  }

  @Test func `readings replace readings before lines of requests`() {
    let requested = Outbox.Key(name: .scale, device: 1, isRequested: true)
    let reading = Outbox.Key(name: .weight, device: 1)
    let other = Outbox.Key(name: .weight, device: 2)
    let lines = "12345".map { (String($0), requested) } + "abcde".map { (String($0), reading) }
    #expect(received(lines + [("f", reading), ("g", other)]) == "12345cdefg")
  }
}
