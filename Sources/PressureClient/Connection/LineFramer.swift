internal import CLinux
internal import Glibc
internal import PressureProtocol

/// Splits received bytes into lines on demand.
///
/// Pending requests stay here as text, their most compact form.
package struct LineFramer {
  /// A line, or the end of a stream with a line that is too long.
  package enum Line: Hashable {
    case whole([UInt8])
    /// A line that exceeds the limit; no further line is returned.
    case tooLong
  }

  /// The longest line in bytes, without its line end.
  package let limit: Int

  private var bytes: [UInt8] = []
  private var start = 0

  /// No line end was found before this offset.
  private var searched = 0

  /// Whether the input has ended, so that the rest is a line, too.
  private var isEnded = false

  /// Whether a line was too long: nothing is kept, and no more is taken.
  private var hasFailed = false

  package init(limit: Int = Request.maximumLength) {
    self.limit = limit
  }

  /// Bytes that no returned line contains.
  package var pendingByteCount: Int { bytes.count - start }

  /// Whether the limit is exceeded, so that no more need to be read for now.
  package var isFull: Bool { pendingByteCount > limit }

  package mutating func append(_ more: some Collection<UInt8>) {
    guard !hasFailed else { return }
    if start > 0, start >= pendingByteCount {
      bytes.removeFirst(start)
      (start, searched) = (0, searched - start)
    }
    bytes.append(contentsOf: more)
  }

  package mutating func end() { isEnded = true }

  /// Removes and returns the next line; nil if there is no complete one.
  package mutating func next() -> Line? {
    if let end = endOfLine() { return slice(end, through: end + 1) }
    searched = bytes.count
    if pendingByteCount > limit { return fail() }
    return isEnded && pendingByteCount > 0 ? slice(bytes.count, through: bytes.count) : nil
  }

  package var hasLine: Bool {
    endOfLine() != nil || isFull || isEnded && pendingByteCount > 0
  }

  /// Whether the pending text contains a word literally.
  package func contains(_ word: StaticString) -> Bool {
    bytes[start...].withUnsafeBytes { rest in
      guard let first = rest.baseAddress else { return false }
      return memmem(first, rest.count, word.utf8Start, word.utf8CodeUnitCount) != nil
    }
  }

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
    // Free the memory of an idle client.
    if pendingByteCount == 0 { (bytes, start, searched) = ([], 0, 0) }
    return .whole(line)
  }

  private mutating func fail() -> Line {
    hasFailed = true
    (bytes, start, searched) = ([], 0, 0)
    return .tooLong
  }

  /// Appends bytes, after which the input may end, and returns the lines that are complete; nothing after one that is too long.
  package mutating func push(_ more: some Collection<UInt8>, isLast: Bool = false) -> [Line] {
    append(more)
    if isLast { end() }
    var lines: [Line] = []
    while let line = next() { lines.append(line) }
    return lines
  }
}
