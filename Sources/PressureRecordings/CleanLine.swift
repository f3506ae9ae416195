/// A copy of a line without what terminals and mail programs add to it.
final class CleanLine {
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
  private var count = 0

  deinit {
    storage.deallocate()
  }

  /// The copy; valid until the next change.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

  /// A line without escape sequences and other control characters; it is copied only if it has any.
  func clean(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard line.contains(where: CleanLine.isControl) else { return line }
    count = 0
    append(LineCursor(line))
    return bytes
  }

  /// Begins the copy with the rest of a line.
  func begin(_ rest: LineCursor) {
    count = 0
    append(rest)
  }

  /// Appends the rest of a line.
  func append(_ rest: LineCursor) {
    var cursor = rest
    while let byte = cursor.peek {
      cursor.skip()
      if byte == 0x1b {
        CleanLine.skipSequence(&cursor)
      } else if !CleanLine.isControl(byte) {
        append(byte)
      }
    }
  }

  /// Appends one character.
  func append(_ byte: UInt8) {
    if count == storage.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * count, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(storage))
      storage.deallocate()
      storage = larger
    }
    storage[count] = byte
    count += 1
  }

  private static func isControl(_ byte: UInt8) -> Bool {
    byte < UInt8(ascii: " ") && !byte.isBlank || byte == 0x7f
  }

  /// Skips the rest of an escape sequence: "[1;31m" after the escape character, or one character.
  private static func skipSequence(_ cursor: inout LineCursor) {
    if cursor.skip(UInt8(ascii: "[")) { cursor.skip { (0x40...0x7e).contains($0) } }
    cursor.skip()
  }
}
