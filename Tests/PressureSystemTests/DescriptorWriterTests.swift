import CLinux
import Glibc
import PressureSystem
import Testing

struct DescriptorWriterTests {
  /// Both ends of a connection, or the reading and the writing end of a pipe, which do not block.
  private struct Ends: ~Copyable {
    let reader: Descriptor
    let writer: Descriptor

    init(socket isSocket: Bool = false) {
      var ends: [Int32] = [-1, -1]
      let result =
        isSocket ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
      precondition(result == 0)
      for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      reader = Descriptor(ends[0])
      writer = Descriptor(ends[1])
    }

    func readAll() -> [UInt8] {
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(reader.number, &buffer, buffer.count), count > 0 {
        all += buffer.prefix(count)
      }
      return all
    }
  }

  private static let long = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }

  @Test func `a queue keeps what the descriptor does not accept yet`() {
    for isSocket in [false, true] {
      let ends = Ends(socket: isSocket)
      var queue = Self.long
      var received: [UInt8] = []
      while !queue.isEmpty {
        let before = queue.count
        #expect(
          DescriptorWriter.flush(&queue, to: ends.writer.number, isSocket ? .socket : .file) == 0)
        #expect(queue.count < before)
        received += ends.readAll()
      }
      #expect(received == Self.long)
    }
  }

  @Test func `a full descriptor that does not block is an error if all bytes must be written`() {
    let ends = Ends()
    let number = Self.long.withUnsafeBytes { DescriptorWriter.writeAll($0, to: ends.writer.number) }
    #expect(number == EAGAIN)
  }

  @Test func `a closed peer of a socket causes an error and no signal`() {
    let ends = Ends(socket: true)
    let writer = ends.writer.number
    shutdown(ends.reader.number, Int32(SHUT_RDWR))
    let outcome = Self.long.withUnsafeBytes { DescriptorWriter.write($0, to: writer, .socket) }
    #expect(outcome == .failed(EPIPE))
  }

  @Test(arguments: [1, 1024, 1025, 3000])
  func `vectors beyond the kernel's limit are written in order`(count: Int) {
    let ends = Ends(socket: true)
    let bytes = Array(Self.long.prefix(2 * count))
    let outcome = bytes.withUnsafeBytes { bytes in
      let vectors = (0..<count).map { index in
        iovec(
          iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress! + 2 * index), iov_len: 2)
      }
      return vectors.withUnsafeBufferPointer {
        DescriptorWriter.write($0, toSocket: ends.writer.number)
      }
    }
    #expect(outcome == .written(2 * count))
    #expect(ends.readAll() == bytes)
  }
}
