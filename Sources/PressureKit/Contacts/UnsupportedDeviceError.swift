/// Why a device is not read.
public enum UnsupportedDeviceError: Error, Hashable, Sendable {
  /// It can be typed on; reading it would be eavesdropping.
  case keyboard
  /// It says no place: no X or no Y axis.
  case noPosition
  /// It numbers its axes through, as game pads do, so that two of them look like slots.
  case fakeSlots
  /// It has slots, but not the axes that belong to them.
  case incompleteSlots
  /// It lists all contacts anew in every frame, which no driver of today's kernel does.
  case protocolA
  /// It is a pen's tablet.
  case pen
  /// It has a place but no touch: a mouse, a joystick, a sensor of motion.
  case noTouch
  /// It declares more slots than any kernel makes.
  case tooManySlots

  /// One sentence for people, without the device's name.
  public var sentence: String {
    switch self {
    case .keyboard: "it has the keys of a keyboard, which pressured never reads"
    case .noPosition: "it is no touch device: it has no X and Y axes"
    case .fakeSlots:
      "its axes only look like slots: it has axis 0x2e beside ABS_MT_SLOT (0x2f), as game pads do"
    case .incompleteSlots:
      "it has slots, but not the positions and tracking ids that belong to them"
    case .protocolA:
      "it speaks protocol A (SYN_MT_REPORT, no slots), which pressured does not read"
    case .pen: "it is a pen tablet (BTN_TOOL_PEN), not a touch device"
    case .noTouch: "it is no touch device: it has neither slots nor BTN_TOUCH"
    case .tooManySlots: "it declares more than \(Surface.maximumSlots) slots"
    }
  }
}
