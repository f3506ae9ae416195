import PressureKit

/// The description that evtest prints before the events, line by line.
///
/// ```
/// Input device ID: bus 0x18 vendor 0x0 product 0x0 version 0x0
///   Event type 3 (EV_ABS)
///     Event code 58 (ABS_MT_PRESSURE)
///       Value      0
///       Min        0
///       Max      255
/// ```
/// Other programs write between these lines, so a line that says nothing is no fault.
struct EvtestHeader {
  private(set) var description = DeviceDescription()

  /// The event type whose codes are being listed.
  private var type: UInt16?

  /// The axis that the following numbers describe.
  private var axis: UInt16?

  /// Takes a line; false where it is the first event and the description is complete.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(LineError) -> Bool {
    var cursor = LineCursor(line)
    cursor.skipMarks()
    if cursor.skip("Event: ") { return false }
    if cursor.skip("Input device ID:") {
      try readIdentity(&cursor)
    } else if cursor.skip("Input device name:") {
      readName(&cursor)
    } else if cursor.skip("Event type ") {
      type = try cursor.decimal("type")
      axis = nil
    } else if cursor.skip("Event code ") {
      try readCode(&cursor)
    } else if cursor.skip("Property type ") {
      description.properties.insert(try cursor.decimal("property"))
    } else if cursor.skip("Repeat ") || cursor.skip("Properties:") {
      axis = nil
    } else if let axis {
      try readNumber(of: axis, &cursor)
    }
    return true
  }

  private mutating func readIdentity(_ cursor: inout LineCursor) throws(LineError) {
    description.bus = try readNumber(after: "bus", &cursor)
    description.vendor = try readNumber(after: "vendor", &cursor)
    description.product = try readNumber(after: "product", &cursor)
    _ = try readNumber(after: "version", &cursor)
  }

  private func readNumber(
    after word: StaticString, _ cursor: inout LineCursor
  ) throws(LineError) -> UInt16 {
    cursor.skipBlanks()
    guard cursor.skip(word) else { throw LineError(reason: "the \(word) is missing") }
    cursor.skipBlanks()
    _ = cursor.skip("0x")
    return try cursor.hexadecimal(word)
  }

  private mutating func readName(_ cursor: inout LineCursor) {
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "\"")) else { return }
    let text = cursor.text
    description.name = String(text.prefix(upTo: text.lastIndex(of: "\"") ?? text.endIndex))
  }

  private mutating func readCode(_ cursor: inout LineCursor) throws(LineError) {
    let code = try cursor.decimal("code", as: UInt16.self)
    axis = nil
    switch type {
    case EventCode.x.type: axis = code
    case EventCode.touch.type: description.keys = (description.keys ?? []).union([code])
    case EventCode.haptic.type: description.effects.insert(code)
    case nil where cursor.skip(" (ABS"): axis = code
    default: break
    }
  }

  private mutating func readNumber(
    of code: UInt16, _ cursor: inout LineCursor
  ) throws(LineError) {
    var axis = description.axes[code] ?? Axis(minimum: 0, maximum: 0)
    if cursor.skip("Value") {
      let value = try cursor.decimal("value", as: Int32.self)
      if code == EventCode.slot.code { description.currentSlot = value }
    } else if cursor.skip("Min") {
      axis.minimum = try cursor.decimal("minimum")
    } else if cursor.skip("Max") {
      axis.maximum = try cursor.decimal("maximum")
    } else if cursor.skip("Resolution") {
      axis.resolution = try cursor.decimal("resolution")
    }
    description.axes[code] = axis
  }
}
