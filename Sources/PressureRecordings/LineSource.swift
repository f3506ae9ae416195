/// Gives lines to a parser that wants bytes, and keeps what it could not pass on.
///
/// The parser looks ahead, and what it finds wrong there hides the events before. So it gets no more than a line at a
/// time, and where a line cannot be had, it sees the end of the file; who asks for the line itself learns the fault.
final class LineSource {
  /// Why there was no next line.
  private(set) var fault: RecordingError?

  /// The line that had the fault, or was given last.
  var number: Int { lines.number }

  /// The slot that the comments of the current device speak of; the parser does not show comments.
  var comment = SlotComment()

  private let lines: LineReader
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)[...]
  private var owesLineBreak = false

  init(_ bytes: ByteReader) {
    lines = LineReader(bytes)
  }

  /// Fills a part of the buffer; the number of bytes is 0 at the end and after a fault.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    do {
      while fault == nil, rest.isEmpty, !owesLineBreak {
        guard let line = try lines.next() else { return 0 }
        try take(line)
      }
      return pass(into: buffer)
    } catch {
      fault = error
      return 0
    }
  }

  private func take(_ line: UnsafeRawBufferPointer) throws(RecordingError) {
    guard LineSource.isText(line) else {
      throw lines.fault("a control character or a broken one stands in the text")
    }
    comment.read(line)
    rest = line[...]
    owesLineBreak = lines.isTerminated
  }

  /// Whether the parser can decode a line.
  private static func isText(_ line: UnsafeRawBufferPointer) -> Bool {
    var isPlain = true
    for byte in line {
      if byte < UInt8(ascii: " "), !byte.isBlank { return false }
      if byte >= 0x7f { isPlain = false }
    }
    guard !isPlain else { return true }
    return !line.contains(0x7f) && String(validating: line, as: UTF8.self) != nil
  }

  private func pass(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = min(buffer.count, rest.count)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    if owesLineBreak, rest.isEmpty, count < buffer.count {
      buffer[count] = UInt8(ascii: "\n")
      count += 1
      owesLineBreak = false
    }
    return count
  }
}
