import PressureKit
import Testing

@testable import PressureDaemon
@testable import PressureProtocol
@testable import PressureSystem

struct SendQueueTests {
  private static let limit = 1000
  private static let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

  private func append(to sendQueue: inout SendQueue, key: Subject? = nil) -> Bool {
    SendQueueTests.line.withUnsafeBufferPointer { sendQueue.append($0, key: key) }
  }

  @Test func `a client that always lags a little uses constant memory`() {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    _ = append(to: &sendQueue)
    for _ in 0..<1000 {
      #expect(append(to: &sendQueue))
      let outcome = sendQueue.drain { .written(min(SendQueueTests.line.count, $0.count)) }
      #expect(outcome == .written(SendQueueTests.line.count))
      #expect(!sendQueue.isEmpty)
      #expect(sendQueue.bytes.count <= SendQueueTests.limit * 5 / 4)
    }
  }

  @Test func `a client that never reads uses at most the limit and a quarter of it`() {
    let limit = 256 << 10
    var sendQueue = SendQueue(limit: limit)
    let key = Subject(name: .weight, device: 1)
    var highest = 0
    for _ in 0..<10_000 {
      #expect(append(to: &sendQueue, key: key))
      // The allocator rounds up slightly.
      #expect(sendQueue.bytes.capacity <= limit * 5 / 4 + 4096)
      highest = max(highest, sendQueue.pendingByteCount)
    }
    #expect(highest > limit - SendQueueTests.line.count)
  }

  @Test func `a write that was removed has no bytes`() {
    var write = GatherWrite()
    write.append(0..<10, key: nil)
    write.append(10..<30, key: nil)
    #expect((write.count, write.pieces.count) == (30, 2))
    write.removeAll()
    #expect((write.count, write.pieces.count) == (0, 0))
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
        return .written(taken)
      }
    }
    _ = sendQueue.drain { piece in
      received += piece
      return .written(piece.count)
    }
    #expect(received == expected)
    #expect(sendQueue.bytes.count == 0)
  }

  @Test func `a full queue keeps lossless lines and the newest reading of each subject`() {
    let reading = Subject(name: .weight, device: 1)
    let other = Subject(name: .weight, device: 2)
    let lines: [(Character, Subject?)] =
      [("o", other)] + "abcde".map { ($0, reading) } + "LMNO".map { ($0, nil) }
    #expect(kept(of: lines + [("f", reading)]) == "oLMNOf")
    #expect(kept(of: lines + [("P", nil)]) == "oeLMNOP")
    // All ten places are those of lossless lines in the end.
    #expect(kept(of: lines + "PQRSTU".map { ($0, nil) }) == "LMNOPQRSTU")
  }

  /// The names of the lines that a queue with space for ten returns; its count of the others is right.
  private func kept(of lines: [(name: Character, key: Subject?)]) -> String {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    for (name, key) in lines {
      let line = Array(name.utf8) + SendQueueTests.line.dropFirst()
      #expect(line.withUnsafeBufferPointer { sendQueue.append($0, key: key) })
    }
    var received = ""
    _ = sendQueue.drain { piece in
      for start in stride(from: piece.startIndex, to: piece.endIndex, by: 100) {
        received.unicodeScalars.append(Unicode.Scalar(piece[start]))
      }
      return .written(piece.count)
    }
    #expect(sendQueue.missed == lines.count - received.count)
    return received
  }

  @Test func `lossless lines do not fit beside lossless lines, nor does a reading`() {
    var sendQueue = SendQueue(limit: SendQueueTests.limit)
    for _ in 0..<10 { #expect(append(to: &sendQueue)) }
    #expect(!append(to: &sendQueue))
    #expect(!append(to: &sendQueue, key: Subject(name: .weight, device: 1)))
    #expect(sendQueue.missed == 0 && sendQueue.pendingByteCount == SendQueueTests.limit)
  }

  @Test func `a reading causes no search if lossless lines fill seven eighths`() {
    let key = Subject(name: .weight, device: 1)
    var sendQueue = SendQueue(limit: 1600)
    for _ in 0..<15 { #expect(append(to: &sendQueue)) }
    #expect(append(to: &sendQueue, key: key))
    #expect(!append(to: &sendQueue, key: key))
    #expect(append(to: &sendQueue))
    #expect(sendQueue.missed == 1)
  }
}
