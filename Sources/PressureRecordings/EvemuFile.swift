internal import PressureKit

/// A recording by evemu, or by a tool that writes the same format.
///
/// ```
/// A: 3a 0 255 0 0 0
/// E: 1382570965.735216 0003 003a 0039
/// ```
struct EvemuFormat: TextFormat {
  static let name: StaticString = "evemu"

  private(set) var description = DeviceDescription()
  private var comments = EvtestFormat()

  private var keyBytes = 0
  private var effectBytes = 0
  private var propertyBytes = 0

  // MARK: - Events

  @inline(__always)
  static func plainEvent(_ line: LineCursor) -> InputEvent? {
    var cursor = line
    guard cursor.skip("E:"), let event = try? parse(&cursor), cursor.isAtEnd() else { return nil }
    return event
  }

  /// Any line that begins with the tag is an event; elsewhere a time must follow the tag.
  static func findEvent(_ cursor: inout LineCursor) -> Bool {
    var start = cursor.afterMarks
    if start.peek == UInt8(ascii: "#") { return false }
    if start.skip("E:") {
      cursor = start
      return true
    }
    return cursor.seek { previous, place in
      var event = place
      return event.skip("E: ") && previous?.isLetter != true && event.skipDigits() > 0
        && event.skip(UInt8(ascii: ".")) && event.skipDigits() > 0 && event.skip(UInt8(ascii: " "))
    } && cursor.skip("E:")
  }

  func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    try EvemuFormat.parse(&cursor)
  }

  /// Parses an event; seconds and microseconds are two integers: "1.5" is 1 s and 5 µs.
  @inline(__always)
  private static func parse(_ cursor: inout LineCursor) throws(LineError) -> InputEvent {
    let seconds = try cursor.number("time", as: UInt64.self)
    guard cursor.skip(UInt8(ascii: ".")) else {
      throw LineError(reason: "the time has no microseconds")
    }
    let microseconds = try cursor.number("microseconds", as: UInt32.self)
    let time = try Timestamp(recorded: Int64(clamping: seconds), Int64(microseconds))
    let type = try cursor.number("type", as: UInt16.self, radix: 16)
    let code = try cursor.number("code", as: UInt16.self, radix: 16)
    let value = try cursor.number("value", as: Int32.self)
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  // MARK: - The description

  static func startsRecording(_ line: LineCursor) -> Bool {
    let cursor = line.afterMarks
    return cursor.starts(with: "# EVEMU") || cursor.starts(with: "N: ")
  }

  mutating func readHeader(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine {
    cursor = cursor.afterMarks
    if cursor.peek == UInt8(ascii: "#") {
      description.currentSlot = comments.currentSlot(after: cursor)
      return .silent
    }
    let isEmpty = cursor.isAtEnd()
    var hasPart = false
    // Two lines may have been run together.
    while cursor.seek({ previous, place in
      previous?.isLetter != true && (hasPart || previous?.isWordPart != true)
        && place.evemuTag != nil
    }), let tag = cursor.evemuTag {
      _ = (cursor.skip(), cursor.skip())
      try read(tag, &cursor)
      hasPart = true
    }
    return hasPart ? .part : isEmpty ? .silent : .unknown
  }

  private mutating func read(_ tag: UInt8, _ cursor: inout LineCursor) throws(LineError) {
    switch tag {
    case UInt8(ascii: "N"):
      // A number sign in the name does not begin a comment.
      cursor.skipBlanks()
      var name = cursor.text[...]
      while let last = name.last, last.isWhitespace { name.removeLast() }
      description.name = String(name)
      cursor.skip { _ in false }
    case UInt8(ascii: "I"):
      description.bus = try cursor.number("bus", radix: 16)
      description.vendor = try cursor.number("vendor", radix: 16)
      description.product = try cursor.number("product", radix: 16)
      description.version = try cursor.number("version", radix: 16)
      try finish(&cursor)
    case UInt8(ascii: "P"):
      try readBits(&cursor, into: &description.properties, after: &propertyBytes)
    case UInt8(ascii: "B"): try readBitmap(&cursor)
    case UInt8(ascii: "A"): try readAxis(&cursor)
    default: cursor.skip { $0.isBlank }
    }
  }

  /// Reads the bitmap of the keys or the effects; the axes have other lines.
  private mutating func readBitmap(_ cursor: inout LineCursor) throws(LineError) {
    let type = try cursor.number("type", as: UInt16.self, radix: 16)
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
      let byte = try cursor.number("byte", as: UInt8.self, radix: 16)
      for bit in 0..<8 where byte & 1 << bit != 0 {
        guard let code = UInt16(exactly: count * 8 + bit) else {
          throw LineError(reason: "the bitmap has more than 65536 bits")
        }
        codes.insert(code)
      }
      count += 1
    } while !isAtEnd(&cursor)
  }

  /// Reads an axis: the code is hexadecimal, the rest decimal; evemu 1.2 added the resolution.
  private mutating func readAxis(_ cursor: inout LineCursor) throws(LineError) {
    let code = try cursor.number("axis", as: UInt16.self, radix: 16)
    var axis = Axis(minimum: try cursor.number("minimum"), maximum: try cursor.number("maximum"))
    description.filter(code, fuzz: try cursor.number("fuzz"), flat: try cursor.number("flat"))
    if !isAtEnd(&cursor) { axis.resolution = try cursor.number("resolution") }
    try finish(&cursor)
    description.axes[code] = axis
  }

  private func finish(_ cursor: inout LineCursor) throws(LineError) {
    if !isAtEnd(&cursor) { throw LineError(reason: "unexpected text at the end of the line") }
  }

  /// Whether nothing is left of a part of the description.
  private func isAtEnd(_ cursor: inout LineCursor) -> Bool {
    cursor.isAtEnd() || cursor.evemuTag != nil
  }
}

extension LineCursor {
  /// The letter of a line such as "A: 3a 0 255", or nil for other text.
  ///
  /// All but the name have numbers, and at least one of the first two tokens is one even in a damaged line.
  var evemuTag: UInt8? {
    var cursor = self
    guard let tag = cursor.peek else { return nil }
    cursor.skip()
    guard cursor.skip(UInt8(ascii: ":")) else { return nil }
    switch tag {
    case UInt8(ascii: "N"): return cursor.skip(UInt8(ascii: " ")) ? tag : nil
    case UInt8(ascii: "I"), UInt8(ascii: "P"), UInt8(ascii: "B"), UInt8(ascii: "A"),
      UInt8(ascii: "L"), UInt8(ascii: "S"):
      return cursor.isAssignment ? nil : cursor.skipToken() || cursor.skipToken() ? tag : nil
    default: return nil
    }
  }

  /// Whether a word such as "KEY=402000000" follows, as in a list of devices.
  private var isAssignment: Bool {
    var cursor = self
    cursor.skipBlanks()
    cursor.skip { !$0.isWordPart }
    return cursor.peek == UInt8(ascii: "=")
  }

  /// Skips blanks and a word; returns whether it was a hexadecimal number of at most 8 digits.
  private mutating func skipToken() -> Bool {
    skipBlanks()
    _ = skip(UInt8(ascii: "-"))
    let count = skipDigits(radix: 16, atMost: 16)
    let isNumber = count > 0 && (peek == nil || peek?.isBlank == true)
    skip { $0.isBlank }
    return isNumber
  }
}
