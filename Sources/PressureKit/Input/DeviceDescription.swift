/// A device's identity, axes and keys, as reported by the kernel or by the header of a recording.
public struct DeviceDescription: Hashable, Sendable {
  /// The name given by the driver.
  public var name = ""

  /// The bus type (`BUS_*`).
  public var bus: UInt16 = 0

  /// The vendor ID.
  public var vendor: UInt16 = 0

  /// The product ID.
  public var product: UInt16 = 0

  /// The version of the product.
  public var version: UInt16 = 0

  /// The physical path, such as the port; the corresponding kernel request is `EVIOCGPHYS`.
  public var physicalPath = ""

  /// The unique ID of this unit, such as its serial number; the corresponding kernel request is `EVIOCGUNIQ`.
  public var uniqueID = ""

  /// The DMI modalias of the machine, beginning with `dmi:`; nil if unknown.
  package var dmiModalias: String?

  /// The device properties; the corresponding kernel constants are `INPUT_PROP_*`.
  public var properties: Set<UInt16> = []

  /// The absolute axes by code.
  public var axes: [UInt16: Axis] = [:]
  package var filters: [UInt16: AxisFilter] = [:]

  /// The axes whose ranges are not declared but inferred from the values in a recording.
  package var inferredAxes: Set<UInt16> = []

  /// The codes of keys and buttons; nil if a recording's header does not list them.
  public var keys: Set<UInt16>?

  /// The codes of force feedback effects; the corresponding kernel constants are `FF_*`.
  public var effects: Set<UInt16> = []

  /// The slot of the first events, as `ABS_MT_SLOT` is sent only when it changes.
  package var currentSlot: Int32 = 0

  /// All quirks that match the device as one, with the title of the last; nil if none does.
  package internal(set) var quirk: Quirk?

  /// What the HID report descriptor states; nil if the device has none, or none of a touch device.
  package var descriptor: DescriptorFacts?

  /// Why the report descriptor is not used, as a sentence; nil if it is, or if there is none.
  package var descriptorError: String?
  package internal(set) var isPressurePadByQuirk = false

  /// Creates a description without any axis.
  public init() {}

  /// The range of an axis; nil if the device does not have it.
  public func axis(_ code: EventCode) -> Axis? { axes[code.code] }

  package mutating func filter(_ code: UInt16, fuzz: Int32, flat: Int32) {
    filters[code] = fuzz == 0 && flat == 0 ? nil : AxisFilter(fuzz: fuzz, flat: flat)
  }

  package func has(_ code: EventCode) -> Bool { axes[code.code] != nil }

  func hasKey(_ code: EventCode) -> Bool { keys?.contains(code.code) ?? false }

  /// A touchpad that measures force; older headers do not define the constant.
  ///
  /// The corresponding kernel constant is `INPUT_PROP_PRESSUREPAD`.
  static let pressurePad: UInt16 = 7

  /// A touchpad whose surface is its button; the corresponding kernel constant is `INPUT_PROP_BUTTONPAD`.
  static let buttonPad: UInt16 = 2

  /// Whether its button is the surface itself, so that a button event is a click of the pad.
  var clicksBySurface: Bool {
    hasKey(.leftButton) && (properties.contains(DeviceDescription.buttonPad) || isPressurePad)
  }

  /// A device that is touched directly, such as a touchscreen; the corresponding kernel constant is `INPUT_PROP_DIRECT`.
  private static let direct: UInt16 = 1

  /// The udev type, provided that it is a touch device.
  package var kind: Quirk.DeviceKind {
    properties.contains(DeviceDescription.direct) ? .touchscreen : .touchpad
  }

  /// A program made the device, so that whatever it states is that program's; the kernel constant is `BUS_VIRTUAL`.
  var isVirtual: Bool { bus == 0x06 }

  package var isPressurePad: Bool { properties.contains(DeviceDescription.pressurePad) }

  /// Whether the single-touch pressure axis is the sum of the pressures of all slots.
  ///
  /// On other devices it is the pressure of the oldest contact. For haptic touchpads the kernel sums the pressures of all
  /// slots and gives both axes the same range.
  ///
  /// The corresponding kernel constant is `INPUT_MT_TOTAL_FORCE`, which is not visible in user space.
  package var reportsTotal: Bool {
    effects.contains(EventCode.haptic.code) && has(.slot) && has(.pressure) && !isPen
      && axis(.singlePressure) == axis(.pressure)
  }

  /// Whether the device reports contacts in slots; throws if it is not a supported touch device.
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
    if isPen { throw .pen }
    guard hasTouch else { throw .noTouch }
    return false
  }

  /// Also BTN_TOOL_RUBBER to BTN_TOOL_AIRBRUSH, BTN_STYLUS3 and BTN_STYLUS2; udev tests BTN_TOOL_PEN and BTN_STYLUS.
  private static let penKeys: Set<UInt16> = [
    EventCode.toolPen.code, 0x141, 0x142, 0x143, 0x144, 0x149, EventCode.stylus.code, 0x14c,
  ]

  /// Whether it is a pen tablet, or has a pen beside its slots.
  ///
  /// A recording without a list of keys may show a pen by its tilt: ABS_TILT_X (0x1a), ABS_TILT_Y (0x1b).
  var isPen: Bool {
    keys?.isDisjoint(with: DeviceDescription.penKeys) == false
      || (keys == nil || !inferredAxes.isEmpty) && (axes[0x1a] != nil || axes[0x1b] != nil)
  }

  /// KEY_1 to KEY_SLASH and KEY_SPACE: touchscreens may have a home key, but no letters.
  private var isKeyboard: Bool {
    keys?.contains { (2...53).contains($0) || $0 == 57 } ?? false
  }

  /// A header without a list of keys is accepted if it lists a pressure axis.
  private var hasTouch: Bool { keys == nil ? has(.singlePressure) : hasKey(.touch) }
}

/// The declared range of an absolute axis; values may leave it.
///
/// The corresponding kernel structure is `input_absinfo`.
public struct Axis: Hashable, Sendable {
  /// The lowest declared value.
  public var minimum: Int32

  /// The highest declared value.
  public var maximum: Int32

  /// Units per millimeter, for a pressure axis units per gram; 0 if not stated.
  public var resolution: Int32

  /// Creates a range.
  ///
  /// - Parameters:
  ///   - minimum: the lowest declared value.
  ///   - maximum: the highest declared value; an axis is unusable unless it is above the minimum.
  ///   - resolution: units per millimeter, for a pressure axis units per gram; 0 if not stated.
  public init(minimum: Int32, maximum: Int32, resolution: Int32 = 0) {
    self.minimum = minimum
    self.maximum = maximum
    self.resolution = resolution
  }

  /// The length of the range in units; 0 or less for an invalid axis.
  public var span: Int64 { Int64(maximum) - Int64(minimum) }

  /// The length of the range in millimeters; nil if the axis states no resolution.
  public var millimeters: Double? {
    resolution > 0 && span > 0 ? Double(span) / Double(resolution) : nil
  }
}

/// The filters that the kernel and its clients apply to an axis; only written to recordings, for copies of the device.
package struct AxisFilter: Hashable, Sendable {
  /// Changes below this value, in units, are suppressed or smoothed.
  package var fuzz: Int32

  /// Values within this distance of the center, in units, count as the center.
  package var flat: Int32
}

/// The ID of a device on the wire, stable across replugging and reboots.
public struct DeviceID: Hashable, Sendable {
  /// `BUS-VEND-PROD` in lowercase hexadecimal, followed by the unique ID or else the physical path.
  public let text: String

  /// Derives the ID of a device.
  public init(_ description: DeviceDescription) {
    let numbers = [description.bus, description.vendor, description.product]
    let stem = numbers.map { $0.hexadecimal(4) }.joined(separator: "-")
    let unique = DeviceID.sanitized(description.uniqueID)
    let suffix = unique.isEmpty ? DeviceID.sanitized(description.physicalPath) : unique
    text = suffix.isEmpty ? stem : stem + "-" + suffix
  }

  private init(text: String) {
    self.text = text
  }

  /// The ID of a further device that would have the same ID: `text#number`.
  package func numbered(_ number: Int) -> DeviceID { DeviceID(text: "\(text)#\(number)") }

  /// Keeps the characters that are safe in file names, JSON and shell words.
  private static func sanitized(_ text: String) -> String {
    String(text.filter { ($0.isASCII && ($0.isLetter || $0.isNumber)) || "._:/".contains($0) })
  }
}

/// The reason why a device is not read.
public enum UnsupportedDeviceError: String, Error, CustomStringConvertible {
  /// It is a keyboard; reading it would allow eavesdropping.
  case keyboard = "it has the keys of a keyboard, which pressured never reads"
  /// It has no X or no Y axis.
  case noPosition = "it is not a touch device: it has no X and Y axes"
  /// Its axis numbers are contiguous, as on game pads, so that two of them look like slots.
  case fakeSlots =
    "its axes only look like slots: it has axis 0x2e beside ABS_MT_SLOT (0x2f), as game pads do"
  /// It has slots but lacks the axes that belong to them.
  case incompleteSlots = "it has slots, but lacks their positions or tracking IDs"
  /// It uses multi-touch protocol A, which no driver of a current kernel does.
  case protocolA =
    "it uses multi-touch protocol A (SYN_MT_REPORT, no slots), which pressured does not support"
  /// It is a pen tablet.
  case pen = "it is a pen tablet (BTN_TOOL_PEN, BTN_STYLUS or ABS_TILT_X), not a touch device"
  /// It has a position but no touch: a mouse, a joystick or a motion sensor.
  case noTouch = "it is not a touch device: it has neither slots nor BTN_TOUCH"
  /// It declares more slots than the kernel allows, which are `Surface.maximumSlots`.
  case tooManySlots = "it declares more than 1024 slots"

  /// The reason as a clause for users, without the device's name.
  public var description: String { rawValue }
}
