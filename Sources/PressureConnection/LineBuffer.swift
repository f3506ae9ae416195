internal import Glibc

/// Received bytes in memory that is reused, whose lines are read where they are.
///
/// For a client that must not allocate memory for each line; `LineFramer` copies them.
package struct LineBuffer: ~Copyable {
  /// A line, or the reason why there are no more.
  package enum Line {
    /// A line without its line feed; valid until the next call of a mutating method.
    case whole(UnsafeRawBufferPointer)
    /// More bytes than the limit without a line feed.
    case tooLong
  }

  private static let initialCapacity = 64 * 1024

  private let limit: Int
  private var memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  /// The end of the part that was searched for a line feed.
  private var searched = 0

  /// - Parameter limit: the longest accepted line in bytes.
  package init(limit: Int) {
    self.limit = limit
    memory = .allocate(byteCount: min(LineBuffer.initialCapacity, limit + 1), alignment: 1)
  }

  deinit {
    memory.deallocate()
  }

  /// Reads available bytes; must not be called before `next` has returned nil.
  ///
  /// - Returns: 0, or the error number of the read; ECONNRESET at the end.
  package mutating func read(from descriptor: Int32) -> Int32 {
    makeRoom()
    let count = recv(descriptor, memory.baseAddress.map { $0 + end }, memory.count - end, 0)
    guard count > 0 else { return count < 0 ? errno : ECONNRESET }
    end += count
    return 0
  }

  /// Removes and returns the next line; nil if there is no complete one.
  package mutating func next() -> Line? {
    guard let base = memory.baseAddress else { return nil }
    guard let feed = memchr(base + searched, Int32(UInt8(ascii: "\n")), end - searched) else {
      searched = end
      return end - start > limit ? .tooLong : nil
    }
    let line = UnsafeRawBufferPointer(start: base + start, count: feed - (base + start))
    start = feed - base + 1
    searched = start
    return line.count > limit ? .tooLong : .whole(line)
  }

  /// Moves an incomplete line to the beginning, and grows only for one that fills the memory.
  private mutating func makeRoom() {
    if start > 0 {
      if end > start, let base = memory.baseAddress { memmove(base, base + start, end - start) }
      (start, end, searched) = (0, end - start, searched - start)
    }
    guard end == memory.count, memory.count <= limit else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(2 * memory.count, limit + 1), alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(memory))
    memory.deallocate()
    memory = larger
  }
}

extension Connection {
  /// Reads available bytes into a buffer.
  ///
  /// - Parameter lines: the buffer, whose lines are then complete; each connection has its own.
  /// - Throws: what has ended the connection.
  package func receive(into lines: inout LineBuffer) throws(ConnectionError) {
    let number = lines.read(from: descriptor)
    guard [0, EAGAIN, EINTR].contains(number) else { throw .lost(number) }
  }
}
