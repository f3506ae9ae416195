internal import CEvdev
internal import Glibc
internal import PressureSystem

/// A force feedback effect that is uploaded to a device, and erased when this value is destroyed.
///
/// The device must be open for writing and outlive the effect.
struct HapticEffect: ~Copyable {
  private let device: Int32
  private let number: Int16
  private var hasFailed = false

  init(_ effect: ff_effect, to device: Int32, node: String) throws(SystemError) {
    var effect = effect
    try SystemError.checkErrno(
      pressured_upload_effect(device, &effect), "upload a haptic effect to \(node)")
    self.device = device
    number = effect.id
  }

  deinit {
    // Fails if the device is removed, which has erased it.
    _ = pressured_erase_effect(device, Int(number))
  }

  /// Plays the effect once, without waiting for its end; logs the first error, except the removal of the device.
  mutating func play(node: String) {
    var event = input_event()
    event.type = UInt16(EV_FF)
    event.code = UInt16(bitPattern: number)
    event.value = 1
    let code = withUnsafeBytes(of: &event) { DescriptorWriter.writeAll($0, to: device) }
    guard code != 0, code != ENODEV, !hasFailed else { return }
    hasFailed = true
    Log.warning(SystemError(attempt: "play the haptic effect of \(node)", number: code).sentence)
  }
}

extension ff_effect {
  /// In milliseconds.
  private static let rumbleLength: UInt16 = 30

  /// The best effect that a device can play, with an intensity of 0…100 and the id -1 of a new one; nil if it has none.
  ///
  /// That is the click of a haptic touchpad, or else a short rumble of the motors. The corresponding kernel constants are
  /// `FF_HAPTIC`, with the HID usage CLICK, and `FF_RUMBLE`. The usages PRESS and RELEASE would make the touchpad leave all its
  /// clicks to the host.
  init?(bestOf device: OpaquePointer, intensityPercent: Int) {
    func has(_ code: UInt32) -> Bool { libevdev_has_event_code(device, UInt32(EV_FF), code) == 1 }
    self.init()
    id = -1
    if has(UInt32(pressured_ff_haptic)) {
      type = UInt16(pressured_ff_haptic)
      var click = pressured_haptic_effect()
      click.hid_usage = UInt16(pressured_waveform_click)
      click.intensity = UInt16(clamping: intensityPercent)
      // The union in older headers has no member for haptic effects.
      withUnsafeMutableBytes(of: &u) { $0.storeBytes(of: click, as: pressured_haptic_effect.self) }
    } else if has(UInt32(FF_RUMBLE)) {
      type = UInt16(FF_RUMBLE)
      replay.length = ff_effect.rumbleLength
      let magnitude = UInt16(clamping: intensityPercent * Int(UInt16.max) / 100)
      u.rumble = ff_rumble_effect(strong_magnitude: magnitude, weak_magnitude: magnitude)
    } else {
      return nil
    }
  }
}
