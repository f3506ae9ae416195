internal import Glibc
internal import PressureKit

/// The lines of a text file, as bytes in a shared buffer, so that no line is allocated.
final class LineReader {
  /// The maximum length of a line: ten times the longest line of any recorder.
  static let longestLine = 256 << 10

  /// The number of the latest line, counted from 1.
  private(set) var number = 0

  private let bytes: ByteReader
  private var line = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Whether a line break follows the latest line; false only for the last line of a file.
  private(set) var isTerminated = true

  private var isPushedBack = false

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  /// The next line without its line break, or nil at the end; valid until the next call.
  func next() throws(RecordingError) -> UnsafeRawBufferPointer? {
    if isPushedBack {
      isPushedBack = false
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
      throw locatedError("the line is longer than \(LineReader.longestLine) bytes")
    }
    if find(0, in: line, from: 0) != nil { throw locatedError("the text contains a NUL byte") }
    return line
  }

  /// Makes `next` return the same line again.
  func unread() { isPushedBack = true }

  /// An error in the latest line.
  func error(_ reason: String) -> RecordingError {
    locatedError(isTerminated ? reason : "the last line is incomplete: \(reason)")
  }

  /// An error in a line, whether or not it is complete.
  func error(inLine number: Int, _ reason: String) -> RecordingError {
    .data(bytes.path, location: ":\(number)", reason)
  }

  private func locatedError(_ reason: String) -> RecordingError {
    error(inLine: number, reason)
  }

  /// The length of the line at the start of the buffer, or nil at the end of the file.
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
