/// The type and code of an input event, which have a meaning only together.
///
/// The numbers are those of the kernel's `input-event-codes.h`; a test compares them with the header.
public struct EventCode: Hashable, Sendable {
  /// The type in the upper 16 bits, the code in the lower 16.
  public let rawValue: UInt32

  /// Combines the kernel's two numbers.
  public init(type: UInt16, code: UInt16) {
    rawValue = UInt32(type) << 16 | UInt32(code)
  }

  /// The corresponding kernel field is `input_event.type`.
  public var type: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }

  /// The corresponding kernel field is `input_event.code`.
  public var code: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// Whether the event separates or synchronizes others; the corresponding kernel constant is `EV_SYN`.
  @inlinable @inline(__always)
  package var isSynchronization: Bool { rawValue >> 16 == 0 }

  static func synchronization(_ code: UInt16) -> EventCode { EventCode(type: 0x00, code: code) }

  /// A key or button; the corresponding kernel constant is `EV_KEY`.
  public static func key(_ code: UInt16) -> EventCode { EventCode(type: 0x01, code: code) }

  /// An absolute axis; the corresponding kernel constant is `EV_ABS`.
  public static func absolute(_ code: UInt16) -> EventCode { EventCode(type: 0x03, code: code) }

  // Computed properties, so that the numbers become immediate operands.

  /// The end of a frame; the corresponding kernel constant is `SYN_REPORT`.
  public static var report: EventCode { synchronization(0) }

  /// The end of a contact in multi-touch protocol A; the corresponding kernel constant is `SYN_MT_REPORT`.
  public static var multitouchReport: EventCode { synchronization(2) }

  /// Events were lost; the corresponding kernel constant is `SYN_DROPPED`.
  public static var dropped: EventCode { synchronization(3) }

  /// The corresponding kernel constant is `ABS_X`.
  public static var x: EventCode { absolute(0x00) }

  /// The corresponding kernel constant is `ABS_Y`.
  public static var y: EventCode { absolute(0x01) }

  /// The corresponding kernel constant is `ABS_PRESSURE`.
  public static var singlePressure: EventCode { absolute(0x18) }

  /// An axis that only game pads have; on such devices `slot` is not a slot.
  ///
  /// It has no name in the kernel.
  package static var beforeSlot: EventCode { absolute(0x2e) }

  /// The slot that the following axes belong to; the corresponding kernel constant is `ABS_MT_SLOT`.
  public static var slot: EventCode { absolute(0x2f) }

  /// The length of a contact; the corresponding kernel constant is `ABS_MT_TOUCH_MAJOR`.
  public static var touchMajor: EventCode { absolute(0x30) }

  /// The width of a contact; the corresponding kernel constant is `ABS_MT_TOUCH_MINOR`.
  public static var touchMinor: EventCode { absolute(0x31) }

  /// The length of the finger above the contact; the corresponding kernel constant is `ABS_MT_WIDTH_MAJOR`.
  public static var widthMajor: EventCode { absolute(0x32) }

  /// The direction of a contact's length; the corresponding kernel constant is `ABS_MT_ORIENTATION`.
  public static var orientation: EventCode { absolute(0x34) }

  /// The corresponding kernel constant is `ABS_MT_POSITION_X`.
  public static var positionX: EventCode { absolute(0x35) }

  /// The corresponding kernel constant is `ABS_MT_POSITION_Y`.
  public static var positionY: EventCode { absolute(0x36) }

  /// Finger, pen or palm; the corresponding kernel constant is `ABS_MT_TOOL_TYPE`.
  public static var toolType: EventCode { absolute(0x37) }

  /// The ID of the contact in the slot; -1 for an empty slot.
  ///
  /// The corresponding kernel constant is `ABS_MT_TRACKING_ID`.
  public static var trackingID: EventCode { absolute(0x39) }

  /// The corresponding kernel constant is `ABS_MT_PRESSURE`.
  public static var pressure: EventCode { absolute(0x3a) }

  /// The height of a hovering contact; the corresponding kernel constant is `ABS_MT_DISTANCE`.
  public static var distance: EventCode { absolute(0x3b) }

  /// The pad's own click, or its left button; the corresponding kernel constant is `BTN_LEFT`.
  public static var leftButton: EventCode { key(0x110) }

  /// A pen is in proximity; the corresponding kernel constant is `BTN_TOOL_PEN`.
  public static var toolPen: EventCode { key(0x140) }

  /// One finger; the corresponding kernel constant is `BTN_TOOL_FINGER`.
  public static var toolFinger: EventCode { key(0x145) }

  /// Five fingers; the corresponding kernel constant is `BTN_TOOL_QUINTTAP`.
  public static var toolQuintTap: EventCode { key(0x148) }

  /// Haptic effects, since Linux 6.18; older headers do not define the constant.
  ///
  /// The corresponding kernel constant is `FF_HAPTIC`.
  package static var haptic: EventCode { EventCode(type: 0x15, code: 0x4f) }

  /// The surface is touched; the corresponding kernel constant is `BTN_TOUCH`.
  public static var touch: EventCode { key(0x14a) }

  /// The button of a pen; the corresponding kernel constant is `BTN_STYLUS`.
  package static var stylus: EventCode { key(0x14b) }

  /// Two fingers; the corresponding kernel constant is `BTN_TOOL_DOUBLETAP`.
  public static var toolDoubleTap: EventCode { key(0x14d) }

  /// Three fingers; the corresponding kernel constant is `BTN_TOOL_TRIPLETAP`.
  public static var toolTripleTap: EventCode { key(0x14e) }

  /// Four fingers; the corresponding kernel constant is `BTN_TOOL_QUADTAP`.
  public static var toolQuadTap: EventCode { key(0x14f) }
}
