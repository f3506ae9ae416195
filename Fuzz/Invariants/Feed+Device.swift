@testable import PressureKit

extension Feed {
  private static let ranges = [
    Axis(minimum: 0, maximum: 255), Axis(minimum: 0, maximum: 1000, resolution: 10),
    Axis(minimum: 0, maximum: 3000, resolution: 6), Axis(minimum: 0, maximum: 1),
    Axis(minimum: -128, maximum: 127), Axis(minimum: 5, maximum: 5), Axis(minimum: 9, maximum: 0),
    Axis(minimum: .min, maximum: .max, resolution: .max), Axis(minimum: 0, maximum: .max),
    Axis(minimum: 1, maximum: 64, resolution: -1), Axis(minimum: .max - 1, maximum: .max),
  ]

  private mutating func axis() -> Axis {
    let kind = below(16)
    guard kind >= Feed.ranges.count else { return Feed.ranges[kind] }
    return Axis(minimum: number(), maximum: number(), resolution: number())
  }

  /// A device with slots or without, and with any of the axes that matter.
  mutating func description() -> DeviceDescription {
    var description = DeviceDescription()
    (description.name, description.bus) = ("Pad", 0x18)
    (description.vendor, description.product) = (0x06cb, 0xcd41)
    let kinds = byte()
    let has = { (bit: Int) in kinds >> bit & 1 == 1 }
    let codes: [EventCode] = has(0) ? [.positionX, .positionY] : [.x, .y]
    for code in codes { description.axes[code.code] = axis() }
    if has(0) {
      description.axes[EventCode.slot.code] = Axis(minimum: 0, maximum: Int32(below(32)))
      description.axes[EventCode.trackingID.code] = Axis(minimum: 0, maximum: 65535)
      if isSet() { description.currentSlot = Int32(below(40)) }
    }
    let others: [EventCode] = [.pressure, .singlePressure, .touchMajor, .distance]
    for (index, code) in others.enumerated() where has(index + 1) {
      description.axes[code.code] = axis()
    }
    if has(5) || !has(2) { description.keys = [EventCode.touch.code, EventCode.toolFinger.code] }
    if has(6) { description.properties.insert(DeviceDescription.pressurePad) }
    if has(7) {
      description.properties.insert(DeviceDescription.buttonPad)
      description.keys = (description.keys ?? []).union([EventCode.leftButton.code])
      description.axes[EventCode.touchMinor.code] = axis()
    }
    return description
  }

  private static let codes: [EventCode] = [
    .report, .dropped, .multitouchReport, .slot, .trackingID, .positionX, .positionY, .pressure,
    .toolType, .distance, .touchMajor, .x, .y, .singlePressure, .touch, .toolFinger,
    .toolDoubleTap, .toolTripleTap, .toolQuadTap, .toolQuintTap, .beforeSlot,
  ]

  /// How many kinds of events there are.
  static let codeCount = codes.count

  private static let edges: [Int32] = [.min, .max, -1, 0, 254, 255, 256, 65_535]

  /// An event of that kind, or any event if there is no such kind.
  mutating func event(_ kind: Int, size: Int, at time: Timestamp) -> InputEvent {
    let code =
      kind < Feed.codeCount
      ? Feed.codes[kind] : EventCode(type: UInt16(below(6)), code: word())
    let value: Int32 =
      switch (code, size) {
      case (.report, _): 0
      case (_, 0...2): Int32(byte())
      case (_, 3): Int32(Int8(bitPattern: byte()))
      case (_, 4...5): Int32(word())
      case (_, 6): number()
      default: pick(Feed.edges)
      }
    return InputEvent(time: time, code: code, value: value)
  }
}
