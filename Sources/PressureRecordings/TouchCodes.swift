package import PressureKit

/// What a recording of touches holds; what else a device sends is nobody's business.
extension EventCode {
  /// Whether this is an axis of touch, a button of touch or of a pad, or the end of a frame.
  ///
  /// A key never is: what somebody types must not come into a recording that is given away.
  package var isOfTouch: Bool {
    switch self {
    case .report: true
    case .x, .y, .singlePressure, .singleDistance, .toolWidth: true
    case .touch, .toolFinger, .toolDoubleTap, .toolTripleTap, .toolQuadTap, .toolQuintTap: true
    case .leftButton, .rightButton, .middleButton: true
    default: type == EventCode.slot.type && EventCode.touchAxes.contains(code)
    }
  }

  /// From ABS_MT_SLOT to ABS_MT_TOOL_Y.
  private static let touchAxes: ClosedRange<UInt16> = 0x2f...0x3d

  /// The corresponding kernel constant is `ABS_DISTANCE`.
  private static var singleDistance: EventCode { absolute(0x19) }

  /// The corresponding kernel constant is `ABS_TOOL_WIDTH`.
  private static var toolWidth: EventCode { absolute(0x1c) }

  /// The corresponding kernel constant is `BTN_LEFT`: the click of a pad.
  private static var leftButton: EventCode { key(0x110) }

  /// The corresponding kernel constant is `BTN_RIGHT`.
  private static var rightButton: EventCode { key(0x111) }

  /// The corresponding kernel constant is `BTN_MIDDLE`.
  private static var middleButton: EventCode { key(0x112) }
}

extension DeviceDescription {
  /// The same device with touch alone, and without what tells it from others of its make: a serial
  /// number, the address of a Bluetooth adapter.
  package var ofTouchAlone: DeviceDescription {
    var touch = self
    touch.axes = axes.filter { EventCode.absolute($0.key).isOfTouch }
    touch.filters = filters.filter { EventCode.absolute($0.key).isOfTouch }
    touch.keys = keys.map { $0.filter { EventCode.key($0).isOfTouch } }
    (touch.physicalPath, touch.uniqueID, touch.currentSlot) = ("", "", 0)
    return touch
  }
}
