internal import Glibc

/// Lines of a text file, given as bytes so that none of them needs memory of its own.
final class LineReader {
  /// Ten times the longest line of any recorder; what is longer is no text.
  static let longestLine = 256 << 10

  /// The number of the line that was given last, counted from 1.
  private(set) var number = 0

  private let bytes: ByteReader
  private var line = UnsafeRawBufferPointer(start: nil, count: 0)

  /// False for a last line that has no line break behind it.
  private(set) var isTerminated = true

  private var isHeld = false

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  /// The next line without its line break, nil at the end; valid until the next call.
  func next() throws(RecordingError) -> UnsafeRawBufferPointer? {
    if isHeld {
      isHeld = false
      return line
    }
    bytes.drop(number > 0 ? line.count + (isTerminated ? 1 : 0) : 0)
    line = UnsafeRawBufferPointer(start: nil, count: 0)
    guard let count = try length() else {
      isTerminated = false
      return nil
    }
    number += 1
    line = UnsafeRawBufferPointer(rebasing: bytes.rest[..<count])
    if count > LineReader.longestLine {
      throw place("the line is longer than \(LineReader.longestLine) bytes")
    }
    if find(0, in: line, from: 0) != nil { throw place("a NUL byte stands in the text") }
    return line
  }

  /// Lets `next` give the same line once more.
  func hold() { isHeld = true }

  /// A fault in the line that was given last.
  func fault(_ reason: String) -> RecordingError {
    place(isTerminated ? reason : "the last line is unfinished: \(reason)")
  }

  private func place(_ reason: String) -> RecordingError {
    .data(bytes.path, place: ":\(number)", reason)
  }

  /// The length of the line that the rest begins with, nil where there is none.
  private func length() throws(RecordingError) -> Int? {
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
