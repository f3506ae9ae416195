import PressureKit

/// The description in an evemu recording, line by line.
struct EvemuHeader {
  private(set) var description = DeviceDescription()
  private var comment = SlotComment()

  /// How many bytes of each bitmap came so far.
  private var keyBytes = 0
  private var effectBytes = 0
  private var propertyBytes = 0

  /// Takes a line; false where it is the first event and the description is complete.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(LineError) -> Bool {
    var cursor = LineCursor(line)
    if cursor.peek == UInt8(ascii: "#") { comment.read(line) }
    description.currentSlot = comment.slot ?? 0
    if cursor.isAtEnd() { return true }
    let tag = cursor.peek
    cursor.skip()
    guard let tag, cursor.skip(UInt8(ascii: ":")) else { throw LineError(reason: EvemuFile.noLine) }
    if tag == UInt8(ascii: "E") { return false }
    try read(tag: tag, &cursor)
    return true
  }

  private mutating func read(tag: UInt8, _ cursor: inout LineCursor) throws(LineError) {
    switch tag {
    case UInt8(ascii: "N"): readName(&cursor)
    case UInt8(ascii: "I"): try readIdentity(&cursor)
    case UInt8(ascii: "P"): try readProperties(&cursor)
    case UInt8(ascii: "B"): try readBitmap(&cursor)
    case UInt8(ascii: "A"): try readAxis(&cursor)
    case UInt8(ascii: "L"), UInt8(ascii: "S"): break
    case UInt8(ascii: "D"), UInt8(ascii: "R"): throw LineError(reason: RecordingFormat.hidRecorder)
    default: throw LineError(reason: EvemuFile.noLine)
    }
  }

  /// The number sign is part of a name, not the beginning of a comment.
  private mutating func readName(_ cursor: inout LineCursor) {
    cursor.skipBlanks()
    var name = cursor.text[...]
    while let last = name.last, last.isWhitespace { name.removeLast() }
    description.name = String(name)
  }

  private mutating func readIdentity(_ cursor: inout LineCursor) throws(LineError) {
    description.bus = try cursor.hexadecimal("bus")
    description.vendor = try cursor.hexadecimal("vendor")
    description.product = try cursor.hexadecimal("product")
    description.version = try cursor.hexadecimal("version")
    try finish(&cursor)
  }

  private mutating func readProperties(_ cursor: inout LineCursor) throws(LineError) {
    try readBits(&cursor, into: &description.properties, after: &propertyBytes)
  }

  /// The bitmap of the keys or of the effects; those of other types say nothing that the axes do not.
  private mutating func readBitmap(_ cursor: inout LineCursor) throws(LineError) {
    let type = try cursor.hexadecimal("type", as: UInt16.self)
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
      let byte = try cursor.hexadecimal("byte", as: UInt8.self)
      for bit in 0..<8 where byte & 1 << bit != 0 {
        guard let code = UInt16(exactly: count * 8 + bit) else {
          throw LineError(reason: "the bitmap has more than 65536 bits")
        }
        codes.insert(code)
      }
      count += 1
    } while !cursor.isAtEnd()
  }

  /// The code is hexadecimal, the rest decimal; the resolution came with evemu 1.2.
  private mutating func readAxis(_ cursor: inout LineCursor) throws(LineError) {
    let code = try cursor.hexadecimal("axis", as: UInt16.self)
    var axis = Axis(minimum: try cursor.decimal("minimum"), maximum: try cursor.decimal("maximum"))
    description.filter(
      code, fuzz: try cursor.decimal("fuzz"), flat: try cursor.decimal("flat"))
    if !cursor.isAtEnd() { axis.resolution = try cursor.decimal("resolution") }
    try finish(&cursor)
    description.axes[code] = axis
  }

  private func finish(_ cursor: inout LineCursor) throws(LineError) {
    if !cursor.isAtEnd() { throw LineError(reason: "the line goes on where it should end") }
  }
}
