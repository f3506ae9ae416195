internal import PressureKit

/// A part of a `libinput record` file without the beginning that a YAML parser needs.
///
/// ```
///     name: "Touchpad"
///     absinfo:
///       58: [0, 255, 0, 0, 0]
///     - [  0,      0,   3,  58,     194]
/// ```
struct LibinputFragment: TextDialect {
  static let name: StaticString = "libinput record"
  static let eventWord: StaticString = "- ["

  private(set) var description = DeviceDescription()
  private var comment = SlotComment()

  /// Whether the lines are within `absinfo`.
  private var isAmongAxes = false
}

// MARK: - Events

extension LibinputFragment {
  static func findEvent(_ cursor: inout LineCursor) -> Bool {
    var start = cursor
    start.skipMarks()
    if start.peek == UInt8(ascii: "#") { return false }
    return cursor.seek { _, place in
      place.peek == UInt8(ascii: "-") && LibinputFragment.isEvent(place)
    }
  }

  /// Whether this is a list of at least two numbers.
  static func isEvent(_ place: LineCursor) -> Bool {
    var cursor = place
    guard cursor.skip("- ["), cursor.skipNumber() else { return false }
    return cursor.skip(UInt8(ascii: ",")) && cursor.skipNumber()
  }

  static func startsRecording(_ line: LineCursor) -> Bool {
    var cursor = line
    cursor.skipMarks()
    return cursor.starts(with: "node:")
  }

  mutating func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    _ = cursor.skip("- [")
    let seconds = try LibinputFragment.number("time", &cursor, as: Int64.self)
    let microseconds = try LibinputFragment.number("microseconds", &cursor, as: Int64.self)
    let type = try LibinputFragment.number("type", &cursor, as: UInt16.self)
    let code = try LibinputFragment.number("code", &cursor, as: UInt16.self)
    let value: Int32 = try cursor.decimal("value")
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "]")) else {
      throw LineError(reason: "the closing bracket is missing")
    }
    return InputEvent(
      time: try Timestamp(recorded: seconds, microseconds),
      code: EventCode(type: type, code: code), value: value)
  }

  private static func number<Number: FixedWidthInteger>(
    _ what: StaticString, _ cursor: inout LineCursor, as type: Number.Type = Number.self
  ) throws(LineError) -> Number {
    let number = try cursor.decimal(what, as: type)
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: ",")) else {
      throw LineError(reason: "the comma after the \(what) is missing")
    }
    return number
  }
}

// MARK: - The description

extension LibinputFragment {
  mutating func readHeader(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine {
    let line = cursor
    cursor.skipMarks()
    if cursor.peek == UInt8(ascii: "#") {
      comment.read(cursor)
      description.currentSlot = comment.slot ?? 0
      return .silent
    }
    if isAmongAxes, cursor.peek?.isDecimalDigit == true { return try readAxis(&cursor) }
    isAmongAxes = cursor.starts(with: "absinfo:")
    if cursor.skip("name: \"") {
      let text = cursor.text
      description.name = String(text.prefix(upTo: text.lastIndex(of: "\"") ?? text.endIndex))
    } else if cursor.skip("id: [") {
      description.bus = try LibinputFragment.number("bus", &cursor)
      description.vendor = try LibinputFragment.number("vendor", &cursor)
      description.product = try LibinputFragment.number("product", &cursor)
    } else if cursor.skip("properties: [") {
      while cursor.skipBlanks() == (), cursor.peek?.isDecimalDigit == true {
        description.properties.insert(try cursor.decimal("property"))
        _ = cursor.skip(UInt8(ascii: ","))
      }
    } else {
      return LineSource.isYAML(line) ? .silent : .unknown
    }
    return .part
  }

  private mutating func readAxis(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine {
    let code: UInt16 = try cursor.decimal("axis")
    guard cursor.skip(": [") else { return .unknown }
    let minimum: Int32 = try LibinputFragment.number("minimum", &cursor)
    let maximum: Int32 = try LibinputFragment.number("maximum", &cursor)
    let fuzz: Int32 = try LibinputFragment.number("fuzz", &cursor)
    let flat: Int32 = try LibinputFragment.number("flat", &cursor)
    description.axes[code] = Axis(
      minimum: minimum, maximum: maximum, resolution: try cursor.decimal("resolution"))
    description.filter(code, fuzz: fuzz, flat: flat)
    return .part
  }
}

extension LineCursor {
  /// Skips blanks and a number.
  fileprivate mutating func skipNumber() -> Bool {
    skipBlanks()
    _ = skip(UInt8(ascii: "-"))
    return skipDigits() > 0
  }
}
