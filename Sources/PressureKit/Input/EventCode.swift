/// What an input event speaks of: its type and its code, which mean nothing apart.
///
/// The numbers are those of the kernel's `input-event-codes.h`; a test compares them with the header.
public struct EventCode: Hashable, Sendable {
  /// The type in the upper half, the code in the lower one.
  public let rawValue: UInt32

  public init(type: UInt16, code: UInt16) {
    rawValue = UInt32(type) << 16 | UInt32(code)
  }

  /// The corresponding kernel field is `input_event.type`.
  public var type: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }

  /// The corresponding kernel field is `input_event.code`.
  public var code: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

extension EventCode {
  static func synchronization(_ code: UInt16) -> EventCode { EventCode(type: 0x00, code: code) }

  /// A key or button.
  ///
  /// The corresponding kernel constant is `EV_KEY`.
  public static func key(_ code: UInt16) -> EventCode { EventCode(type: 0x01, code: code) }

  /// An absolute axis.
  ///
  /// The corresponding kernel constant is `EV_ABS`.
  public static func absolute(_ code: UInt16) -> EventCode { EventCode(type: 0x03, code: code) }
}

extension EventCode {
  /// The end of a frame.
  ///
  /// The corresponding kernel constant is `SYN_REPORT`.
  public static let report = synchronization(0)

  /// The end of a contact in protocol A.
  ///
  /// The corresponding kernel constant is `SYN_MT_REPORT`.
  public static let multitouchReport = synchronization(2)

  /// Events were lost.
  ///
  /// The corresponding kernel constant is `SYN_DROPPED`.
  public static let dropped = synchronization(3)

  /// The corresponding kernel constant is `ABS_X`.
  public static let x = absolute(0x00)

  /// The corresponding kernel constant is `ABS_Y`.
  public static let y = absolute(0x01)

  /// The corresponding kernel constant is `ABS_PRESSURE`.
  public static let singlePressure = absolute(0x18)

  /// An axis that only game pads have; with it, `slot` is not a slot.
  ///
  /// It has no name in the kernel.
  public static let beforeSlot = absolute(0x2e)

  /// The slot that the following axes belong to.
  ///
  /// The corresponding kernel constant is `ABS_MT_SLOT`.
  public static let slot = absolute(0x2f)

  /// Length of a contact.
  ///
  /// The corresponding kernel constant is `ABS_MT_TOUCH_MAJOR`.
  public static let touchMajor = absolute(0x30)

  /// The corresponding kernel constant is `ABS_MT_POSITION_X`.
  public static let positionX = absolute(0x35)

  /// The corresponding kernel constant is `ABS_MT_POSITION_Y`.
  public static let positionY = absolute(0x36)

  /// Finger, pen or palm.
  ///
  /// The corresponding kernel constant is `ABS_MT_TOOL_TYPE`.
  public static let toolType = absolute(0x37)

  /// Who is in the slot, -1 for nobody.
  ///
  /// The corresponding kernel constant is `ABS_MT_TRACKING_ID`.
  public static let trackingID = absolute(0x39)

  /// The corresponding kernel constant is `ABS_MT_PRESSURE`.
  public static let pressure = absolute(0x3a)

  /// Height of a hovering contact.
  ///
  /// The corresponding kernel constant is `ABS_MT_DISTANCE`.
  public static let distance = absolute(0x3b)

  /// A pen is near.
  ///
  /// The corresponding kernel constant is `BTN_TOOL_PEN`.
  public static let toolPen = key(0x140)

  /// One finger.
  ///
  /// The corresponding kernel constant is `BTN_TOOL_FINGER`.
  public static let toolFinger = key(0x145)

  /// Five fingers.
  ///
  /// The corresponding kernel constant is `BTN_TOOL_QUINTTAP`.
  public static let toolQuintTap = key(0x148)

  /// Something touches.
  ///
  /// The corresponding kernel constant is `BTN_TOUCH`.
  public static let touch = key(0x14a)

  /// Two fingers.
  ///
  /// The corresponding kernel constant is `BTN_TOOL_DOUBLETAP`.
  public static let toolDoubleTap = key(0x14d)

  /// Three fingers.
  ///
  /// The corresponding kernel constant is `BTN_TOOL_TRIPLETAP`.
  public static let toolTripleTap = key(0x14e)

  /// Four fingers.
  ///
  /// The corresponding kernel constant is `BTN_TOOL_QUADTAP`.
  public static let toolQuadTap = key(0x14f)
}
