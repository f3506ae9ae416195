import PressureKit

/// One event in evtest's words.
///
/// ```
/// Event: time 1636729221.197923, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 22
/// Event: time 1636729221.197923, -------------- SYN_REPORT ------------
/// ```
enum EvtestLine {
  static func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent {
    guard cursor.skip("Event: time ") else {
      throw LineError(reason: "this is no line of evtest")
    }
    let time = try time(&cursor)
    guard cursor.skip(UInt8(ascii: ",")) else { throw LineError(reason: "the event is missing") }
    cursor.skipBlanks()
    if cursor.skip("type ") { return try plainEvent(at: time, &cursor) }
    return InputEvent(time: time, code: try ruledCode(&cursor), value: 0)
  }

  private static func time(_ cursor: inout LineCursor) throws(LineError) -> Timestamp {
    let seconds = cursor.peek == UInt8(ascii: ".") ? 0 : try cursor.decimal("time", as: UInt64.self)
    guard cursor.skip(UInt8(ascii: ".")) else {
      throw LineError(reason: "the time has no microseconds")
    }
    return try Timestamp(recorded: Int64(clamping: seconds), try fraction(&cursor))
  }

  /// Microseconds of a decimal fraction; unlike evemu's it may have fewer digits, or more.
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
    guard cursor.peek == nil else { throw LineError(reason: "the line goes on after the value") }
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  /// Goes behind a name in brackets, which may be a question mark, and the comma after it.
  private static func skipName(_ cursor: inout LineCursor) throws(LineError) {
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "(")) else { throw LineError(reason: "the name is missing") }
    cursor.skip { $0 == UInt8(ascii: ")") }
    guard cursor.skip("),") else { throw LineError(reason: "the name has no end") }
    cursor.skipBlanks()
  }

  /// Two values are printed in hexadecimal, without a mark that would say so.
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

  /// The synchronization that stands between rules.
  ///
  /// The rules tell them apart in every version; the names differ, and old ones say only "EV_SYN".
  private static func ruledCode(_ cursor: inout LineCursor) throws(LineError) -> EventCode {
    let rule = cursor.peek
    cursor.skip { !$0.isRule }
    cursor.skipBlanks()
    let isConfiguration = cursor.skip("SYN_CONFIG") || cursor.skip("Config Sync")
    cursor.skip { $0.isRule }
    guard cursor.peek != nil else { throw LineError(reason: "the rule is missing") }
    switch rule {
    case UInt8(ascii: "-"): return isConfiguration ? configuration : .report
    case UInt8(ascii: "+"): return .multitouchReport
    case UInt8(ascii: ">"): return .dropped
    default: throw LineError(reason: "this is no event of evtest")
    }
  }

  /// The corresponding kernel constant is `SYN_CONFIG`.
  private static let configuration = EventCode(type: 0x00, code: 0x01)
}

extension UInt8 {
  /// What the rules around a synchronization are drawn with.
  fileprivate var isRule: Bool {
    switch self {
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ">"), UInt8(ascii: "<"): true
    default: false
    }
  }
}
