import PressureKit

/// The slot in use when a recording began, which recorders write into comments only.
///
/// ```
/// #     Event code 47 (ABS_MT_SLOT)
/// #       Value      1
/// ```
/// No other axis counts: a value that was old when the recording began belongs to no contact in it.
struct SlotComment {
  private(set) var slot: Int32?
  private var isAboutSlots = false

  /// Takes a line that may be such a comment.
  mutating func read(_ line: UnsafeRawBufferPointer) {
    var cursor = LineCursor(line)
    cursor.skipBlanks()
    guard cursor.skip(UInt8(ascii: "#")) else { return }
    cursor.skipBlanks()
    if cursor.skip("Event code ") {
      let code = try? cursor.decimal("code", as: UInt16.self)
      cursor.skipBlanks()
      isAboutSlots = code == EventCode.slot.code && cursor.skip("(ABS")
    } else if isAboutSlots, cursor.skip("Value") {
      slot = try? cursor.decimal("value")
    }
  }
}
