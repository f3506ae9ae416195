internal import PressureKit

/// The output of evtest, which may be quoted, indented, or preceded by other lines, as in a bug report.
final class EvtestFile: RecordingReader {
  let description: DeviceDescription
  private let lines: LineReader

  /// Reads the description, up to the first event.
  init(_ bytes: ByteReader) throws(RecordingError) {
    lines = LineReader(bytes)
    var header = EvtestHeader()
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
      cursor.skipMarks()
      if EvtestFile.isNoise(cursor) { continue }
      do {
        return try EvtestLine.event(&cursor)
      } catch {
        throw lines.error(error.reason)
      }
    }
    return nil
  }

  func error(_ reason: String) -> RecordingError { lines.error(reason) }

  /// Whether a line among the events is empty or one that evtest or the terminal adds when evtest ends.
  private static func isNoise(_ cursor: LineCursor) -> Bool {
    var cursor = cursor
    if cursor.peek == nil || cursor.skip("evtest: ") || cursor.skip("expected ") { return true }
    guard cursor.skip(UInt8(ascii: "C")) else { return false }
    return cursor.isAtEnd()
  }
}

/// Parses the description that evtest prints before the events, line by line.
///
/// ```
/// Input device ID: bus 0x18 vendor 0x0 product 0x0 version 0x0
///   Event type 3 (EV_ABS)
///     Event code 58 (ABS_MT_PRESSURE)
///       Value      0
///       Min        0
///       Max      255
/// ```
///
/// Other programs may write between these lines, so unknown lines are ignored.
struct EvtestHeader {
  private(set) var description = DeviceDescription()

  /// The event type whose codes are being listed.
  private var type: UInt16?

  /// The axis that the following numbers describe.
  private var axis: UInt16?

  /// Parses a line; returns false if it is the first event, which ends the description.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(LineError) -> Bool {
    var cursor = LineCursor(line)
    cursor.skipMarks()
    if cursor.skip("Event: ") { return false }
    if cursor.skip("Input device ID:") {
      try readIdentity(&cursor)
    } else if cursor.skip("Input device name:") {
      readName(&cursor)
    } else if cursor.skip("Event type ") {
      type = try cursor.decimal("type")
      axis = nil
    } else if cursor.skip("Event code ") {
      try readCode(&cursor)
    } else if cursor.skip("Property type ") {
      description.properties.insert(try cursor.decimal("property"))
    } else if cursor.skip("Repeat ") || cursor.skip("Properties:") {
      axis = nil
    } else if let axis {
      try readNumber(of: axis, &cursor)
    }
    return true
  }

  private mutating func readIdentity(_ cursor: inout LineCursor) throws(LineError) {
    description.bus = try readNumber(after: "bus", &cursor)
    description.vendor = try readNumber(after: "vendor", &cursor)
    description.product = try readNumber(after: "product", &cursor)
    _ = try readNumber(after: "version", &cursor)
  }

  private func readNumber(
    after word: StaticString, _ cursor: inout LineCursor
  ) throws(LineError) -> UInt16 {
    cursor.skipBlanks()
    guard cursor.skip(word) else { throw LineError(reason: "the \(word) is missing") }
    cursor.skipBlanks()
    _ = cursor.skip("0x")
    return try cursor.hexadecimal(word)
  }

  private mutating func readName(_ cursor: inout LineCursor) {
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "\"")) else { return }
    let text = cursor.text
    description.name = String(text.prefix(upTo: text.lastIndex(of: "\"") ?? text.endIndex))
  }

  private mutating func readCode(_ cursor: inout LineCursor) throws(LineError) {
    let code = try cursor.decimal("code", as: UInt16.self)
    axis = nil
    switch type {
    case EventCode.x.type: axis = code
    case EventCode.touch.type: description.keys = (description.keys ?? []).union([code])
    case EventCode.haptic.type: description.effects.insert(code)
    case nil where cursor.skip(" (ABS"): axis = code
    default: break
    }
  }

  private mutating func readNumber(
    of code: UInt16, _ cursor: inout LineCursor
  ) throws(LineError) {
    var axis = description.axes[code] ?? Axis(minimum: 0, maximum: 0)
    if cursor.skip("Value") {
      let value = try cursor.decimal("value", as: Int32.self)
      if code == EventCode.slot.code { description.currentSlot = value }
    } else if cursor.skip("Min") {
      axis.minimum = try cursor.decimal("minimum")
    } else if cursor.skip("Max") {
      axis.maximum = try cursor.decimal("maximum")
    } else if cursor.skip("Resolution") {
      axis.resolution = try cursor.decimal("resolution")
    }
    description.axes[code] = axis
  }
}

/// Parses one event line of evtest.
///
/// ```
/// Event: time 1636729221.197923, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 22
/// Event: time 1636729221.197923, -------------- SYN_REPORT ------------
/// ```
enum EvtestLine {
  static func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent {
    guard cursor.skip("Event: time ") else {
      throw LineError(reason: "not a line of evtest")
    }
    let time = try time(&cursor)
    guard cursor.skip(UInt8(ascii: ",")) else { throw LineError(reason: "the event is missing") }
    cursor.skipBlanks()
    if cursor.skip("type ") { return try plainEvent(at: time, &cursor) }
    return InputEvent(time: time, code: try synchronizationCode(&cursor), value: 0)
  }

  private static func time(_ cursor: inout LineCursor) throws(LineError) -> Timestamp {
    let seconds = cursor.peek == UInt8(ascii: ".") ? 0 : try cursor.decimal("time", as: UInt64.self)
    guard cursor.skip(UInt8(ascii: ".")) else {
      throw LineError(reason: "the time has no microseconds")
    }
    return try Timestamp(recorded: Int64(clamping: seconds), try fraction(&cursor))
  }

  /// The microseconds of a decimal fraction, which may have fewer or more than six digits, unlike evemu's.
  private static func fraction(_ cursor: inout LineCursor) throws(LineError) -> Int64 {
    var microseconds: Int64 = 0
    var unit: Int64 = 100_000
    while let digit = cursor.peek?.digit, digit < 10 {
      microseconds += digit * unit
      unit /= 10
      cursor.skip()
    }
    return microseconds
  }

  private static func plainEvent(
    at time: Timestamp, _ cursor: inout LineCursor
  ) throws(LineError) -> InputEvent {
    let type = try cursor.decimal("type", as: UInt16.self)
    try skipName(&cursor)
    guard cursor.skip("code ") else { throw LineError(reason: "the code is missing") }
    let code = try cursor.decimal("code", as: UInt16.self)
    try skipName(&cursor)
    guard cursor.skip("value ") else { throw LineError(reason: "the value is missing") }
    let value = try value(of: EventCode(type: type, code: code), &cursor)
    cursor.skipBlanks()
    guard cursor.peek == nil else { throw LineError(reason: "unexpected text after the value") }
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  /// Skips a name in parentheses, which may be a question mark, and the comma after it.
  private static func skipName(_ cursor: inout LineCursor) throws(LineError) {
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "(")) else { throw LineError(reason: "the name is missing") }
    cursor.skip { $0 == UInt8(ascii: ")") }
    guard cursor.skip("),") else { throw LineError(reason: "the name has no closing parenthesis") }
    cursor.skipBlanks()
  }

  /// The value; evtest prints those of two codes in hexadecimal without a prefix.
  private static func value(
    of code: EventCode, _ cursor: inout LineCursor
  ) throws(LineError) -> Int32 {
    guard code == rawCode || code == scanCode else { return try cursor.decimal("value") }
    return Int32(bitPattern: try cursor.hexadecimal("value"))
  }

  /// The corresponding kernel constant is `MSC_RAW`.
  private static let rawCode = EventCode(type: 0x04, code: 0x03)

  /// The corresponding kernel constant is `MSC_SCAN`.
  private static let scanCode = EventCode(type: 0x04, code: 0x04)

  /// The synchronization event that is printed between separators.
  ///
  /// The separators are the same in every version of evtest; the names differ, and old versions print only "EV_SYN".
  private static func synchronizationCode(_ cursor: inout LineCursor) throws(LineError) -> EventCode
  {
    let separator = cursor.peek
    cursor.skip { !$0.isSeparator }
    cursor.skipBlanks()
    let isConfiguration = cursor.skip("SYN_CONFIG") || cursor.skip("Config Sync")
    cursor.skip { $0.isSeparator }
    guard cursor.peek != nil else { throw LineError(reason: "the closing dashes are missing") }
    switch separator {
    case UInt8(ascii: "-"): return isConfiguration ? configuration : .report
    case UInt8(ascii: "+"): return .multitouchReport
    case UInt8(ascii: ">"): return .dropped
    default: throw LineError(reason: "not an event of evtest")
    }
  }

  /// The corresponding kernel constant is `SYN_CONFIG`.
  private static let configuration = EventCode(type: 0x00, code: 0x01)
}

extension UInt8 {
  /// Whether the separators around a synchronization event consist of this character.
  fileprivate var isSeparator: Bool {
    switch self {
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ">"), UInt8(ascii: "<"): true
    default: false
    }
  }
}
