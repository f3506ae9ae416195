internal import CEvdev
internal import PressureKit

/// The output of evtest, or of python-evdev's program of that name, which is alike.
///
/// ```
/// Input device ID: bus 0x18 vendor 0x0 product 0x0 version 0x0
///   Event type 3 (EV_ABS)
///     Event code 58 (ABS_MT_PRESSURE)
///       Value      0
///       Min        0
///       Max      255
/// Event: time 1636729221.197923, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 22
/// ```
///
/// python-evdev omits "Event:" and the commas before types, and writes an axis in one line.
struct EvtestFormat: TextFormat {
  static let name: StaticString = "evtest"

  private(set) var description = DeviceDescription()

  private var type: UInt16?

  /// The axis that the following numbers describe, and its minimum, which precedes the maximum.
  private var axis: UInt16?
  private var minimum: Int32 = 0

  // MARK: - Events

  static func findEvent(_ cursor: inout LineCursor) -> Bool {
    if cursor.afterMarks.peek == UInt8(ascii: "#") { return false }
    return cursor.seek { previous, place in
      switch place.peek {
      case UInt8(ascii: "E"): place.starts(with: "Event: time ")
      case UInt8(ascii: "t"): previous?.isWordPart != true && EvtestFormat.hasTime(after: place)
      case UInt8(ascii: "e"): EvtestFormat.hasTime(after: place)
      default: false
      }
    } && (cursor.skip("Event: time ") || cursor.skip("time ") || cursor.starts(with: "event at "))
  }

  /// Whether this is an event of python-evdev: "time 1636729221.2   type 3 (EV_ABS), code 53   (…), value 1", or by default
  /// "event at 1636729221.2, code 53, type 03, val 1"; categorized ones have no values.
  private static func hasTime(after place: LineCursor) -> Bool {
    var cursor = place
    let isNamed = cursor.skip("time ")
    guard isNamed || cursor.skip("event at "), cursor.skipDigits() > 0,
      cursor.skip(UInt8(ascii: ".")), cursor.skipDigits() > 0
    else { return false }
    guard isNamed else { return cursor.starts(with: ", code ") }
    var blanks = 0
    while blanks < 20, cursor.skip(UInt8(ascii: " ")) { blanks += 1 }
    return cursor.starts(with: "type ") || cursor.starts(with: "---")
      || cursor.starts(with: "+++") || cursor.starts(with: "!!!")
  }

  // MARK: - The description

  static func startsRecording(_ line: LineCursor) -> Bool {
    var cursor = line
    return cursor.seek { _, place in
      place.starts(with: "Input driver version is ") || place.starts(with: "Device name: ")
    }
  }

  /// Parses all parts in a line, as two lines may have been run together.
  mutating func readHeader(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine {
    let line = cursor
    var hasPart = false
    var previous: UInt8?
    while let byte = cursor.peek {
      if previous?.isLetter != true, try readPart(&cursor) {
        (hasPart, previous) = (true, nil)
      } else {
        previous = byte
        cursor.skip()
      }
    }
    return hasPart ? .part : line.isEvtestChatter ? .silent : .unknown
  }

  /// The current slot at the start of a recording, which other recorders write only as a comment of this format.
  ///
  /// Other axes are ignored: their values at the start belong to contacts that are not part of the recording.
  mutating func currentSlot(after comment: LineCursor) -> Int32 {
    var cursor = comment
    cursor.skip()
    cursor.skipBlanks()
    _ = try? readPart(&cursor)
    return description.currentSlot
  }

  /// Parses the part that begins here; returns false if none does.
  private mutating func readPart(_ cursor: inout LineCursor) throws(LineError) -> Bool {
    if cursor.skip("Input device ID:") {
      // As far as they are there.
      description.bus = EvtestFormat.number(after: "bus", &cursor) ?? 0
      description.vendor = EvtestFormat.number(after: "vendor", &cursor) ?? 0
      description.product = EvtestFormat.number(after: "product", &cursor) ?? 0
    } else if cursor.skip("Input device name:") {
      cursor.skipBlanks()
      if cursor.skip(UInt8(ascii: "\"")) {
        description.name = cursor.quotedText
        cursor.skip { _ in false }
      }
    } else if cursor.skip("Device name: ") {
      description.name = cursor.text
      cursor.skip { _ in false }
    } else if cursor.skip(numbered: "Event type ") || cursor.skip(named: "Type EV_") {
      (type, axis) = (try cursor.number("type"), nil)
    } else if cursor.skip(numbered: "Event code ") || cursor.skip(named: "Code ") {
      try readCode(&cursor)
    } else if cursor.skip(numbered: "Property type ") {
      description.properties.insert(try cursor.number("property"))
    } else if cursor.skip("Properties:") || cursor.skip("Repeat type ")
      || cursor.skip("Repeat code ")
    {
      axis = nil
    } else if let value = try cursor.value(after: "Value", or: "value") {
      if axis == EventCode.slot.code { description.currentSlot = value }
    } else if let value = try cursor.value(after: "Min", or: "min") {
      minimum = value
    } else if let value = try cursor.value(after: "Max", or: "max") {
      if let axis { description.axes[axis] = Axis(minimum: minimum, maximum: value) }
    } else if let value = try cursor.value(after: "Resolution", or: "res") {
      if let axis { description.axes[axis]?.resolution = value }
    } else {
      return false
    }
    return true
  }

  private static func number(after word: StaticString, _ cursor: inout LineCursor) -> UInt16? {
    cursor.skipBlanks()
    guard cursor.skip(word) else { return nil }
    cursor.skipBlanks()
    _ = cursor.skip("0x")
    return try? cursor.number(word, radix: 16)
  }

  private mutating func readCode(_ cursor: inout LineCursor) throws(LineError) {
    (axis, minimum) = (nil, 0)
    let code = try cursor.number("code", as: UInt16.self)
    // The line with the type may have been lost.
    let isAxis = cursor.skip(" (ABS") || type == EventCode.x.type
    switch type {
    case _ where isAxis: axis = code
    case EventCode.touch.type:
      if description.keys == nil { description.keys = [] }
      description.keys?.insert(code)
    case EventCode.haptic.type: description.effects.insert(code)
    default: break
    }
  }

  // MARK: - The parts of an event

  /// Parses an event after "Event: time ".
  ///
  /// ```
  /// Event: time 1636729221.197923, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 22
  /// Event: time 1636729221.197923, -------------- SYN_REPORT ------------
  /// ```
  func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    if cursor.skip("event at ") { return try EvtestFormat.unnamedEvent(&cursor) }
    let time = try EvtestFormat.time(&cursor)
    guard cursor.skip(UInt8(ascii: ",")) || cursor.peek == UInt8(ascii: " ") else {
      throw LineError(reason: "the event is missing")
    }
    cursor.skipBlanks()
    if cursor.skip("type ") { return try EvtestFormat.namedEvent(at: time, &cursor) }
    // The separators are the same in every version of evtest; the names differ, and old versions print only "EV_SYN".
    let separator = cursor.peek
    cursor.skip { !$0.isSeparator }
    cursor.skip { $0.isSeparator }
    guard cursor.peek != nil else { throw LineError(reason: "the closing dashes are missing") }
    cursor.skip { !$0.isSeparator }
    let code: EventCode
    switch separator {
    case UInt8(ascii: "-"): code = .report
    case UInt8(ascii: "+"): code = .multitouchReport
    case UInt8(ascii: ">"), UInt8(ascii: "!"): code = .dropped
    default: throw LineError(reason: "not an event of evtest")
    }
    return InputEvent(time: time, code: code, value: 0)
  }

  /// Parses a time with a decimal fraction, which may have fewer or more than six digits, unlike evemu's.
  private static func time(_ cursor: inout LineCursor) throws(LineError) -> Timestamp {
    let seconds = cursor.peek == UInt8(ascii: ".") ? 0 : try cursor.number("time", as: UInt64.self)
    guard cursor.skip(UInt8(ascii: ".")) else {
      throw LineError(reason: "the time has no microseconds")
    }
    var microseconds: Int64 = 0
    var unit: Int64 = 100_000
    cursor.skip { byte in
      guard let digit = byte.digit(radix: 10) else { return true }
      microseconds += digit * unit
      unit /= 10
      return false
    }
    return try Timestamp(recorded: Int64(clamping: seconds), microseconds)
  }

  private static func namedEvent(
    at time: Timestamp, _ cursor: inout LineCursor
  ) throws(LineError) -> InputEvent {
    let type = try cursor.number("type", as: UInt16.self)
    try skipName(&cursor)
    guard cursor.skip("code ") else { throw LineError(reason: "the code is missing") }
    let code = try cursor.number("code", as: UInt16.self)
    try skipName(&cursor)
    guard cursor.skip("value ") else { throw LineError(reason: "the value is missing") }
    // Those of two codes are in hexadecimal without a prefix.
    let isHexadecimal = type == EV_MSC && [MSC_RAW, MSC_SCAN].contains(Int32(code))
    let value: Int32 =
      isHexadecimal
      ? Int32(bitPattern: try cursor.number("value", radix: 16)) : try cursor.number("value")
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  /// Parses "1636729221.2, code 53, type 03, val 1", as python-evdev prints events by default.
  private static func unnamedEvent(_ cursor: inout LineCursor) throws(LineError) -> InputEvent {
    let time = try time(&cursor)
    guard cursor.skip(", code ") else { throw LineError(reason: "the code is missing") }
    let code = try cursor.number("code", as: UInt16.self)
    guard cursor.skip(", type ") else { throw LineError(reason: "the type is missing") }
    let type = try cursor.number("type", as: UInt16.self)
    guard cursor.skip(", val ") else { throw LineError(reason: "the value is missing") }
    return InputEvent(
      time: time, code: EventCode(type: type, code: code), value: try cursor.number("value"))
  }

  /// Skips a name in parentheses, which may be a question mark, and the comma after it.
  private static func skipName(_ cursor: inout LineCursor) throws(LineError) {
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "(")) else { throw LineError(reason: "the name is missing") }
    cursor.skip { $0 == UInt8(ascii: ")") }
    guard cursor.skip("),") else { throw LineError(reason: "the name has no closing parenthesis") }
    cursor.skipBlanks()
  }
}

extension LineCursor {
  /// Skips a word if a number follows, or the end of a line that was cut.
  fileprivate mutating func skip(numbered word: StaticString) -> Bool {
    var place = self
    guard place.skip(word), place.peek?.isDecimalDigit != false else { return false }
    self = place
    return true
  }

  /// Skips a word and names, such as "BTN_LEFT, BTN_MOUSE 272", if a number follows them.
  fileprivate mutating func skip(named word: StaticString) -> Bool {
    var place = self
    guard place.skip(word) else { return false }
    for _ in 0..<8 {
      place.skip { $0.isBlank }
      place.skipBlanks()
      guard place.peek?.isDecimalDigit != true else {
        self = place
        return true
      }
    }
    return false
  }

  /// Reads the number after one of two words; nil if none of them and a number come next.
  fileprivate mutating func value(
    after word: StaticString, or other: StaticString
  ) throws(LineError) -> Int32? {
    guard startsWithNumber(after: word) || startsWithNumber(after: other) else { return nil }
    _ = skip(word) || skip(other)
    return try number(word)
  }

  /// Whether evtest or python-evdev writes such a line, which describes nothing.
  fileprivate var isEvtestChatter: Bool {
    var cursor = afterMarks
    // After an interrupt the terminal shows "^C".
    if cursor.starts(with: "Cevtest:") { cursor.skip() }
    return LineCursor.evtestChatter.contains { cursor.starts(with: $0) }
  }

  private static let evtestChatter: [StaticString] = [
    "Input driver version is ", "Supported events:", "Key repeat handling:", "State ", "Fuzz ",
    "Flat ", "Testing ... (interrupt to exit)", "No device specified", "Not running as root",
    "Available devices:", "dev/input/event", "Select the device event number", "evtest: ",
    "expected ", "This device is grabbed by another process", "No events are available to evtest",
    "In most cases, this means an X driver", "See the synclient manpage",
    "This may be caused by VMware", "Use the evtest --grab", "Device info", "Device capabilities:",
    "Listening for events", "Repeat settings", "Grabbed", "or run ",
  ]
}

extension UInt8 {
  /// Whether the separators around a synchronization event consist of this character.
  fileprivate var isSeparator: Bool {
    self == UInt8(ascii: "-") || self == UInt8(ascii: "+") || self == UInt8(ascii: ">")
      || self == UInt8(ascii: "<") || self == UInt8(ascii: "!")
  }
}
