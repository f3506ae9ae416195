internal import CEvdev
internal import Glibc
internal import PressureKit
internal import PressureSystem

/// A device of our own making, with just the keys and buttons that bindings press.
final class VirtualKeys {
  /// What the device is called, in the lists of desktops too.
  private static let name = "pressured bind"

  private let device: OpaquePointer
  private var held = HeldKeys()

  /// Makes the device.
  ///
  /// - Parameter keys: those that it is to have, at least one.
  /// - Throws: why the kernel does not let us.
  init(_ keys: Set<EventCode>) throws(SystemError) {
    guard let model = libevdev_new() else {
      throw SystemError(attempt: VirtualKeys.attempt, number: ENOMEM)
    }
    defer { libevdev_free(model) }
    libevdev_set_name(model, VirtualKeys.name)
    for key in keys {
      libevdev_enable_event_code(model, UInt32(key.type), UInt32(key.code), nil)
    }
    var device: OpaquePointer?
    let mode = LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue
    try SystemError.check(
      libevdev_uinput_create_from_device(model, mode, &device), VirtualKeys.attempt)
    guard let device else { throw SystemError(attempt: VirtualKeys.attempt, number: ENOMEM) }
    self.device = device
  }

  deinit {
    releaseAll()
    libevdev_uinput_destroy(device)
  }

  func press(_ key: EventCode) {
    if held.press(key) { write(key, 1) }
  }

  func release(_ key: EventCode) {
    if held.release(key) { write(key, 0) }
  }

  private func releaseAll() {
    for key in held.down { write(key, 0) }
  }

  private func write(_ key: EventCode, _ value: Int32) {
    libevdev_uinput_write_event(device, UInt32(key.type), UInt32(key.code), value)
    let report = EventCode.report
    libevdev_uinput_write_event(device, UInt32(report.type), UInt32(report.code), 0)
  }

  private static let attempt = "make a device that presses keys through /dev/uinput"

  /// What to do where there is none, to stand behind a fault's sentence.
  static func advice(for fault: SystemError) -> String {
    switch fault.number {
    case ENOENT, ENODEV: "load the kernel's module by modprobe uinput"
    default: "let your group write it by a udev rule; docs/force-click.md has one"
    }
  }
}
