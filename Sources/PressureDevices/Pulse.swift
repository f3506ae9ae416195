internal import CEvdev

/// What a device can let the finger feel.
enum Pulse: Hashable {
  /// The click of a haptic pad.
  ///
  /// The corresponding kernel constant is `FF_HAPTIC`, with the HID usage CLICK. The usages PRESS and
  /// RELEASE would make the pad leave all its clicks to us.
  case click

  /// A short turn of the motors.
  ///
  /// The corresponding kernel constant is `FF_RUMBLE`.
  case rumble

  /// How long motors turn, in milliseconds.
  static let rumbleLength: UInt16 = 30

  /// The better one of those that a device has, or nil where it has none.
  init?(libevdev device: OpaquePointer) {
    func has(_ code: UInt32) -> Bool {
      libevdev_has_event_code(device, UInt32(EV_FF), code) == 1
    }
    if has(UInt32(pressured_ff_haptic)) {
      self = .click
    } else if has(UInt32(FF_RUMBLE)) {
      self = .rumble
    } else {
      return nil
    }
  }

  /// The effect as the kernel takes it, without a number yet.
  ///
  /// - Parameter intensityPercent: how strong it is, 0…100.
  /// - Returns: what is to be uploaded.
  func effect(intensityPercent: Int) -> ff_effect {
    var effect = ff_effect()
    effect.id = -1
    switch self {
    case .click:
      effect.type = UInt16(pressured_ff_haptic)
      var click = pressured_haptic_effect()
      click.hid_usage = UInt16(pressured_waveform_click)
      click.intensity = UInt16(clamping: intensityPercent)
      // The union of older headers has no member for it.
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
