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
