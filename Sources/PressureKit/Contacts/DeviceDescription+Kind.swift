extension DeviceDescription {
  /// A pad without a hinge, which feels how hard it is pressed; older headers do not name it.
  ///
  /// The corresponding kernel constant is `INPUT_PROP_PRESSUREPAD`.
  static let pressurePad: UInt16 = 7

  /// What is touched directly, as screens are.
  ///
  /// The corresponding kernel constant is `INPUT_PROP_DIRECT`.
  private static let direct: UInt16 = 1

  /// What udev takes it for, if it is touched at all.
  package var kind: Quirk.DeviceKind {
    properties.contains(DeviceDescription.direct) ? .touchscreen : .touchpad
  }

  package var isPressurePad: Bool { properties.contains(DeviceDescription.pressurePad) }

  /// Whether the axis of a single touch adds up what all slots say.
  ///
  /// It is that of the oldest contact elsewhere. Where the kernel drives a haptic pad it sums up the
  /// pressures of all slots, and gives both axes one range.
  ///
  /// The corresponding kernel constant is `INPUT_MT_TOTAL_FORCE`, which nobody else is told.
  package var statesTotal: Bool {
    effects.contains(EventCode.haptic.code) && has(.slot) && has(.pressure)
      && axis(.singlePressure) == axis(.pressure)
  }

  /// Whether the device tells contacts apart by slots; a device that is no touch device is refused.
  package func hasSlots() throws(UnsupportedDeviceError) -> Bool {
    if isKeyboard { throw .keyboard }
    if has(.slot), has(.beforeSlot) { throw .fakeSlots }
    if let slot = axis(.slot) {
      guard has(.positionX), has(.positionY), has(.trackingID) else { throw .incompleteSlots }
      guard slot.maximum >= 0, slot.maximum < Surface.maximumSlots else { throw .tooManySlots }
      return true
    }
    if has(.positionX), has(.positionY) { throw .protocolA }
    guard has(.x), has(.y) else { throw .noPosition }
    if hasKey(.toolPen) { throw .pen }
    guard hasTouch else { throw .noTouch }
    return false
  }

  /// From KEY_1 to KEY_SLASH and KEY_SPACE: touchscreens may have a home key, but no letters.
  private var isKeyboard: Bool {
    keys?.contains { (2...53).contains($0) || $0 == 57 } ?? false
  }

  /// A header that lists no keys is believed where it lists a pressure.
  private var hasTouch: Bool {
    keys == nil ? has(.singlePressure) : hasKey(.touch)
  }
}
