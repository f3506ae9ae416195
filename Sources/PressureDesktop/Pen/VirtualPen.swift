internal import CEvdev
internal import Glibc
package import PressureSystem

/// A uinput device that udev and libinput take for the pen of a tablet.
package final class VirtualPen {
  /// The name of the device, which desktops list.
  package static let name = "pressured pen"

  private let device: OpaquePointer
  private let file: Int32

  /// The events of a frame, written at once.
  private var events: [input_event] = []

  /// Creates the device.
  ///
  /// - Parameter mapping: the ranges of the axes.
  /// - Throws: an error if the kernel does not allow it.
  package init(_ mapping: PenMapping) throws(SystemError) {
    guard let model = libevdev_new() else {
      throw SystemError(attempt: VirtualPen.attempt, number: ENOMEM)
    }
    defer { libevdev_free(model) }
    libevdev_set_name(model, VirtualPen.name)
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
    var device: OpaquePointer?
    let mode = LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue
    try SystemError.check(
      libevdev_uinput_create_from_device(model, mode, &device), VirtualPen.attempt)
    guard let device else { throw SystemError(attempt: VirtualPen.attempt, number: ENOMEM) }
    self.device = device
    file = libevdev_uinput_get_fd(device)
    events.reserveCapacity(8)
  }

  deinit {
    libevdev_uinput_destroy(device)
  }

  /// The node of the device, or nil if the kernel does not state it.
  package var node: String? {
    libevdev_uinput_get_devnode(device).map { String(cString: $0) }
  }

  /// Reports a frame.
  ///
  /// All values are written, as the kernel drops those that have not changed; one system call, as each costs more than
  /// the frame.
  ///
  /// - Throws: why the kernel does not accept it.
  package func write(_ frame: PenFrame) throws(SystemError) {
    events.removeAll(keepingCapacity: true)
    add(EV_ABS, ABS_X, frame.x)
    add(EV_ABS, ABS_Y, frame.y)
    add(EV_ABS, ABS_PRESSURE, frame.pressure)
    add(EV_KEY, BTN_TOOL_PEN, frame.isNear ? 1 : 0)
    add(EV_KEY, BTN_TOUCH, frame.isTouching ? 1 : 0)
    add(EV_KEY, BTN_STYLUS, frame.isButtonDown ? 1 : 0)
    add(EV_SYN, SYN_REPORT, 0)
    let (count, number) = events.withUnsafeBytes { bytes in
      (Glibc.write(file, bytes.baseAddress, bytes.count), errno)
    }
    guard count < 0 else { return }
    throw SystemError(attempt: "write to the pen's device", number: number)
  }

  private func add(_ type: Int32, _ code: Int32, _ value: Int32) {
    var event = input_event()
    (event.type, event.code, event.value) = (UInt16(type), UInt16(code), value)
    events.append(event)
  }

  private static let attempt = "create a virtual pen through /dev/uinput"
}
