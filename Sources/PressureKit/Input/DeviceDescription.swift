/// What a device says of itself before its first event: the kernel's answers, or a recording's header.
public struct DeviceDescription: Hashable, Sendable {
  public var name = ""
  public var bus: UInt16 = 0
  public var vendor: UInt16 = 0
  public var product: UInt16 = 0
  public var version: UInt16 = 0

  /// Where it is plugged in.
  ///
  /// The corresponding kernel request is `EVIOCGPHYS`.
  public var physicalPath = ""

  /// What tells it from others of its make.
  ///
  /// The corresponding kernel request is `EVIOCGUNIQ`.
  public var uniqueID = ""

  /// What the firmware says of the machine that it is built into, beginning with `dmi:`; nil where that is unknown.
  public var dmiModalias: String?

  /// Numbers of its properties.
  ///
  /// The corresponding kernel constants are `INPUT_PROP_*`.
  public var properties: Set<UInt16> = []

  /// Its absolute axes by code.
  public var axes: [UInt16: Axis] = [:]

  /// What is left out of the values of the axes for which that is not nothing, by code.
  public var filters: [UInt16: AxisFilter] = [:]

  /// Codes of its keys and buttons; nil where a recording's header does not list them.
  public var keys: Set<UInt16>?

  /// Codes of what it can let the finger feel.
  ///
  /// The corresponding kernel constants are `FF_*`.
  public var effects: Set<UInt16> = []

  /// The slot that the first events belong to, as `ABS_MT_SLOT` is sent only when it changes.
  public var currentSlot: Int32 = 0

  /// What counts as pressed to the full, in the axis's own units, where that is known and not said.
  public internal(set) var effectiveMaximum: Int32?

  /// The title of the quirk that has corrected this, if one has.
  public internal(set) var quirkTitle: String?

  public init() {}

  /// The range of an axis, or nil where the device does not have it.
  public func axis(_ code: EventCode) -> Axis? { axes[code.code] }

  /// Notes an axis's filter, where it filters anything.
  public mutating func filter(_ code: UInt16, fuzz: Int32, flat: Int32) {
    filters[code] = fuzz == 0 && flat == 0 ? nil : AxisFilter(fuzz: fuzz, flat: flat)
  }

  package func has(_ code: EventCode) -> Bool { axes[code.code] != nil }

  func hasKey(_ code: EventCode) -> Bool { keys?.contains(code.code) ?? false }
}
