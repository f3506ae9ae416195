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
  @inline(__always)
  static func plainEvent(_ line: LineCursor) -> InputEvent? {
    var cursor = line
    guard cursor.skip("Event: time "), let event = try? EvtestLine.event(&cursor), cursor.isAtEnd()
    else { return nil }
    return event
  }

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
    while cursor.seek({ previous, place in
      previous?.isLetter != true && EvtestKeyword(at: place) != nil
    }), let keyword = EvtestKeyword(skipping: &cursor) {
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
    let text = cursor.text
    description.name = String(text.prefix(upTo: text.lastIndex(of: "\"") ?? text.endIndex))
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

/// What a line of the description begins with.
private enum EvtestKeyword {
  case identity, quotedName, name, type, code, property, end
  case value, minimum, maximum, resolution

  init?(at place: LineCursor) {
    var cursor = place
    self.init(skipping: &cursor)
  }

  init?(skipping cursor: inout LineCursor) {
    let found: EvtestKeyword? =
      switch cursor.peek {
      case UInt8(ascii: "I"):
        cursor.skip("Input device ID:")
          ? .identity : cursor.skip("Input device name:") ? .quotedName : nil
      case UInt8(ascii: "D"): cursor.skip("Device name: ") ? .name : nil
      case UInt8(ascii: "E"):
        cursor.skip(word: "Event type ") ? .type : cursor.skip(word: "Event code ") ? .code : nil
      case UInt8(ascii: "T"): cursor.skipNames(after: "Type EV_") ? .type : nil
      case UInt8(ascii: "C"): cursor.skipNames(after: "Code ") ? .code : nil
      case UInt8(ascii: "P"):
        cursor.skip(word: "Property type ") ? .property : cursor.skip("Properties:") ? .end : nil
      case UInt8(ascii: "R"):
        cursor.skip("Repeat type ") || cursor.skip("Repeat code ")
          ? .end : cursor.skip(number: "Resolution") ? .resolution : nil
      case UInt8(ascii: "V"): cursor.skip(number: "Value") ? .value : nil
      case UInt8(ascii: "v"): cursor.skip(number: "value") ? .value : nil
      case UInt8(ascii: "M"), UInt8(ascii: "m"):
        cursor.skip(number: "Min") || cursor.skip(number: "min")
          ? .minimum
          : cursor.skip(number: "Max") || cursor.skip(number: "max") ? .maximum : nil
      case UInt8(ascii: "r"): cursor.skip(number: "res") ? .resolution : nil
      default: nil
      }
    guard let found else { return nil }
    self = found
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
  /// Skips a word that a number must follow; also at the end of a line, where the number is missing.
  fileprivate mutating func skip(word: StaticString) -> Bool {
    var cursor = self
    guard cursor.skip(word), cursor.peek == nil || cursor.peek?.isDecimalDigit == true else {
      return false
    }
    self = cursor
    return true
  }

  /// Skips a word that blanks and a number follow.
  fileprivate mutating func skip(number word: StaticString) -> Bool {
    startsWithNumber(after: word) && skip(word)
  }

  /// Skips a word and names, such as "Code BTN_LEFT, BTN_MOUSE " before 272.
  fileprivate mutating func skipNames(after word: StaticString) -> Bool {
    var cursor = self
    guard cursor.skip(word) else { return false }
    for _ in 0..<8 {
      cursor.skip { $0.isBlank }
      cursor.skipBlanks()
      if cursor.peek?.isDecimalDigit == true {
        self = cursor
        return true
      }
    }
    return false
  }
}
