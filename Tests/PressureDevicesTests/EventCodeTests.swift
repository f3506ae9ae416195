import CEvdev
import Testing

@testable import PressureKit

/// PressureKit imports nothing, so its codes are compared with the kernel's header here.
struct EventCodeTests {
  @Test(arguments: [
    (EventCode.x, ABS_X), (.y, ABS_Y), (.singlePressure, ABS_PRESSURE),
    (.beforeSlot, ABS_MT_SLOT - 1), (.slot, ABS_MT_SLOT), (.touchMajor, ABS_MT_TOUCH_MAJOR),
    (.touchMinor, ABS_MT_TOUCH_MINOR), (.widthMajor, ABS_MT_WIDTH_MAJOR),
    (.orientation, ABS_MT_ORIENTATION),
    (.positionX, ABS_MT_POSITION_X), (.positionY, ABS_MT_POSITION_Y),
    (.toolType, ABS_MT_TOOL_TYPE), (.trackingID, ABS_MT_TRACKING_ID),
    (.pressure, ABS_MT_PRESSURE), (.distance, ABS_MT_DISTANCE),
  ])
  func `axis codes equal the kernel's`(code: EventCode, number: Int32) {
    #expect(Int32(code.type) == EV_ABS)
    #expect(Int32(code.code) == number)
  }

  @Test(arguments: [
    (EventCode.toolPen, BTN_TOOL_PEN), (.toolFinger, BTN_TOOL_FINGER),
    (.toolQuintTap, BTN_TOOL_QUINTTAP), (.touch, BTN_TOUCH),
    (.toolDoubleTap, BTN_TOOL_DOUBLETAP), (.toolTripleTap, BTN_TOOL_TRIPLETAP),
    (.toolQuadTap, BTN_TOOL_QUADTAP),
  ])
  func `key codes equal the kernel's`(code: EventCode, number: Int32) {
    #expect(Int32(code.type) == EV_KEY)
    #expect(Int32(code.code) == number)
  }

  @Test(arguments: [
    (EventCode.report, SYN_REPORT), (.multitouchReport, SYN_MT_REPORT), (.dropped, SYN_DROPPED),
  ])
  func `synchronization codes equal the kernel's`(code: EventCode, number: Int32) {
    #expect(Int32(code.type) == EV_SYN)
    #expect(Int32(code.code) == number)
  }

  @Test func `the code of haptic effects equals the kernel's`() {
    #expect(Int32(EventCode.haptic.type) == EV_FF)
    #expect(Int(EventCode.haptic.code) == pressured_ff_haptic)
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
