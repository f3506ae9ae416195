internal import PressureKit

/// A recording by evemu, or by a tool that writes the same format.
///
/// ```
/// A: 3a 0 255 0 0 0
/// E: 1382570965.735216 0003 003a 0039
/// ```
final class EvemuFile: RecordingReader {
  static let invalidLine = "not a line of an evemu recording"

  let description: DeviceDescription
  private let lines: LineReader

  /// Reads the description, up to the first event.
  init(_ bytes: ByteReader) throws(RecordingError) {
    lines = LineReader(bytes)
    var header = EvemuHeader()
    while let line = try lines.next() {
      do {
        if try header.read(line) { continue }
      } catch {
        throw lines.error(error.reason)
      }
      lines.unread()
      break
    }
    description = header.description
  }

  func next() throws(RecordingError) -> InputEvent? {
    while let line = try lines.next() {
      var cursor = LineCursor(line)
      do {
        if let event = try EvemuFile.event(&cursor) { return event }
      } catch {
        throw lines.error(error.reason)
      }
    }
    return nil
  }

  func error(_ reason: String) -> RecordingError { lines.error(reason) }

  /// The event in a line, or nil if the line is empty or a comment.
  @inline(__always)
  private static func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    guard cursor.skip("E:") else {
      if cursor.isAtEnd() { return nil }
      throw LineError(reason: invalidLine)
    }
    let time = try time(&cursor)
    let type = try cursor.hexadecimal("type", as: UInt16.self)
    let code = try cursor.hexadecimal("code", as: UInt16.self)
    let value = try cursor.decimal("value", as: Int32.self)
    guard cursor.isAtEnd() else { throw LineError(reason: "unexpected text after the value") }
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  /// Seconds and microseconds, which are two integers: "1.5" is 1 s and 5 µs.
  @inline(__always)
  private static func time(_ cursor: inout LineCursor) throws(LineError) -> Timestamp {
    let seconds = try cursor.decimal("time", as: UInt64.self)
    guard cursor.skip(UInt8(ascii: ".")) else {
      throw LineError(reason: "the time has no microseconds")
    }
    let microseconds = try cursor.decimal("microseconds", as: UInt32.self)
    return try Timestamp(recorded: Int64(clamping: seconds), Int64(microseconds))
  }
}

/// Parses the description in an evemu recording, line by line.
struct EvemuHeader {
  private(set) var description = DeviceDescription()
  private var comment = SlotComment()

  /// The number of bytes of each bitmap that have been read.
  private var keyBytes = 0
  private var effectBytes = 0
  private var propertyBytes = 0

  /// Parses a line; returns false if it is the first event, which ends the description.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(LineError) -> Bool {
    var cursor = LineCursor(line)
    if cursor.peek == UInt8(ascii: "#") { comment.read(line) }
    description.currentSlot = comment.slot ?? 0
    if cursor.isAtEnd() { return true }
    let tag = cursor.peek
    cursor.skip()
    guard let tag, cursor.skip(UInt8(ascii: ":")) else {
      throw LineError(reason: EvemuFile.invalidLine)
    }
    if tag == UInt8(ascii: "E") { return false }
    try read(tag: tag, &cursor)
    return true
  }

  private mutating func read(tag: UInt8, _ cursor: inout LineCursor) throws(LineError) {
    switch tag {
    case UInt8(ascii: "N"): readName(&cursor)
    case UInt8(ascii: "I"): try readIdentity(&cursor)
    case UInt8(ascii: "P"): try readProperties(&cursor)
    case UInt8(ascii: "B"): try readBitmap(&cursor)
    case UInt8(ascii: "A"): try readAxis(&cursor)
    case UInt8(ascii: "L"), UInt8(ascii: "S"): break
    case UInt8(ascii: "D"), UInt8(ascii: "R"): throw LineError(reason: RecordingFormat.hidRecorder)
    default: throw LineError(reason: EvemuFile.invalidLine)
    }
  }

  /// Reads the name, in which a number sign does not begin a comment.
  private mutating func readName(_ cursor: inout LineCursor) {
    cursor.skipBlanks()
    var name = cursor.text[...]
    while let last = name.last, last.isWhitespace { name.removeLast() }
    description.name = String(name)
  }

  private mutating func readIdentity(_ cursor: inout LineCursor) throws(LineError) {
    description.bus = try cursor.hexadecimal("bus")
    description.vendor = try cursor.hexadecimal("vendor")
    description.product = try cursor.hexadecimal("product")
    description.version = try cursor.hexadecimal("version")
    try finish(&cursor)
  }

  private mutating func readProperties(_ cursor: inout LineCursor) throws(LineError) {
    try readBits(&cursor, into: &description.properties, after: &propertyBytes)
  }

  /// Reads the bitmap of the keys or the effects; the axes have lines of their own.
  private mutating func readBitmap(_ cursor: inout LineCursor) throws(LineError) {
    let type = try cursor.hexadecimal("type", as: UInt16.self)
    switch type {
    case EventCode.touch.type:
      var keys = description.keys ?? []
      try readBits(&cursor, into: &keys, after: &keyBytes)
      description.keys = keys
    case EventCode.haptic.type:
      try readBits(&cursor, into: &description.effects, after: &effectBytes)
    default: break
    }
  }

  private func readBits(
    _ cursor: inout LineCursor, into codes: inout Set<UInt16>, after count: inout Int
  ) throws(LineError) {
    repeat {
      let byte = try cursor.hexadecimal("byte", as: UInt8.self)
      for bit in 0..<8 where byte & 1 << bit != 0 {
        guard let code = UInt16(exactly: count * 8 + bit) else {
          throw LineError(reason: "the bitmap has more than 65536 bits")
        }
        codes.insert(code)
      }
      count += 1
    } while !cursor.isAtEnd()
  }

  /// Reads an axis: the code is hexadecimal, the rest decimal; evemu 1.2 added the resolution.
  private mutating func readAxis(_ cursor: inout LineCursor) throws(LineError) {
    let code = try cursor.hexadecimal("axis", as: UInt16.self)
    var axis = Axis(minimum: try cursor.decimal("minimum"), maximum: try cursor.decimal("maximum"))
    description.filter(
      code, fuzz: try cursor.decimal("fuzz"), flat: try cursor.decimal("flat"))
    if !cursor.isAtEnd() { axis.resolution = try cursor.decimal("resolution") }
    try finish(&cursor)
    description.axes[code] = axis
  }

  private func finish(_ cursor: inout LineCursor) throws(LineError) {
    if !cursor.isAtEnd() { throw LineError(reason: "unexpected text at the end of the line") }
  }
}

/// The current slot at the start of a recording, which recorders write only as a comment.
///
/// ```
/// #     Event code 47 (ABS_MT_SLOT)
/// #       Value      1
/// ```
///
/// Other axes are ignored: their values at the start belong to contacts that are not part of the recording.
struct SlotComment {
  private(set) var slot: Int32?
  private var isAboutSlots = false

  /// Parses a line that may be such a comment.
  mutating func read(_ line: UnsafeRawBufferPointer) {
    var cursor = LineCursor(line)
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "#")) else { return }
    cursor.skipBlanks()
    if cursor.skip("Event code ") {
      let code = try? cursor.decimal("code", as: UInt16.self)
      cursor.skipBlanks()
      isAboutSlots = code == EventCode.slot.code && cursor.skip("(ABS")
    } else if isAboutSlots, cursor.skip("Value") {
      slot = try? cursor.decimal("value")
    }
  }
}
