internal import Glibc
internal import PressureKit
internal import PressureSystem

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

/// Bytes of a file that is read once, in pieces, so that memory does not grow with it.
final class ByteReader {
  /// How much is asked of the kernel at once; more did not make it faster.
  static let piece = 64 << 10

  let path: String

  /// Where in the file `rest` begins.
  private(set) var offset = 0

  private let file: Descriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  /// Opens a file of which `rest` may hold `keeping` bytes while still more are asked for.
  init(
    path: String, keeping: Int, accepting kind: InputFile.Kind = .any
  ) throws(RecordingError) {
    self.path = path
    do throws(InputFile.OpenError) {
      file = try InputFile.open(path, kind)
    } catch .notRegular(let kind) {
      throw .data(
        path, "only a file can be played, as it is read anew for each round; it is \(kind)")
    } catch .refused(EACCES) {
      throw .rights(path)
    } catch {
      throw .input(path, "cannot be opened: \(error.reason)")
    }
    buffer = .allocate(byteCount: keeping + ByteReader.piece, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// What is read and not yet dropped; valid until the next `fill`.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start..<end]) }

  func drop(_ count: Int) {
    let dropped = min(count, end - start)
    start += dropped
    offset += dropped
  }

  /// Reads another piece behind the rest; false at the end of the file.
  func fill() throws(RecordingError) -> Bool {
    moveRestToFront()
    let room = min(ByteReader.piece, buffer.count - end)
    guard room > 0, let target = buffer.baseAddress?.advanced(by: end) else { return false }
    var count = read(file.number, target, room)
    while count < 0, errno == EINTR { count = read(file.number, target, room) }
    guard count >= 0 else { throw .input(path, "cannot be read: \(ByteReader.systemReason())") }
    end += count
    return count > 0
  }

  /// Begins again; false where the file cannot, as a pipe.
  func rewind() -> Bool {
    guard lseek(file.number, 0, SEEK_SET) == 0 else { return false }
    (start, end, offset) = (0, 0, 0)
    return true
  }

  private func moveRestToFront() {
    guard start > 0 else { return }
    if end > start, let front = buffer.baseAddress {
      memmove(front, front + start, end - start)
    }
    (start, end) = (0, end - start)
  }

  private static func systemReason() -> String {
    strerror(errno).map { String(cString: $0) } ?? "unknown reason"
  }
}
