/// What is wrong with a line.
package struct LineError: Error {
  package var reason: String
}

/// A place within a line, and what can be read from there on.
///
/// Everything is read from bytes by hand: a string for each number would cost more than all the rest.
struct LineCursor {
  private let line: UnsafeRawBufferPointer
  private var position = 0

  init(_ line: UnsafeRawBufferPointer) {
    self.line = line
  }

  /// The byte that comes next, nil at the end of the line.
  var peek: UInt8? { position < line.count ? line[position] : nil }

  /// What is left of the line, as text.
  var text: String { String(decoding: line[position...], as: UTF8.self) }

  mutating func skip() { position = min(position + 1, line.count) }

  @inline(__always)
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  mutating func skip(_ word: StaticString) -> Bool {
    guard line.count - position >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount
    where line[position + index] != word.utf8Start[index] {
      return false
    }
    position += word.utf8CodeUnitCount
    return true
  }

  /// Goes to the end or to a byte that `isEnd` takes, and gives the number of bytes gone over.
  @discardableResult
  @inline(__always)
  mutating func skip(until isEnd: (UInt8) -> Bool) -> Int {
    let start = position
    var index = start
    while index < line.count, !isEnd(line[index]) { index &+= 1 }
    position = index
    return index &- start
  }

  @inline(__always)
  mutating func skipBlanks() { skip { !$0.isBlank } }

  /// Goes over indentation, quotation marks and list marks, as people put them before a line.
  mutating func skipMarks() { skip { $0.isWordPart } }

  /// Whether nothing but a comment is left.
  @inline(__always)
  mutating func isAtEnd() -> Bool {
    skipBlanks()
    return peek == nil || peek == UInt8(ascii: "#")
  }
}
