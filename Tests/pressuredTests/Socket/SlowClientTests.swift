import Glibc
import PressureKit
import Testing

@testable import pressured

/// A client that takes less than it is sent.
struct SlowClientTests {
  @Test func `the words on what is missed do not fill a buffer`() throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let client = Client(number: 1, file: Descriptor(ends[0]), bufferLimit: 2048)
    defer { close(ends[1]) }
    // Readings until both the kernel's buffer and ours are full; then happenings take their place.
    while client.allCounts.missed == 0 { sendReading(to: client) }
    var happenings = 0
    while !client.isStuck {
      sendReading(to: client)
      send(happening, key: nil, to: client)
      happenings += 1
    }
    // One word on all that is missed, and not one before each.
    #expect(happenings * happening.count > 2048 - 3 * happening.count)
  }

  private let reading = Array("\(String(repeating: "r", count: 99))\n".utf8)
  private let happening = Array("\(String(repeating: "h", count: 39))\n".utf8)

  private func sendReading(to client: Client) {
    send(reading, key: Outbox.Key(name: .weight, device: 1), to: client)
  }

  private func send(_ line: [UInt8], key: Outbox.Key?, to client: Client) {
    line.withUnsafeBufferPointer { bytes in
      var parcel = Parcel()
      parcel.append(bytes, key: key)
      client.send(parcel)
    }
  }
}
