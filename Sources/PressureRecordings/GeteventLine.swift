internal import CEvdev
internal import PressureKit

/// The parts of an event line.
struct GeteventLine {
  private(set) var cursor: LineCursor

  /// The time of the event, or nil if the line has none.
  private(set) var time: Timestamp?

  /// The path of the device, or an empty string if the line has none.
  private(set) var path = ""

  /// Parses time and path, both of which may be missing; nil if this is another line.
  init?(_ start: LineCursor) {
    cursor = start
    if cursor.skip(UInt8(ascii: "[")) {
      guard let seconds = number(), cursor.skip(UInt8(ascii: ".")) else { return nil }
      let place = cursor
      guard let fraction = number(), cursor.skip(UInt8(ascii: "]")) else { return nil }
      guard let time = try? Timestamp(recorded: seconds, fraction) else { return nil }
      // Six digits, except for tools that print nanoseconds.
      guard place.digitCount == 6 else { return nil }
      self.time = time
      cursor.skipBlanks()
    }
    var place = cursor
    if place.skip("/dev/input/event") {
      guard place.skipDigits(atMost: 4) > 0 else { return nil }
      let name = cursor.prefix(to: place)
      guard place.skip(": ") else { return nil }
      path = name
      place.skipBlanks()
      cursor = place
    }
  }

  private mutating func number() -> Int64? {
    try? cursor.decimal("time", as: Int64.self)
  }

  /// Whether type and code follow, as numbers or names.
  var hasCode: Bool {
    var place = cursor
    if place.skip("EV_") {
      guard place.skipName() > 0 else { return false }
      place.skipBlanks()
      var digits = place
      return place.peek?.isUppercaseLetter == true
        || digits.skipDigits(radix: 16, atMost: 5) == 4
    }
    guard place.skipDigits(radix: 16, atMost: 5) == 4, place.skip(UInt8(ascii: " ")),
      place.skipDigits(radix: 16, atMost: 5) == 4
    else { return false }
    return place.peek == nil || place.peek?.isBlank == true
  }

  /// Parses type and code; nil if a name is unknown.
  mutating func readCode() throws(LineError) -> EventCode? {
    if cursor.starts(with: "EV_") {
      let typeName = cursor.readName()
      cursor.skipBlanks()
      return GeteventLine.code(typeName, &cursor)
    }
    let type: UInt16 = try cursor.hexadecimal("type")
    return EventCode(type: type, code: try cursor.hexadecimal("code"))
  }

  private static func code(_ typeName: String, _ cursor: inout LineCursor) -> EventCode? {
    let type = libevdev_event_type_from_name(typeName)
    var digits = cursor
    if digits.skipDigits(radix: 16, atMost: 5) == 4, digits.peek?.isBlank == true {
      let number = try? cursor.hexadecimal("code", as: UInt16.self)
      return UInt16(exactly: type).flatMap { type in number.map { EventCode(type: type, code: $0) }
      }
    }
    let name = cursor.readName()
    guard let type = UInt16(exactly: type),
      let code = UInt16(exactly: libevdev_event_code_from_name(UInt32(type), name))
    else { return nil }
    return EventCode(type: type, code: code)
  }

  /// Parses the value, up to the end of the event.
  ///
  /// getevent writes eight hexadecimal digits. Other programs write decimal numbers in the same lines; all values of a file
  /// are of one kind, which the first one determines.
  mutating func readValue(in values: inout ValueNotation) throws(LineError) -> Int32 {
    cursor.skipBlanks()
    if cursor.skip("DOWN") { return 1 }
    if cursor.skip("UP") { return 0 }
    if cursor.skip("REPEAT") { return 2 }
    let notation = Notation(of: cursor)
    if values == .unknown { values = notation == .decimal ? .decimal : .hexadecimal }
    let value: Int32
    switch (values, notation) {
    case (_, .none), (.hexadecimal, .hexadecimal), (.hexadecimal, .either):
      value = Int32(bitPattern: try cursor.hexadecimal("value"))
    case (.decimal, .decimal), (.decimal, .either): value = try cursor.decimal("value")
    case (_, let notation):
      if values == .decimal { values = .refutedDecimal }
      throw LineError(reason: mixed(notation))
    }
    cursor.skipBlanks()
    // getevent -r appends the frame rate.
    if cursor.skip("rate ") { _ = cursor.skipDigits() }
    return value
  }

  private func mixed(_ notation: Notation) -> String {
    var end = cursor
    end.skip { $0.isBlank }
    let value = cursor.prefix(to: end)
    return notation == .unknown
      ? "the value \(value) is neither decimal nor has eight digits, as those of getevent have"
      : "the value \(value) is \(notation == .decimal ? "decimal" : "hexadecimal"), unlike those before"
  }
}

/// How the values of a file are written, which its first value determines.
enum ValueNotation {
  case unknown
  /// As getevent writes them.
  case hexadecimal
  /// As other programs write them.
  case decimal
  /// They seemed to be decimal, and a later value is not.
  case refutedDecimal
}

/// How a value is written.
private enum Notation {
  /// Not as a number.
  case none
  /// With eight hexadecimal digits, as getevent does.
  case hexadecimal
  /// As a decimal number without leading zeros.
  case decimal
  /// With eight digits that may be those of a decimal number.
  case either
  /// With other digits: hexadecimal ones of which some are missing, or of another program.
  case unknown

  init(of value: LineCursor) {
    var (digits, decimals) = (value, value)
    let isNegative = digits.skip(UInt8(ascii: "-")) && decimals.skip(UInt8(ascii: "-"))
    let startsWithZero = digits.peek == UInt8(ascii: "0")
    let count = digits.skipDigits(radix: 16)
    let isDecimal = decimals.skipDigits() == count && (!startsWithZero || count == 1)
    let isFull = count == 8 && !isNegative
    self =
      count == 0
      ? .none : isFull ? (isDecimal ? .either : .hexadecimal) : isDecimal ? .decimal : .unknown
  }
}

extension LineCursor {
  /// Skips a word that blanks follow.
  mutating func skipColumn(_ word: StaticString) -> Bool {
    var cursor = self
    guard cursor.skip(word), cursor.peek?.isBlank == true else { return false }
    self = cursor
    return true
  }

  /// Skips a name of the kernel, at most 40 bytes; returns its length.
  mutating func skipName() -> Int {
    var count = 0
    while count < 40, let byte = peek,
      byte.isUppercaseLetter || byte.isDecimalDigit || byte == UInt8(ascii: "_")
    {
      skip()
      count += 1
    }
    return count
  }

  mutating func readName() -> String {
    let start = self
    _ = skipName()
    return start.prefix(to: self)
  }

  /// Reads a code of a type, as a number or by its name; nil if there is none.
  mutating func readCode(ofType type: UInt16) -> UInt16? {
    var place = self
    if place.skipDigits(radix: 16, atMost: 5) == 4, place.peek?.isWordPart != true {
      defer { skipBlanks() }
      return try? hexadecimal("code")
    }
    place = self
    let name = place.readName()
    guard !name.isEmpty,
      let code = UInt16(exactly: libevdev_event_code_from_name(UInt32(type), name))
    else { return nil }
    self = place
    // "KEY_POWER*" is down.
    _ = skip(UInt8(ascii: "*"))
    skipBlanks()
    return code
  }

  /// The property in a line that consists of its name, or nil.
  var geteventProperty: UInt16? {
    guard starts(with: "INPUT_PROP_") else { return nil }
    var place = self
    return UInt16(exactly: libevdev_property_from_name(place.readName()))
  }

  /// Whether getevent writes such a line, which describes nothing.
  var isGeteventChatter: Bool {
    let words: [StaticString] = [
      "could not get driver version for", "events:", "input props:", "none>", "location:", "id:",
      "poll ", "removed device", "remove device", "bus:", "vendor", "product", "version", "Path:",
      "descriptor:",
    ]
    return peek == nil || words.contains { starts(with: $0) }
  }

  /// The number of digits from here on.
  fileprivate var digitCount: Int {
    var cursor = self
    return cursor.skipDigits()
  }
}

extension UInt8 {
  fileprivate var isUppercaseLetter: Bool { self &- UInt8(ascii: "A") < 26 }
}

extension EventCode {
  /// Whether only touch devices send such an event.
  var isTouch: Bool {
    switch self {
    case .touch, .toolFinger, .singlePressure: true
    default: EventCode.isMultitouch(self)
    }
  }

  /// Whether this is a value of a slot, or the slot itself.
  static func isMultitouch(_ code: EventCode) -> Bool {
    code.type == EventCode.slot.type && (EventCode.slot.code...0x3d).contains(code.code)
  }
}
