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
struct EvtestDialect: TextDialect {
  static let name: StaticString = "evtest"
  static let eventWord: StaticString = "Event: time "

  private(set) var description = DeviceDescription()

  /// The event type whose codes are being listed.
  private var type: UInt16?

  /// The axis that the following numbers describe, and its minimum, which precedes the maximum.
  private var axis: UInt16?
  private var minimum: Int32 = 0
}

// MARK: - Events

extension EvtestDialect {
  static func findEvent(_ cursor: inout LineCursor) -> Bool {
    var start = cursor
    start.skipMarks()
    if start.peek == UInt8(ascii: "#") { return false }
    return cursor.seek { previous, place in
      switch place.peek {
      case UInt8(ascii: "E"): place.starts(with: "Event: time ")
      case UInt8(ascii: "t"):
        previous?.isWordPart != true && EvtestDialect.hasTimeAndType(after: place)
      case UInt8(ascii: "e"): EvtestDialect.hasTimeAndCode(after: place)
      default: false
      }
    } && (cursor.skip("Event: time ") || cursor.skip("time ") || cursor.starts(with: "event at "))
  }

  /// Whether this is an event of python-evdev: "time 1636729221.2   type 3 (EV_ABS), code 53   (…), value 1".
  private static func hasTimeAndType(after place: LineCursor) -> Bool {
    var cursor = place
    guard cursor.skip("time "), cursor.skipDigits() > 0, cursor.skip(UInt8(ascii: ".")),
      cursor.skipDigits() > 0
    else { return false }
    var blanks = 0
    while blanks < 20, cursor.skip(UInt8(ascii: " ")) { blanks += 1 }
    return cursor.starts(with: "type ") || cursor.starts(with: "---")
      || cursor.starts(with: "+++") || cursor.starts(with: "!!!")
  }

  /// Whether this is an event as python-evdev prints it by default; categorized ones have no values.
  private static func hasTimeAndCode(after place: LineCursor) -> Bool {
    var cursor = place
    return cursor.skip("event at ") && cursor.skipDigits() > 0 && cursor.skip(UInt8(ascii: "."))
      && cursor.skipDigits() > 0 && cursor.starts(with: ", code ")
  }

  func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    try EvtestLine.event(&cursor)
  }
}

// MARK: - The description

extension EvtestDialect {
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
    while let keyword = EvtestKeyword(seeking: &cursor) {
      try read(keyword, &cursor)
      hasPart = true
    }
    if hasPart { return .part }
    return EvtestKeyword.isChatter(line) ? .silent : .unknown
  }

  private mutating func read(
    _ keyword: EvtestKeyword, _ cursor: inout LineCursor
  ) throws(LineError) {
    switch keyword {
    case .identity: readIdentity(&cursor)
    case .quotedName: readName(&cursor)
    case .name:
      description.name = cursor.text
      cursor.skip { _ in false }
    case .type: (type, axis) = (try cursor.decimal("type"), nil)
    case .code: try readCode(&cursor)
    case .property: description.properties.insert(try cursor.decimal("property"))
    case .end: axis = nil
    case .value:
      let value = try cursor.decimal("value", as: Int32.self)
      if axis == EventCode.slot.code { description.currentSlot = value }
    case .minimum: minimum = try cursor.decimal("minimum")
    case .maximum:
      let maximum = try cursor.decimal("maximum", as: Int32.self)
      if let axis { description.axes[axis] = Axis(minimum: minimum, maximum: maximum) }
    case .resolution:
      let resolution = try cursor.decimal("resolution", as: Int32.self)
      if let axis { description.axes[axis]?.resolution = resolution }
    }
  }

  /// Reads bus, vendor and product, as far as they are there.
  private mutating func readIdentity(_ cursor: inout LineCursor) {
    description.bus = EvtestDialect.number(after: "bus", &cursor) ?? 0
    description.vendor = EvtestDialect.number(after: "vendor", &cursor) ?? 0
    description.product = EvtestDialect.number(after: "product", &cursor) ?? 0
  }

  private static func number(after word: StaticString, _ cursor: inout LineCursor) -> UInt16? {
    cursor.skipBlanks()
    guard cursor.skip(word) else { return nil }
    cursor.skipBlanks()
    _ = cursor.skip("0x")
    return try? cursor.hexadecimal(word)
  }

  private mutating func readName(_ cursor: inout LineCursor) {
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "\"")) else { return }
    description.name = cursor.quotedText
    cursor.skip { _ in false }
  }

  private mutating func readCode(_ cursor: inout LineCursor) throws(LineError) {
    let code = try cursor.decimal("code", as: UInt16.self)
    (axis, minimum) = (nil, 0)
    switch type {
    case EventCode.x.type: axis = code
    case EventCode.touch.type: description.keys = (description.keys ?? []).union([code])
    case EventCode.haptic.type: description.effects.insert(code)
    case nil where cursor.skip(" (ABS"): axis = code
    default: break
    }
  }
}

/// What a part of the description is about.
private enum EvtestKeyword {
  case identity, quotedName, name, type, code, property, end
  case value, minimum, maximum, resolution

  /// What must follow the word that a part begins with.
  private enum Continuation {
    case anything
    /// A number, or the end of a line that was cut.
    case number
    case blanksAndNumber
    /// Names and a number, such as "BTN_LEFT, BTN_MOUSE 272".
    case namesAndNumber
  }

  private static let words: [(StaticString, Continuation, EvtestKeyword)] = [
    ("Input device ID:", .anything, .identity), ("Input device name:", .anything, .quotedName),
    ("Device name: ", .anything, .name), ("Event type ", .number, .type),
    ("Event code ", .number, .code), ("Type EV_", .namesAndNumber, .type),
    ("Code ", .namesAndNumber, .code), ("Property type ", .number, .property),
    ("Properties:", .anything, .end), ("Repeat type ", .anything, .end),
    ("Repeat code ", .anything, .end), ("Value", .blanksAndNumber, .value),
    ("value", .blanksAndNumber, .value), ("Min", .blanksAndNumber, .minimum),
    ("min", .blanksAndNumber, .minimum), ("Max", .blanksAndNumber, .maximum),
    ("max", .blanksAndNumber, .maximum), ("Resolution", .blanksAndNumber, .resolution),
    ("res", .blanksAndNumber, .resolution),
  ]

  /// Moves behind the next word that begins a part; nil if there is none.
  init?(seeking cursor: inout LineCursor) {
    var found: EvtestKeyword?
    var place = cursor
    let isFound = place.seek { previous, start in
      guard previous?.isLetter != true else { return false }
      var start = start
      found = EvtestKeyword(skipping: &start)
      if found != nil { cursor = start }
      return found != nil
    }
    guard isFound, let found else { return nil }
    self = found
  }

  /// Skips the word at the cursor; nil, and the cursor stays, if no part begins there.
  init?(skipping cursor: inout LineCursor) {
    for (word, continuation, keyword) in EvtestKeyword.words {
      var place = cursor
      guard place.skip(word) else { continue }
      switch continuation {
      case .anything: break
      case .number: guard place.peek?.isDecimalDigit != false else { continue }
      case .blanksAndNumber: guard cursor.startsWithNumber(after: word) else { continue }
      case .namesAndNumber: guard place.skipNames() else { continue }
      }
      (self, cursor) = (keyword, place)
      return
    }
    return nil
  }

  /// Whether evtest or python-evdev writes such a line, which describes nothing.
  static func isChatter(_ line: LineCursor) -> Bool {
    var cursor = line
    cursor.skipMarks()
    // After an interrupt the terminal shows "^C".
    if cursor.starts(with: "Cevtest:") { cursor.skip() }
    return chatter.contains { cursor.starts(with: $0) }
  }

  private static let chatter: [StaticString] = [
    "Input driver version is ", "Supported events:", "Key repeat handling:", "State ", "Fuzz ",
    "Flat ", "Testing ... (interrupt to exit)", "No device specified", "Not running as root",
    "Available devices:", "dev/input/event", "Select the device event number", "evtest: ",
    "expected ", "This device is grabbed by another process", "No events are available to evtest",
    "In most cases, this means an X driver", "See the synclient manpage",
    "This may be caused by VMware", "Use the evtest --grab", "Device info", "Device capabilities:",
    "Listening for events", "Repeat settings", "Grabbed", "Cevtest", "or run ",
  ]
}

extension LineCursor {
  /// Skips names up to a number; returns whether there is one.
  fileprivate mutating func skipNames() -> Bool {
    for _ in 0..<8 {
      skip { $0.isBlank }
      skipBlanks()
      if peek?.isDecimalDigit == true { return true }
    }
    return false
  }
}

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
    guard code.type == EV_MSC, [MSC_RAW, MSC_SCAN].contains(Int32(code.code)) else {
      return try cursor.decimal("value")
    }
    return Int32(bitPattern: try cursor.hexadecimal("value"))
  }

  /// The synchronization event that is printed between separators.
  ///
  /// The separators are the same in every version of evtest; the names differ, and old versions print only "EV_SYN".
  private static func synchronizationCode(_ cursor: inout LineCursor) throws(LineError) -> EventCode
  {
    let separator = cursor.peek
    cursor.skip { !$0.isSeparator }
    cursor.skip { $0.isSeparator }
    guard cursor.peek != nil else { throw LineError(reason: "the closing dashes are missing") }
    cursor.skip { !$0.isSeparator }
    switch separator {
    case UInt8(ascii: "-"): return .report
    case UInt8(ascii: "+"): return .multitouchReport
    case UInt8(ascii: ">"), UInt8(ascii: "!"): return .dropped
    default: throw LineError(reason: "not an event of evtest")
    }
  }
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
