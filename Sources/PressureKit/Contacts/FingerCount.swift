/// How many fingers a device says it feels, as it may have fewer slots than that.
///
/// The corresponding kernel constants are `BTN_TOOL_FINGER` and `BTN_TOOL_DOUBLETAP` to `QUINTTAP`.
struct FingerCount {
  private static let codes: [(code: EventCode, fingers: Int)] = [
    (.toolFinger, 1), (.toolDoubleTap, 2), (.toolTripleTap, 3), (.toolQuadTap, 4),
    (.toolQuintTap, 5),
  ]

  /// A bit for each number of fingers that is said at the moment.
  private var bits = Staged<UInt8>(0)

  /// The greatest number that is said.
  var count: Int { UInt8.bitWidth - bits.committed.leadingZeroBitCount }

  mutating func stage(_ event: InputEvent) {
    guard event.code.type == EventCode.touch.type else { return }
    for (code, fingers) in FingerCount.codes where code == event.code {
      let bit = UInt8(1) << UInt8(fingers - 1)
      if event.value != 0 { bits.staged |= bit } else { bits.staged &= ~bit }
    }
  }

  mutating func commit() { _ = bits.commit() }

  mutating func restore() { bits.restore() }
}
