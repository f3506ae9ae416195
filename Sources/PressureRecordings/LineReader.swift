internal import Glibc
internal import PressureKit
internal import PressureSystem

/// The lines of a text file, as bytes in a shared buffer, so that no line is allocated.
final class LineReader {
  /// The maximum length of a line: ten times the longest line of any recorder.
  static let longestLine = 256 << 10

  /// How many lines an event may be wrapped into, after its first.
  static let longestWrap = 3

  private(set) var number = 0

  private let bytes: ByteReader
  private var line = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Whether a line break follows the latest line; false only for the last line of a file.
  private(set) var isTerminated = true

  private var isPushedBack = false

  /// How many bytes from the start of the line on are known to contain no NUL byte: a chunk is searched at once.
  private var textCount = 0

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  /// The next line without its line break, or nil at the end; valid until the next call.
  func next() throws(ExitError) -> UnsafeRawBufferPointer? {
    if isPushedBack {
      isPushedBack = false
      return line
    }
    let dropped = number > 0 ? line.count + (isTerminated ? 1 : 0) : 0
    bytes.drop(dropped)
    textCount -= dropped
    line = UnsafeRawBufferPointer(start: nil, count: 0)
    guard let count = try length() else { return nil }
    number += 1
    line = UnsafeRawBufferPointer(rebasing: bytes.rest[..<count])
    if count > LineReader.longestLine {
      throw error(inLine: number, "the line is longer than \(LineReader.longestLine) bytes")
    }
    if count > textCount { try searchNUL(upTo: count) }
    return line
  }

  @inline(never)
  private func searchNUL(upTo count: Int) throws(ExitError) {
    let rest = bytes.rest
    textCount = find(0, in: rest, from: max(textCount, 0)) ?? rest.count
    if count > textCount { throw error(inLine: number, "the text contains a NUL byte") }
  }

  func unread() { isPushedBack = true }

  func error(_ reason: String) -> ExitError {
    error(inLine: number, isTerminated ? reason : "the last line is incomplete: \(reason)")
  }

  func error(inLine number: Int, _ reason: String) -> ExitError {
    .data(bytes.path, location: ":\(number)", reason)
  }

  /// The length of the line at the start of the buffer, or nil at the end of the file.
  private func length() throws(ExitError) -> Int? {
    var searched = 0
    while true {
      if let lineBreak = find(UInt8(ascii: "\n"), in: bytes.rest, from: searched) {
        isTerminated = true
        return lineBreak
      }
      searched = bytes.rest.count
      if searched > LineReader.longestLine { return searched }
      guard try bytes.fill() else {
        isTerminated = false
        return searched > 0 ? searched : nil
      }
    }
  }

  private func find(_ byte: UInt8, in text: UnsafeRawBufferPointer, from: Int) -> Int? {
    guard let base = text.baseAddress, from < text.count else { return nil }
    return memchr(base + from, Int32(byte), text.count - from).map { UnsafeRawPointer($0) - base }
  }
}

/// A copy of a line without what terminals and mail programs add to it.
struct CleanLine: ~Copyable {
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
  private var count = 0

  deinit { storage.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

  /// A line without escape sequences and other control characters; it is copied only if it has any.
  mutating func clean(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard line.contains(where: CleanLine.isControl) else { return line }
    begin(LineCursor(line))
    return bytes
  }

  mutating func begin(_ rest: LineCursor) {
    count = 0
    append(rest)
  }

  mutating func append(_ rest: LineCursor) {
    var cursor = rest
    while let byte = cursor.peek {
      cursor.skip()
      if byte == 0x1b {
        // An escape sequence such as "[1;31m" after the escape character, or one character.
        if cursor.skip(UInt8(ascii: "[")) { cursor.skip { (0x40...0x7e).contains($0) } }
        cursor.skip()
      } else if !CleanLine.isControl(byte) {
        append(byte)
      }
    }
  }

  mutating func append(_ byte: UInt8) {
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
}
