internal import CEvdev
internal import PressureKit
package import PressureSystem

/// A uinput device that udev and libinput take for the pen of a tablet.
package final class VirtualPen {
  private let device: UinputDevice

  package init(_ mapping: PenMapping) throws(SystemError) {
    device = try UinputDevice(
      "pressured pen", attempt: "create a virtual pen through /dev/uinput"
    ) { model in
      libevdev_set_id_bustype(model, BUS_VIRTUAL)
      // The pen draws where its position is, like that of a tablet with a screen.
      libevdev_enable_property(model, UInt32(INPUT_PROP_DIRECT))
      for key in [BTN_TOOL_PEN, BTN_TOUCH, BTN_STYLUS, BTN_STYLUS2] {
        libevdev_enable_event_code(model, UInt32(EV_KEY), UInt32(key), nil)
      }
      let resolution = Int32(PenMapping.unitsPerMillimeter)
      for (code, maximum, resolution) in [
        (ABS_X, mapping.maximumX, resolution), (ABS_Y, mapping.maximumY, resolution),
        (ABS_PRESSURE, PenForce.maximum, 0),
      ] {
        var axis = input_absinfo()
        (axis.maximum, axis.resolution) = (maximum, resolution)
        libevdev_enable_event_code(model, UInt32(EV_ABS), UInt32(code), &axis)
      }
    }
  }

  /// Reports a frame.
  ///
  /// All values are written, as the kernel drops those that have not changed; one system call, as each costs more than
  /// the frame.
  ///
  /// - Throws: why the kernel does not accept it.
  package func write(_ frame: PenFrame) throws(SystemError) {
    device.add(.x, frame.x)
    device.add(.y, frame.y)
    device.add(.singlePressure, frame.pressure)
    device.add(.toolPen, frame.isNear ? 1 : 0)
    device.add(.touch, frame.isTouching ? 1 : 0)
    device.add(.stylus, frame.isButtonDown ? 1 : 0)
    let number = device.write()
    guard number == 0 else {
      throw SystemError(attempt: "write to the pen's device", number: number)
    }
  }
}
