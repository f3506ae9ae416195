internal import CEvdev
internal import Glibc
internal import PressureSystem

/// An effect that a device holds ready, from its upload until it is let go.
///
/// The device must be open for writing, and outlive the effect.
struct HapticEffect: ~Copyable {
  private let device: Int32
  private let number: Int16
  private var hasFailed = false

  /// Uploads an effect to an open device.
  ///
  /// - Throws: why the device does not take it.
  init(_ effect: ff_effect, to device: Int32, node: String) throws(SystemError) {
    var effect = effect
    try SystemError.checkErrno(
      pressured_upload_effect(device, &effect), "give \(node) an effect to play")
    self.device = device
    number = effect.id
  }

  deinit {
    // A device that is gone has forgotten it already.
    _ = pressured_erase_effect(device, Int(number))
  }

  /// Plays it once, without waiting for it to end.
  ///
  /// - Returns: the first fault, so that it is said once; never that the device is gone, which
  ///   reading it tells.
  mutating func play(node: String) -> SystemError? {
    var order = input_event()
    order.type = UInt16(EV_FF)
    order.code = UInt16(bitPattern: number)
    order.value = 1
    guard write(device, &order, MemoryLayout<input_event>.size) < 0, errno != ENODEV else {
      return nil
    }
    let fault = SystemError(attempt: "play the effect of \(node)", number: errno)
    defer { hasFailed = true }
    return hasFailed ? nil : fault
  }
}
