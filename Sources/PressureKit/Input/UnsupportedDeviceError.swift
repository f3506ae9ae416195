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
    case .pen:
      "it is a pen tablet (BTN_TOOL_PEN, BTN_STYLUS or ABS_TILT_X), not a touch device"
    case .noTouch: "it is not a touch device: it has neither slots nor BTN_TOUCH"
    case .tooManySlots: "it declares more than \(Surface.maximumSlots) slots"
    }
  }
}
