internal import PressureDevices
internal import PressureKit

/// A recording by `libinput record`, of one device or several, or lines of one.
///
/// ```
/// devices:
/// - node: /dev/input/event5
///   evdev:
///     name: "Touchpad"
///     absinfo:
///       58: [0, 255, 0, 0, 0]
///   events:
///   - evdev:
///     - [  0,      0,   3,  58,     194]
/// ```
///
/// The recorder writes each value of the description, and each event, in a separate line, so that the YAML need not be
/// parsed as a whole: what is pasted into reports is often not whole.
struct LibinputFormat: TextFormat {
  static let name: StaticString = "libinput record"
  static let closesValues = true
  static let holdsSeveral = true

  /// A mapping or list of the description of which a line has one element, or some.
  private enum Section {
    case other, keys, axes
    /// The report descriptor with its bytes so far.
    case descriptor([UInt8])
  }

  private(set) var description = DeviceDescription()
  private var comments = EvtestFormat()
  private var section = Section.other

  // MARK: - Events

  static func findEvent(_ cursor: inout LineCursor) -> Bool {
    if cursor.afterMarks.peek == UInt8(ascii: "#") { return false }
    return cursor.seek { _, place in
      var event = place
      return event.skip("- [") && event.skipNumber() && event.skip(UInt8(ascii: ","))
        && event.skipNumber()
    }
  }

  func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    _ = cursor.skip("- [")
    let seconds = try LibinputFormat.element("time", &cursor, as: Int64.self)
    let microseconds = try LibinputFormat.element("microseconds", &cursor, as: Int64.self)
    let type = try LibinputFormat.element("type", &cursor, as: UInt16.self)
    let code = try LibinputFormat.element("code", &cursor, as: UInt16.self)
    let value: Int32 = try cursor.number("value")
    try LibinputFormat.end(&cursor)
    return InputEvent(
      time: try Timestamp(recorded: seconds, microseconds),
      code: EventCode(type: type, code: code), value: value)
  }

  /// Parses a number of a list, and the comma after it.
  @inline(__always)
  private static func element<Number: FixedWidthInteger>(
    _ what: StaticString, _ cursor: inout LineCursor, as type: Number.Type = Number.self
  ) throws(LineError) -> Number {
    let number = try cursor.number(what, as: type)
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: ",")) else {
      throw LineError(reason: "the comma after the \(what) is missing")
    }
    return number
  }

  @inline(__always)
  private static func end(_ cursor: inout LineCursor) throws(LineError) {
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "]")) else {
      throw LineError(reason: "the closing bracket is missing")
    }
  }

  // MARK: - The description

  static func startsRecording(_ line: LineCursor) -> Bool {
    line.afterMarks.starts(with: "node:")
  }

  mutating func readHeader(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine {
    let line = cursor
    if case .descriptor(let bytes) = section, readDescriptor(cursor, after: bytes) { return .part }
    cursor = cursor.afterMarks
    if cursor.peek == UInt8(ascii: "#") {
      description.currentSlot = comments.currentSlot(after: cursor)
      return .silent
    }
    if cursor.peek?.isDecimalDigit == true, try readElement(&cursor) { return .part }
    return try readKey(&cursor) ? .part : line.isYAML ? .silent : .unknown
  }

  /// Reads a line of a mapping of which the keys are codes; returns false if this is another line.
  private mutating func readElement(_ cursor: inout LineCursor) throws(LineError) -> Bool {
    switch section {
    case .axes: return try readAxis(&cursor)
    case .keys:
      let type: UInt16 = try cursor.number("type")
      guard cursor.skip(": [") else { return false }
      let codes = try LibinputFormat.codes(&cursor)
      if type == EventCode.touch.type { description.keys = codes }
      if type == EventCode.haptic.type { description.effects = codes }
      return true
    case .other, .descriptor: return false
    }
  }

  /// Reads a line that begins with a name; returns false if it states nothing about the description.
  private mutating func readKey(_ cursor: inout LineCursor) throws(LineError) -> Bool {
    section = .other
    if cursor.starts(with: "absinfo:") {
      section = .axes
    } else if cursor.starts(with: "codes:") {
      section = .keys
    } else if cursor.skip("hid: [") {
      _ = readDescriptor(cursor, after: [])
    } else if cursor.skip("name: \"") {
      description.name = cursor.textInQuotes
    } else if cursor.skip("id: [") {
      description.bus = try LibinputFormat.element("bus", &cursor)
      description.vendor = try LibinputFormat.element("vendor", &cursor)
      description.product = try LibinputFormat.element("product", &cursor)
      description.version = try cursor.number("version")
    } else if cursor.skip("properties: [") {
      description.properties = try LibinputFormat.codes(&cursor)
    } else {
      return cursor.starts(with: "node:")
    }
    return true
  }

  private static func codes(_ cursor: inout LineCursor) throws(LineError) -> Set<UInt16> {
    var codes: Set<UInt16> = []
    while cursor.skipBlanks() == (), cursor.peek?.isDecimalDigit == true {
      codes.insert(try cursor.number("code"))
      _ = cursor.skip(UInt8(ascii: ","))
    }
    try end(&cursor)
    return codes
  }

  private mutating func readAxis(_ cursor: inout LineCursor) throws(LineError) -> Bool {
    let code: UInt16 = try cursor.number("axis")
    guard cursor.skip(": [") else { return false }
    let minimum: Int32 = try LibinputFormat.element("minimum", &cursor)
    let maximum: Int32 = try LibinputFormat.element("maximum", &cursor)
    let fuzz: Int32 = try LibinputFormat.element("fuzz", &cursor)
    let flat: Int32 = try LibinputFormat.element("flat", &cursor)
    description.axes[code] = Axis(
      minimum: minimum, maximum: maximum, resolution: try cursor.number("resolution"))
    description.filter(code, fuzz: fuzz, flat: flat)
    return true
  }

  /// Reads bytes of the report descriptor, as 0x7f or 127, in one of the lines that have them.
  ///
  /// One that is damaged is ignored: a device is read without it, too.
  ///
  /// - Returns: false if the line is not one of them.
  private mutating func readDescriptor(_ line: LineCursor, after bytes: [UInt8]) -> Bool {
    var (cursor, bytes) = (line, bytes)
    cursor.skip { $0.isWordPart || $0 == UInt8(ascii: "]") }
    section = .other
    while !cursor.isAtEnd() {
      if cursor.skip(UInt8(ascii: "]")) {
        description.use(descriptor: bytes)
        return true
      }
      let byte: UInt8? =
        cursor.skip("0x") ? try? cursor.number("byte", radix: 16) : try? cursor.number("byte")
      guard let byte else { return false }
      // One more than the limit shows that there are more.
      if bytes.count <= ReportDescriptor.maximumLength { bytes.append(byte) }
      _ = cursor.skip(UInt8(ascii: ","))
    }
    section = .descriptor(bytes)
    return true
  }
}

extension LineCursor {
  fileprivate mutating func skipNumber() -> Bool {
    skipBlanks()
    _ = skip(UInt8(ascii: "-"))
    return skipDigits() > 0
  }

  /// The text up to the last quotation mark, in which YAML escapes quotation marks and backslashes.
  fileprivate var textInQuotes: String {
    var isEscaped = false
    return quotedText.reduce(into: "") { text, character in
      isEscaped = character == "\\" && !isEscaped
      if !isEscaped { text.append(character) }
    }
  }

  /// Whether a line may be a part of the YAML that recorders write, and not other text.
  fileprivate var isYAML: Bool {
    var cursor = self
    cursor.skipQuoteMarks()
    let isIndented = cursor.peek != peek
    switch cursor.peek {
    case nil, UInt8(ascii: "#"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "\""), UInt8(ascii: "'"):
      return true
    case UInt8(ascii: "-"):
      cursor.skip()
      guard cursor.peek == UInt8(ascii: " ") else { return false }
      cursor.skipBlanks()
      guard let first = cursor.peek else { return false }
      return !first.isLetter && first != UInt8(ascii: "-") || cursor.startsWithKey
    default: return isIndented && cursor.peek?.isDecimalDigit == true || cursor.startsWithKey
    }
  }

  /// Whether a name and a colon or an equals sign follow, as before a value.
  private var startsWithKey: Bool {
    var cursor = self
    guard cursor.peek?.isWordPart == true else { return false }
    cursor.skip { !($0.isWordPart || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")) }
    if cursor.skip(UInt8(ascii: "=")) { return true }
    return cursor.skip(UInt8(ascii: ":")) && (cursor.peek == nil || cursor.peek?.isBlank == true)
  }
}
