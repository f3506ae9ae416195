internal import CLinux
internal import Glibc
internal import PressureKit
internal import PressureProtocol

/// What the other side has sent, cut into lines when they are asked for.
///
/// Requests wait here as the text that they came as, which is the least memory that they can take.
package struct LineFramer {
  /// A piece of what the other side says.
  package enum Line: Hashable {
    /// A whole line, without its end.
    case whole([UInt8])
    /// A line that is longer than any may be; nothing follows it.
    case tooLong
  }

  /// Bytes of the longest line, without its end.
  package let limit: Int

  private var bytes: [UInt8] = []

  /// Where the next line begins.
  private var start = 0

  /// Before this no end of a line is left.
  private var searched = 0

  /// Whether no more will come, so that what is left is a line, too.
  private var isEnded = false

  /// Whether a line was too long.
  private var hasFailed = false

  package init(limit: Int = Request.maximumLength) {
    self.limit = limit
  }

  /// Bytes of which no line was made yet.
  package var pendingByteCount: Int { bytes.count - start }

  /// Whether there is a line, or one that is too long, so that no more need be read for now.
  package var isFull: Bool { pendingByteCount > limit }

  /// Adds bytes.
  package mutating func append(_ more: some Collection<UInt8>) {
    guard !hasFailed else { return }
    if start > 0, start >= pendingByteCount {
      bytes.removeFirst(start)
      (start, searched) = (0, searched - start)
    }
    bytes.append(contentsOf: more)
  }

  /// No more will come.
  package mutating func end() {
    isEnded = true
  }

  /// Cuts off the next line; nil where there is no whole one.
  package mutating func next() -> Line? {
    guard !hasFailed else { return nil }
    if let end = endOfLine() { return slice(end, through: end + 1) }
    searched = bytes.count
    if pendingByteCount > limit { return fail() }
    return isEnded && pendingByteCount > 0 ? slice(bytes.count, through: bytes.count) : nil
  }

  /// Whether `next` would give a line.
  package var hasLine: Bool {
    !hasFailed && (endOfLine() != nil || isFull || isEnded && pendingByteCount > 0)
  }

  /// Whether the text that waits has some word in it, as it is written.
  package func contains(_ word: StaticString) -> Bool {
    bytes[start...].withUnsafeBytes { rest in
      memmem(rest.baseAddress, rest.count, word.utf8Start, word.utf8CodeUnitCount) != nil
    }
  }

  /// Whether there is nothing but space.
  package var isBlank: Bool { bytes[start...].allSatisfy { $0 <= 0x20 } }

  private func endOfLine() -> Int? {
    bytes.withUnsafeBytes { all in
      guard searched < all.count, let base = all.baseAddress else { return nil }
      let newline = memchr(base + searched, Int32(UInt8(ascii: "\n")), all.count - searched)
      return newline.map { UnsafeRawPointer($0) - base }
    }
  }

  private mutating func slice(_ end: Int, through next: Int) -> Line {
    guard end - start <= limit else { return fail() }
    let isNetwork = end > start && bytes[end - 1] == UInt8(ascii: "\r")
    let line = Array(bytes[start..<(isNetwork ? end - 1 : end)])
    (start, searched) = (next, next)
    // Who has nothing to say keeps no memory.
    if pendingByteCount == 0 { (bytes, start, searched) = ([], 0, 0) }
    return .whole(line)
  }

  private mutating func fail() -> Line {
    hasFailed = true
    (bytes, start, searched) = ([], 0, 0)
    return .tooLong
  }
}

extension LineFramer {
  /// Takes bytes and gives the lines that they complete; after one that is too long, nothing.
  package mutating func push(_ more: some Collection<UInt8>) -> [Line] {
    append(more)
    return drain()
  }

  /// The other side has shut its sending: what is left is a line, too.
  package mutating func finish() -> [Line] {
    end()
    return drain()
  }

  private mutating func drain() -> [Line] {
    var lines: [Line] = []
    while let line = next() { lines.append(line) }
    return lines
  }
}
