internal import CEvdev
internal import Glibc
internal import PressureKit
internal import PressureSystem

/// A uinput device with the keys and buttons that bindings press.
final class VirtualKeys {
  /// The name of the device, which desktops list.
  private static let name = "pressured bind"

  private let device: OpaquePointer
  private var held = HeldKeys()

  /// Creates the device.
  ///
  /// - Parameter keys: the keys and buttons that it has, at least one.
  /// - Throws: an error if the kernel does not allow it.
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

  private static let attempt = "create a virtual input device through /dev/uinput"
}

/// Reference counts of the keys that presses hold; a key is released with the last press that holds it.
struct HeldKeys {
  private var counts: [EventCode: Int] = [:]

  /// The keys that are down.
  var down: Set<EventCode> { Set(counts.keys) }

  /// Adds a press that holds a key; returns true if the key was up.
  mutating func press(_ key: EventCode) -> Bool {
    counts[key, default: 0] += 1
    return counts[key] == 1
  }

  /// Removes a press that holds a key; returns true if it was the last.
  mutating func release(_ key: EventCode) -> Bool {
    guard let count = counts[key] else { return false }
    counts[key] = count > 1 ? count - 1 : nil
    return count == 1
  }
}
