import CEvdev
import Testing

@testable import PressureKit

/// PressureKit imports nothing, so its codes are compared with the kernel's header here.
struct EventCodeTests {
  @Test(
    arguments: [
      (EV_ABS, .x, ABS_X), (EV_ABS, .y, ABS_Y), (EV_ABS, .singlePressure, ABS_PRESSURE),
      (EV_ABS, .beforeSlot, ABS_MT_SLOT - 1), (EV_ABS, .slot, ABS_MT_SLOT),
      (EV_ABS, .touchMajor, ABS_MT_TOUCH_MAJOR), (EV_ABS, .touchMinor, ABS_MT_TOUCH_MINOR),
      (EV_ABS, .widthMajor, ABS_MT_WIDTH_MAJOR), (EV_ABS, .orientation, ABS_MT_ORIENTATION),
      (EV_ABS, .positionX, ABS_MT_POSITION_X), (EV_ABS, .positionY, ABS_MT_POSITION_Y),
      (EV_ABS, .toolType, ABS_MT_TOOL_TYPE), (EV_ABS, .trackingID, ABS_MT_TRACKING_ID),
      (EV_ABS, .pressure, ABS_MT_PRESSURE), (EV_ABS, .distance, ABS_MT_DISTANCE),
      (EV_KEY, .toolPen, BTN_TOOL_PEN), (EV_KEY, .toolFinger, BTN_TOOL_FINGER),
      (EV_KEY, .toolQuintTap, BTN_TOOL_QUINTTAP), (EV_KEY, .touch, BTN_TOUCH),
      (EV_KEY, .toolDoubleTap, BTN_TOOL_DOUBLETAP), (EV_KEY, .toolTripleTap, BTN_TOOL_TRIPLETAP),
      (EV_KEY, .toolQuadTap, BTN_TOOL_QUADTAP), (EV_SYN, .report, SYN_REPORT),
      (EV_SYN, .multitouchReport, SYN_MT_REPORT), (EV_SYN, .dropped, SYN_DROPPED),
      (EV_FF, .haptic, Int32(pressured_ff_haptic)),
    ] as [(Int32, EventCode, Int32)])
  func `a code equals the kernel's`(type: Int32, code: EventCode, number: Int32) {
    #expect(Int32(code.type) == type)
    #expect(Int32(code.code) == number)
  }

  @Test func `the palm tool type equals the kernel's`() {
    #expect(SlotValues.palm == MT_TOOL_PALM)
  }

  @Test func `the key codes that identify a keyboard equal the kernel's`() throws {
    var pad = DeviceDescription()
    for code in [EventCode.slot, .trackingID, .positionX, .positionY] {
      pad.axes[code.code] = Axis(minimum: 0, maximum: 1)
    }
    for key in [KEY_1, KEY_A, KEY_SLASH, KEY_SPACE] {
      pad.keys = [UInt16(key)]
      #expect(throws: UnsupportedDeviceError.keyboard) { try Surface(pad) }
    }
    for key in [KEY_ESC, KEY_HOME, KEY_HOMEPAGE, BTN_LEFT] {
      pad.keys = [UInt16(key)]
      _ = try Surface(pad)
    }
  }
}
