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

/// The range of an absolute axis as its device declares it; values may leave it.
///
/// The corresponding kernel structure is `input_absinfo`.
public struct Axis: Hashable, Sendable {
  public var minimum: Int32
  public var maximum: Int32

  /// Units per millimeter, for a pressure axis units per gram; 0 where the device does not say.
  public var resolution: Int32

  public init(minimum: Int32, maximum: Int32, resolution: Int32 = 0) {
    self.minimum = minimum
    self.maximum = maximum
    self.resolution = resolution
  }

  /// The length of the range in units; 0 or less for an axis that is broken.
  public var span: Int64 { Int64(maximum) - Int64(minimum) }

  /// Millimeters from end to end, or nil where the device does not say.
  public var millimeters: Double? {
    resolution > 0 && span > 0 ? Double(span) / Double(resolution) : nil
  }
}

/// What the kernel and its clients leave out of an axis's values.
///
/// Only recordings carry it on, as a copy of the device is to have it, too.
public struct AxisFilter: Hashable, Sendable {
  /// Changes that are smaller than this, in units, are held back or smoothed.
  public var fuzz: Int32

  /// Values that are nearer than this to the middle, in units, count as the middle.
  public var flat: Int32

  public init(fuzz: Int32 = 0, flat: Int32 = 0) {
    self.fuzz = fuzz
    self.flat = flat
  }
}

/// The name of a device on the wire, the same after replug and reboot.
public struct DeviceID: Hashable, Sendable {
  /// `BUS-VEND-PROD` in lower-case hexadecimal, then what tells it from others of its make.
  public let text: String

  public init(_ description: DeviceDescription) {
    let numbers = [description.bus, description.vendor, description.product]
    let stem = numbers.map(DeviceID.fourDigits).joined(separator: "-")
    let unique = DeviceID.sanitized(description.uniqueID)
    let suffix = unique.isEmpty ? DeviceID.sanitized(description.physicalPath) : unique
    text = suffix.isEmpty ? stem : stem + "-" + suffix
  }

  private init(text: String) {
    self.text = text
  }

  /// The name for another device that would have the same one.
  public func numbered(_ number: Int) -> DeviceID { DeviceID(text: "\(text)#\(number)") }

  private static func fourDigits(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Only what is safe in a file name's neighborhood, in JSON and in a shell's words.
  private static func sanitized(_ text: String) -> String {
    String(text.filter { ($0.isASCII && ($0.isLetter || $0.isNumber)) || "._:/".contains($0) })
  }
}
