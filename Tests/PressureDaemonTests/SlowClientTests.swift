import Glibc
import PressureKit
import Testing

@testable import PressureClient
@testable import PressureDaemon
@testable import PressureProtocol
@testable import PressureSystem

/// A client that reads less than it is sent.
struct SlowClientTests {
  @Test func `reports of missed lines do not fill the buffer`() throws {
    let (client, other) = try connect(bufferLimit: 2048)
    defer { close(other) }
    // Readings until both the kernel's buffer and the queue are full; then lossless events replace them.
    while client.totalCounts.missed == 0 { sendReading(to: client) }
    var losslessCount = 0
    while !client.hasOverflowed {
      sendReading(to: client)
      send(lossless, key: nil, to: client)
      losslessCount += 1
    }
    // One report for all missed lines, and not one before each event.
    #expect(losslessCount * lossless.count > 2048 - 3 * lossless.count)
  }

  @Test func `a reading that never fits does not disconnect the client`() throws {
    let (client, other) = try connect(bufferLimit: 64)
    defer { close(other) }
    // The kernel accepts a part of one, and its rest is longer than the limit of the queue.
    for _ in 0..<20_000 { sendReading(to: client) }
    #expect(!client.isBroken && !client.hasOverflowed)
    let before = client.totalCounts
    #expect(before.missed > 0)
    let text = String(decoding: read(all: other, of: client), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last?.isEmpty == true)
    let whole = lines.count { $0.utf8.count == reading.count - 1 }
    let reports = lines.dropLast().filter { $0.utf8.count != reading.count - 1 }
    let counts = reports.compactMap { Int($0.drop { !$0.isNumber }.dropLast()) }
    #expect(counts.count == reports.count && counts.reduce(0, +) == before.missed)
    #expect(whole + before.missed == 20_000)
  }

  @Test func `a client that has closed keeps its requests but no output`() throws {
    let (client, other) = try connect(bufferLimit: 2048)
    let requests = Array("ping\nhold\n".utf8)
    try #require(Glibc.write(other, requests, requests.count) == requests.count)
    while client.pendingByteCount == 0 { send(lossless, key: nil, to: client) }
    close(other)
    client.flush()
    #expect(client.isOutputClosed && client.pendingByteCount == 0 && !client.isDone)
    client.read()
    #expect(client.nextLine() == .whole(Array("ping".utf8)))
    send(lossless, key: nil, to: client)
    client.peerClosed()
    #expect(client.pendingByteCount == 0 && client.hasLine && !client.isDone)
    #expect(client.nextLine() == .whole(Array("hold".utf8)))
    #expect(client.isDone)
  }

  /// A client, and the peer's end of its connection.
  private func connect(bufferLimit: Int) throws -> (Client, Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    return (Client(number: 1, file: Descriptor(ends[0]), bufferLimit: bufferLimit), ends[1])
  }

  /// Reads all output, including the queued lines.
  private func read(all end: Int32, of client: Client) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(end, &piece, piece.count)
      if count <= 0, client.pendingByteCount == 0 { return bytes }
      bytes += piece.prefix(max(count, 0))
      client.flush()
    }
  }

  private let reading = Array("\(String(repeating: "r", count: 99))\n".utf8)
  private let lossless = Array("\(String(repeating: "h", count: 39))\n".utf8)

  private func sendReading(to client: Client) {
    send(reading, key: Subject(name: .weight, device: 1), to: client)
  }

  private func send(_ line: [UInt8], key: Subject?, to client: Client) {
    line.withUnsafeBufferPointer { bytes in
      var gatherWrite = GatherWrite()
      gatherWrite.append(0..<bytes.count, key: key)
      client.send(gatherWrite, of: bytes)
    }
  }
}
