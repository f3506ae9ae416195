internal import PressureKit

/// Supplies lines to the YAML parser as bytes, and keeps the error that ended them.
///
/// The parser reads ahead, and an error there would hide the events before it. So it receives at most one line per
/// read. If a line cannot be read, the parser sees the end of the file, and `error` holds the reason.
final class LineSource {
  /// Why there is no next line.
  private(set) var error: RecordingError?

  /// The number of the line with the error, or of the latest line.
  var number: Int { lines.number }

  /// The slot in the comments of the current device; the parser drops comments.
  var comment = SlotComment()

  /// The first line after the beginning that is not part of the recording.
  private(set) var firstUnknown: (line: Int, quote: String)?

  private let lines: LineReader
  private let remarks: Remarks
  private let cleaner = CleanLine()

  /// The quotation marks and blanks before the first line of the recording, and so before all others.
  private var prefix: [UInt8]?

  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)[...]
  private var needsLineBreak = false

  init(_ bytes: ByteReader, _ remarks: Remarks) {
    lines = LineReader(bytes)
    self.remarks = remarks
  }

  /// Fills part of the buffer; returns the number of bytes, 0 at the end and after an error.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    do {
      while error == nil, rest.isEmpty, !needsLineBreak {
        guard let line = try lines.next() else { return 0 }
        try load(line)
      }
      return copy(into: buffer)
    } catch {
      self.error = error
      return 0
    }
  }

  private func load(_ line: UnsafeRawBufferPointer) throws(RecordingError) {
    // An escape character begins a color; other control characters are errors.
    let line = line.contains(0x1b) ? cleaner.clean(line) : line
    needsLineBreak = lines.isTerminated
    guard let text = unquoted(line), LineSource.isYAML(LineCursor(text)) else {
      // An empty line in its place keeps the numbers of the lines.
      guard LineSource.isRemarkable(line) else { return }
      if prefix != nil, firstUnknown == nil { firstUnknown = (lines.number, Remarks.quote(line)) }
      try remarks.count(.skipped, line: lines.number, line)
      return
    }
    guard LineSource.isText(text) else {
      throw lines.error("the text contains a control character or invalid UTF-8")
    }
    comment.read(LineCursor(text))
    rest = text[...]
  }

  /// The line without quotation marks; nil if it is not part of the recording.
  private func unquoted(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let prefix else { return beginning(line) }
    if line.starts(with: prefix) {
      return UnsafeRawBufferPointer(rebasing: line.dropFirst(prefix.count))
    }
    return line.allSatisfy { $0.isBlank } ? line : nil
  }

  /// The line without quotation marks if the recording begins here, else nil.
  private func beginning(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var cursor = LineCursor(line)
    cursor.skipMarks()
    let words: [StaticString] = ["# libinput record", "version:", "ndevices:", "devices:"]
    guard words.contains(where: { cursor.starts(with: $0) }) else { return nil }
    let rest = cursor.rest
    prefix = Array(line.prefix(line.count - rest.count))
    return rest
  }

  /// Whether a line may be a part of the YAML that recorders write, and not other text.
  static func isYAML(_ line: LineCursor) -> Bool {
    var cursor = line
    cursor.skipBlanks()
    let isIndented = cursor.peek != line.peek
    switch cursor.peek {
    case nil, UInt8(ascii: "#"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\0"):
      return true
    case UInt8(ascii: "-"):
      cursor.skip()
      guard let next = cursor.peek else { return false }
      cursor.skipBlanks()
      guard next == UInt8(ascii: " "), let first = cursor.peek else { return false }
      return !first.isLetter && first != UInt8(ascii: "-") || cursor.startsWithKey
    default:
      return isIndented && cursor.peek?.isDecimalDigit == true || cursor.startsWithKey
    }
  }

  private static func isRemarkable(_ line: UnsafeRawBufferPointer) -> Bool {
    var cursor = LineCursor(line)
    cursor.skipMarks()
    let isInterrupt = cursor.starts(with: "C") && line.count < 4
    return cursor.peek != nil && !isInterrupt && !cursor.starts(with: "Recording to '")
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

  private func copy(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = min(buffer.count, rest.count)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    if needsLineBreak, rest.isEmpty, count < buffer.count {
      buffer[count] = UInt8(ascii: "\n")
      count += 1
      needsLineBreak = false
    }
    return count
  }
}

extension LineCursor {
  /// Whether a name and a colon or an equals sign follow, as before a value.
  fileprivate var startsWithKey: Bool {
    var cursor = self
    guard cursor.peek?.isWordPart == true else { return false }
    cursor.skip { !($0.isWordPart || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")) }
    if cursor.skip(UInt8(ascii: "=")) { return true }
    return cursor.skip(UInt8(ascii: ":")) && (cursor.peek == nil || cursor.peek?.isBlank == true)
  }
}
