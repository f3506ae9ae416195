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

  /// Plays the effect once, without waiting for its end; returns the first error, except the removal of the device.
  mutating func play(node: String) -> SystemError? {
    var event = input_event()
    event.type = UInt16(EV_FF)
    event.code = UInt16(bitPattern: number)
    event.value = 1
    let errorNumber: Int32
    switch withUnsafeBytes(of: &event, { DescriptorWriter.write($0, to: device) }) {
    case .written, .failed(ENODEV): return nil
    case .blocked: errorNumber = EAGAIN
    case .failed(let number): errorNumber = number
    }
    let error = SystemError(attempt: "play the haptic effect of \(node)", number: errorNumber)
    defer { hasFailed = true }
    return hasFailed ? nil : error
  }
}

enum Pulse: Hashable {
  /// The click of a haptic touchpad.
  ///
  /// The corresponding kernel constant is `FF_HAPTIC`, with the HID usage CLICK. The usages PRESS and RELEASE would
  /// make the touchpad leave all its clicks to the host.
  case click

  /// A short rumble of the motors; the corresponding kernel constant is `FF_RUMBLE`.
  case rumble

  /// In milliseconds.
  static let rumbleLength: UInt16 = 30

  /// Selects `click` before `rumble`; nil if the device has neither.
  init?(libevdev device: OpaquePointer) {
    func has(_ code: UInt32) -> Bool { libevdev_has_event_code(device, UInt32(EV_FF), code) == 1 }
    if has(UInt32(pressured_ff_haptic)) {
      self = .click
    } else if has(UInt32(FF_RUMBLE)) {
      self = .rumble
    } else {
      return nil
    }
  }

  /// The effect in the kernel's structure, with the id -1 of a new one; the intensity is 0…100.
  func effect(intensityPercent: Int) -> ff_effect {
    var effect = ff_effect()
    effect.id = -1
    switch self {
    case .click:
      effect.type = UInt16(pressured_ff_haptic)
      var click = pressured_haptic_effect()
      click.hid_usage = UInt16(pressured_waveform_click)
      click.intensity = UInt16(clamping: intensityPercent)
      // The union in older headers has no member for haptic effects.
      withUnsafeMutableBytes(of: &effect.u) {
        $0.storeBytes(of: click, as: pressured_haptic_effect.self)
      }
    case .rumble:
      effect.type = UInt16(FF_RUMBLE)
      effect.replay.length = Pulse.rumbleLength
      let magnitude = UInt16(clamping: intensityPercent * Int(UInt16.max) / 100)
      effect.u.rumble = ff_rumble_effect(strong_magnitude: magnitude, weak_magnitude: magnitude)
    }
    return effect
  }
}
