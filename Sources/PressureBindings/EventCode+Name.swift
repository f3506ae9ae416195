internal import CEvdev
internal import PressureKit

extension EventCode {
  /// Finds a key or button by the name that the kernel's header gives it, as in `BTN_MIDDLE`.
  ///
  /// Nil also for names that are not of a key but of the range's ends, `KEY_RESERVED` and `KEY_MAX`.
  init?(keyName: String) {
    let number = libevdev_event_code_from_name(UInt32(EV_KEY), keyName)
    guard number > KEY_RESERVED, number < KEY_MAX else { return nil }
    self = .key(UInt16(number))
  }
}
