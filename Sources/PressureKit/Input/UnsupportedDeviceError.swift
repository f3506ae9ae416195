/// The reason why a device is not read.
public enum UnsupportedDeviceError: Error, Hashable, Sendable {
  /// It is a keyboard; reading it would allow eavesdropping.
  case keyboard
  /// It has no X or no Y axis.
  case noPosition
  /// Its axis numbers are contiguous, as on game pads, so that two of them look like slots.
  case fakeSlots
  /// It has slots but lacks the axes that belong to them.
  case incompleteSlots
  /// It uses multi-touch protocol A, which no driver of a current kernel does.
  case protocolA
  /// It is a pen tablet.
  case pen
  /// It has a position but no touch: a mouse, a joystick or a motion sensor.
  case noTouch
  /// It declares more slots than the kernel allows.
  case tooManySlots
}

extension UnsupportedDeviceError: CustomStringConvertible {
  /// The reason as a clause for users, without the device's name.
  public var description: String {
    switch self {
    case .keyboard: "it has the keys of a keyboard, which pressured never reads"
    case .noPosition: "it is not a touch device: it has no X and Y axes"
    case .fakeSlots:
      "its axes only look like slots: it has axis 0x2e beside ABS_MT_SLOT (0x2f), as game pads do"
    case .incompleteSlots:
      "it has slots, but lacks their positions or tracking IDs"
    case .protocolA:
      "it uses multi-touch protocol A (SYN_MT_REPORT, no slots), which pressured does not support"
    case .pen: "it is a pen tablet (BTN_TOOL_PEN), not a touch device"
    case .noTouch: "it is not a touch device: it has neither slots nor BTN_TOUCH"
    case .tooManySlots: "it declares more than \(Surface.maximumSlots) slots"
    }
  }
}

extension DeviceDescription {
  /// A touchpad that measures force; older headers do not define the constant.
  ///
  /// The corresponding kernel constant is `INPUT_PROP_PRESSUREPAD`.
  static let pressurePad: UInt16 = 7

  /// A device that is touched directly, such as a touchscreen.
  ///
  /// The corresponding kernel constant is `INPUT_PROP_DIRECT`.
  private static let direct: UInt16 = 1

  /// The udev type, provided that it is a touch device.
  package var kind: Quirk.DeviceKind {
    properties.contains(DeviceDescription.direct) ? .touchscreen : .touchpad
  }

  package var isPressurePad: Bool { properties.contains(DeviceDescription.pressurePad) }

  /// Whether the single-touch pressure axis is the sum of the pressures of all slots.
  ///
  /// On other devices it is the pressure of the oldest contact. For haptic touchpads the kernel sums the pressures of all
  /// slots and gives both axes the same range.
  ///
  /// The corresponding kernel constant is `INPUT_MT_TOTAL_FORCE`, which is not visible in user space.
  package var statesTotal: Bool {
    effects.contains(EventCode.haptic.code) && has(.slot) && has(.pressure)
      && axis(.singlePressure) == axis(.pressure)
  }

  /// Whether the device reports contacts in slots.
  ///
  /// - Throws: `UnsupportedDeviceError` if it is not a supported touch device.
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

  /// KEY_1 to KEY_SLASH and KEY_SPACE: touchscreens may have a home key, but no letters.
  private var isKeyboard: Bool {
    keys?.contains { (2...53).contains($0) || $0 == 57 } ?? false
  }

  /// A header without a list of keys is accepted if it lists a pressure axis.
  private var hasTouch: Bool {
    keys == nil ? has(.singlePressure) : hasKey(.touch)
  }
}
