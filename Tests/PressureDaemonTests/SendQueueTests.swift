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

  /// The first bytes of the lines received from a queue of 1000 bytes, after more than ten lines of 100 bytes were appended.
  private func received(_ lines: [(String, SendQueue.Key)]) -> String {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    for (name, key) in lines {
      let line = Array(name.utf8) + SendQueueTests.line.dropFirst()
      _ = line.withUnsafeBufferPointer { sendQueue.append($0, key: key) }
    }
    var received = ""
    _ = sendQueue.drain { piece in
      for start in stride(from: piece.startIndex, to: piece.endIndex, by: 100) {
        received.unicodeScalars.append(Unicode.Scalar(piece[start]))
      }
      return piece.count
    }
    return received
  }

  @Test func `lines of requests replace readings before each other`() {
    let reading = SendQueue.Key(name: .weight, device: 1)
    let scale = SendQueue.Key(name: .scale, device: 1)
    var requested = scale
    requested.isRequested = true
    let readings = "abcdefghi".map { (String($0), reading) } + [("s", scale)]
    let more = "123".map { (String($0), requested) }
    #expect(received(readings + more) == "defghis123")
    let requests = "0123456789".map { (String($0), requested) }
    #expect(received(requests + [("a", requested)]) == "123456789a")
  }

  @Test func `readings replace readings before lines of requests`() {
    let requested = SendQueue.Key(name: .scale, device: 1, isRequested: true)
    let reading = SendQueue.Key(name: .weight, device: 1)
    let other = SendQueue.Key(name: .weight, device: 2)
    let lines = "12345".map { (String($0), requested) } + "abcde".map { (String($0), reading) }
    #expect(received(lines + [("f", reading), ("g", other)]) == "12345cdefg")
  }

  @Test func `the newest line of a request waits until there is space`() {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    let requested = SendQueue.Key(name: .scale, device: 1, isRequested: true)
    func append(_ name: String, _ key: SendQueue.Key?) -> Bool {
      let line = Array(name.utf8) + SendQueueTests.line.dropFirst()
      return line.withUnsafeBufferPointer { sendQueue.append($0, key: key) }
    }
    func received() -> String {
      var received = ""
      repeat {
        _ = sendQueue.drain { piece in
          for start in stride(from: piece.startIndex, to: piece.endIndex, by: 100) {
            received.unicodeScalars.append(Unicode.Scalar(piece[start]))
          }
          return piece.count
        }
        sendQueue.appendPostponed()
      } while !sendQueue.isEmpty
      return received
    }
    for name in "abcdefghij" { #expect(append(String(name), nil)) }
    #expect(append("1", requested))
    #expect(append("2", requested))
    #expect(sendQueue.missed == 1)
    #expect(received() == "abcdefghij2")

    // A newer reading of the same scale takes its place.
    let reading = SendQueue.Key(name: .scale, device: 1)
    for name in "abcdefghij" { #expect(append(String(name), nil)) }
    #expect(append("3", requested))
    #expect(append("s", reading))
    #expect(received() == "abcdefghijs")
    // Other readings are not kept.
    for name in "abcdefghij" { #expect(append(String(name), nil)) }
    #expect(!append("t", reading))
    #expect(received() == "abcdefghij")

    // A queued one that is removed for a lossless line waits as well, unless a newer reading is queued.
    for name in "abcdefghi" { #expect(append(String(name), nil)) }
    #expect(append("5", requested))
    #expect(append("j", nil))
    #expect(received() == "abcdefghij5")
    for name in "abcdefgh" { #expect(append(String(name), nil)) }
    #expect(append("6", requested))
    #expect(append("u", reading))
    #expect(append("i", nil))
    #expect(append("j", nil))
    #expect(received() == "abcdefghij6")

    // A line that is longer than the queue would wait forever.
    var long = [UInt8](repeating: UInt8(ascii: "l"), count: SendQueueTests.limit + 1)
    #expect(!long.withUnsafeBufferPointer { sendQueue.append($0, key: requested) })
    long.removeLast()
    for name in "a" { #expect(append(String(name), nil)) }
    #expect(long.withUnsafeBufferPointer { sendQueue.append($0, key: requested) })
    #expect(received() == "a" + String(repeating: "l", count: SendQueueTests.limit / 100))

    // There is a limit to the number of such lines.
    for name in "abcdefghij" { #expect(append(String(name), nil)) }
    for device in 1...64 {
      #expect(append("4", SendQueue.Key(name: .scale, device: device, isRequested: true)))
    }
    #expect(!append("5", SendQueue.Key(name: .scale, device: 65, isRequested: true)))
    #expect(received() == "abcdefghij" + String(repeating: "4", count: 64))
  }
}
