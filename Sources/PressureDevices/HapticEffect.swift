internal import CEvdev
internal import Glibc
package import PressureKit
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

/// How many pulses there may be in a second, over all devices.
///
/// Time is the events' own. That of one device may be a little behind another's, and then counts as the
/// other's; one that is further back comes from another clock, and the count begins anew.
package struct PulseLimit {
  /// Microseconds in which the pulses are counted.
  private static let window: Int64 = 1_000_000

  package var pulsesPerSecond: Int

  /// When the last ones were, the oldest first; at most as many as there may be.
  private var times: [Int64] = []

  package init(pulsesPerSecond: Int) {
    self.pulsesPerSecond = pulsesPerSecond
  }

  /// Whether there may be a pulse now; it is counted then.
  package mutating func admits(at time: Timestamp) -> Bool {
    let latest = times.last ?? time.microseconds
    if latest &- time.microseconds >= PulseLimit.window { times.removeAll(keepingCapacity: true) }
    let now = max(time.microseconds, times.last ?? time.microseconds)
    let tooMany = times.count - pulsesPerSecond
    if tooMany >= 0 {
      guard now &- times[tooMany] >= PulseLimit.window else { return false }
      times.removeFirst(tooMany + 1)
    }
    times.append(now)
    return true
  }
}
