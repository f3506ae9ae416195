import CEvdev
import Testing

@testable import PressureKit

/// PressureKit imports nothing, so its numbers are held against the kernel's header here.
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
  func `an axis has the kernel's number`(code: EventCode, number: Int32) {
    #expect(Int32(code.type) == EV_ABS)
    #expect(Int32(code.code) == number)
  }

  @Test(arguments: [
    (EventCode.toolPen, BTN_TOOL_PEN), (.toolFinger, BTN_TOOL_FINGER),
    (.toolQuintTap, BTN_TOOL_QUINTTAP), (.touch, BTN_TOUCH),
    (.toolDoubleTap, BTN_TOOL_DOUBLETAP), (.toolTripleTap, BTN_TOOL_TRIPLETAP),
    (.toolQuadTap, BTN_TOOL_QUADTAP),
  ])
  func `a key has the kernel's number`(code: EventCode, number: Int32) {
    #expect(Int32(code.type) == EV_KEY)
    #expect(Int32(code.code) == number)
  }

  @Test(arguments: [
    (EventCode.report, SYN_REPORT), (.multitouchReport, SYN_MT_REPORT), (.dropped, SYN_DROPPED),
  ])
  func `a mark of the stream has the kernel's number`(code: EventCode, number: Int32) {
    #expect(Int32(code.type) == EV_SYN)
    #expect(Int32(code.code) == number)
  }

  @Test func `the effects of haptic pads have the kernel's number`() {
    #expect(Int32(EventCode.haptic.type) == EV_FF)
    #expect(Int(EventCode.haptic.code) == pressured_ff_haptic)
  }

  @Test func `a palm has the kernel's number`() {
    #expect(SlotValues.palm == MT_TOOL_PALM)
  }

  @Test func `the keys of a keyboard have the kernel's numbers`() throws {
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
