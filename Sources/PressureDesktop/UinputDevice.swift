internal import CEvdev
internal import Glibc
internal import PressureKit
package import PressureSystem

/// A virtual input device, which exists as long as this object.
final class UinputDevice {
  private let device: OpaquePointer
  private let file: Int32
  private var events: [input_event] = []

  /// Creates the device after `describe` has added properties and codes; `attempt` is for errors.
  init(_ name: String, attempt: String, describe: (OpaquePointer) -> Void) throws(SystemError) {
    guard let model = libevdev_new() else { throw SystemError(attempt: attempt, number: ENOMEM) }
    defer { libevdev_free(model) }
    libevdev_set_name(model, name)
    describe(model)
    var device: OpaquePointer?
    let mode = LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue
    try SystemError.check(libevdev_uinput_create_from_device(model, mode, &device), attempt)
    guard let device else { throw SystemError(attempt: attempt, number: ENOMEM) }
    self.device = device
    file = libevdev_uinput_get_fd(device)
    events.reserveCapacity(8)
  }

  deinit { libevdev_uinput_destroy(device) }

  func add(_ code: EventCode, _ value: Int32) {
    var event = input_event()
    (event.type, event.code, event.value) = (code.type, code.code, value)
    events.append(event)
  }

  /// Ends the frame and writes it; returns 0, or the error number.
  @discardableResult
  func write() -> Int32 {
    add(.report, 0)
    defer { events.removeAll(keepingCapacity: true) }
    return events.withUnsafeBytes { bytes in
      Glibc.write(file, bytes.baseAddress, bytes.count) < 0 ? errno : 0
    }
  }
}

/// The keys and buttons that bindings press, on a separate device.
final class VirtualKeys {
  private let device: UinputDevice

  /// The keys that are down, in the order in which they were pressed.
  private var down: [EventCode] = []

  init(_ keys: Set<EventCode>) throws(SystemError) {
    device = try UinputDevice(
      "pressured bind", attempt: "create a virtual input device through /dev/uinput"
    ) { model in
      for key in keys { libevdev_enable_event_code(model, UInt32(key.type), UInt32(key.code), nil) }
    }
  }

  deinit { hold([]) }

  /// Releases the keys that are not in a list, and presses those that are; several presses may hold a key.
  func hold(_ keys: [EventCode]) {
    let changes = VirtualKeys.changes(from: down, to: keys)
    for (key, isDown) in changes {
      device.add(key, isDown ? 1 : 0)
      device.write()
    }
    down = down.filter(keys.contains) + changes.filter(\.isDown).map(\.key)
  }

  /// Presses and releases a key, unless it is held.
  func tap(_ key: EventCode) {
    guard !down.contains(key) else { return }
    hold(down + [key])
    hold(down.dropLast())
  }

  /// What releases and presses keys: the last one pressed is released first.
  static func changes(
    from down: [EventCode], to keys: [EventCode]
  ) -> [(key: EventCode, isDown: Bool)] {
    var changes = down.reversed().filter { !keys.contains($0) }.map { (key: $0, isDown: false) }
    for key in keys where !down.contains(key) && !changes.contains(where: { $0 == (key, true) }) {
      changes.append((key, true))
    }
    return changes
  }
}

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

  /// Reports a frame; returns why the kernel does not accept it.
  ///
  /// All values are written, as the kernel drops those that have not changed; one system call, as each costs more than
  /// the frame.
  package func write(_ frame: PenFrame) -> SystemError? {
    device.add(.x, frame.x)
    device.add(.y, frame.y)
    device.add(.singlePressure, frame.pressure)
    device.add(.toolPen, frame.isNear ? 1 : 0)
    device.add(.touch, frame.isTouching ? 1 : 0)
    device.add(.stylus, frame.isButtonDown ? 1 : 0)
    let number = device.write()
    return number == 0 ? nil : SystemError(attempt: "write to the pen's device", number: number)
  }
}

/// This user's access to /dev/uinput, through which programs create input devices.
package enum UinputAccess {
  /// Whether this user may create input devices; 0, or the error number of opening the node.
  package static func obstacle() -> Int32 {
    let file = open("/dev/uinput", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return errno }
    close(file)
    return 0
  }

  /// Whether a right is missing, by the error number.
  package static func isRight(_ number: Int32) -> Bool {
    [ENOENT, ENODEV, EACCES, EPERM].contains(number)
  }

  /// What the user can do about an error, as the end of its message; nil if it is not one of permissions.
  package static func advice(for number: Int32) -> String? {
    isRight(number)
      ? "to let programs of the user at the machine press keys, run: sudo pressured bind --allow-keys"
      : nil
  }
}
