internal import CEvdev
internal import PressureKit
package import PressureSystem

/// Keeping a device's touches from everybody else.
extension EvdevDevice {
  /// Whether something touches it or is held down, as the kernel knows now: what is not read yet counts.
  ///
  /// Events may be waiting afterwards that do not wake the loop; `hasMore` says so.
  package func isTouched() -> Bool {
    // The kernel takes keys out of our queue when it is asked for them.
    readAhead()
    let isAnyKeyDown = isAnyKeyDown()
    return isAnySlotTaken || isAnyKeyDown
  }

  /// Takes the device for us alone, if nothing touches it.
  ///
  /// The kernel is asked afterwards: of what touches it then, the desktop may have seen the beginning.
  ///
  /// - Returns: false where something touches it; the device is everybody's then.
  /// - Throws: why the kernel refuses, with `EBUSY` where another program has it.
  package func grab() throws(SystemError) -> Bool {
    guard !isTouched() else { return false }
    try SystemError.check(libevdev_grab(device, LIBEVDEV_GRAB), "grab \(node)")
    guard isTouched() else { return true }
    ungrab()
    return false
  }

  /// Gives the device back to everybody; one that is gone is nobody's anyway.
  package func ungrab() {
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
  private func isAnyKeyDown() -> Bool {
    var bits = [UInt8](repeating: 0, count: Int(KEY_CNT) / 8)
    guard pressured_keys(descriptor, &bits, bits.count) >= 0 else { return false }
    let isChanged = (0..<Int(KEY_CNT)).contains { code in
      let isDown = bits[code / 8] >> (code % 8) & 1 == 1
      let (type, code) = (UInt32(EV_KEY), UInt32(code))
      return libevdev_has_event_code(device, type, code) == 1
        && isDown != (libevdev_get_event_value(device, type, code) != 0)
    }
    // What came after the queue was read is lost; libevdev finds out what has changed.
    if isChanged { resynchronize() }
    return bits.contains { $0 != 0 }
  }
}
