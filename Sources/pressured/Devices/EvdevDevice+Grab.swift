internal import CEvdev
internal import PressureKit

/// Keeping a device's touches from everybody else.
extension EvdevDevice {
  /// Whether something touches it or is held down, as the kernel knows now: what is not read yet counts.
  var isTouched: Bool { isAnySlotTaken || isAnyKeyDown }

  /// Takes the device for us alone, if nothing touches it.
  ///
  /// The kernel is asked afterwards: of what touches it then, the desktop may have seen the beginning.
  ///
  /// - Returns: false where something touches it; the device is everybody's then.
  /// - Throws: why the kernel refuses, with `EBUSY` where another program has it.
  func grab() throws(SystemFault) -> Bool {
    guard !isTouched else { return false }
    try SystemFault.check(libevdev_grab(device, LIBEVDEV_GRAB), "grab \(node)")
    guard isTouched else { return true }
    ungrab()
    return false
  }

  /// Gives the device back to everybody; one that is gone is nobody's anyway.
  func ungrab() {
    libevdev_grab(device, LIBEVDEV_UNGRAB)
  }

  private var isAnySlotTaken: Bool {
    let count = Int(libevdev_get_num_slots(device))
    guard count > 0 else { return false }
    var values = [Int32](repeating: -1, count: 1 + count)
    values[0] = Int32(EventCode.trackingID.code)
    let result = pressured_slot_values(descriptor, &values, values.count * 4)
    return result >= 0 && values.dropFirst().contains { $0 >= 0 }
  }

  /// A button that is held is half a click.
  private var isAnyKeyDown: Bool {
    var bits = [UInt8](repeating: 0, count: Int(KEY_CNT) / 8)
    let result = pressured_keys(descriptor, &bits, bits.count)
    return result >= 0 && bits.contains { $0 != 0 }
  }
}
