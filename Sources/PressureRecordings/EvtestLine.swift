internal import PressureKit

/// Parses one event line of evtest or python-evdev, after "Event: time ".
///
/// ```
/// Event: time 1636729221.197923, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 22
/// Event: time 1636729221.197923, -------------- SYN_REPORT ------------
/// ```
enum EvtestLine {
  static func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent {
    if cursor.skip("event at ") { return try unnamedEvent(&cursor) }
    let time = try time(&cursor)
    guard cursor.skip(UInt8(ascii: ",")) || cursor.peek == UInt8(ascii: " ") else {
      throw LineError(reason: "the event is missing")
    }
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
    var count = 0
    cursor.skip { byte in
      guard let digit = byte.digit(radix: 10) else { return true }
      if count < 6 { microseconds = microseconds &* 10 &+ digit }
      count += 1
      return false
    }
    while count < 6 {
      microseconds *= 10
      count += 1
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
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  /// Parses "1636729221.2, code 53, type 03, val 1", as python-evdev prints events by default.
  private static func unnamedEvent(_ cursor: inout LineCursor) throws(LineError) -> InputEvent {
    let time = try time(&cursor)
    guard cursor.skip(", code ") else { throw LineError(reason: "the code is missing") }
    let code = try cursor.decimal("code", as: UInt16.self)
    guard cursor.skip(", type ") else { throw LineError(reason: "the type is missing") }
    let type = try cursor.decimal("type", as: UInt16.self)
    guard cursor.skip(", val ") else { throw LineError(reason: "the value is missing") }
    return InputEvent(
      time: time, code: EventCode(type: type, code: code), value: try cursor.decimal("value"))
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
    cursor.skip { !$0.isSeparator }
    switch separator {
    case UInt8(ascii: "-"): return isConfiguration ? configuration : .report
    case UInt8(ascii: "+"): return .multitouchReport
    case UInt8(ascii: ">"), UInt8(ascii: "!"): return .dropped
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
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ">"), UInt8(ascii: "<"),
      UInt8(ascii: "!"):
      true
    default: false
    }
  }
}
