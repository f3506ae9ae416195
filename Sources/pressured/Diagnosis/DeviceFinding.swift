internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressurePads
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// The findings about a touch device, or about a node that could not be opened.
struct DeviceFinding: Encodable {
  /// An axis as the kernel reports it.
  struct AxisFinding: Encodable {
    let minimum: Int32
    let maximum: Int32
    let resolution: Int32

    init(_ axis: Axis) {
      (minimum, maximum, resolution) = (axis.minimum, axis.maximum, axis.resolution)
    }
  }

  /// A stored calibration.
  struct CalibrationFinding: Encodable {
    let points: Int
    let shape: String
    let errorGrams: Double
    let isInForce: Bool

    private enum CodingKeys: String, CodingKey {
      case points, shape
      case errorGrams = "error_grams"
      case isInForce = "in_force"
    }
  }

  /// A verdict, with its names on the wire.
  struct VerdictFinding: Encodable {
    let measures: String
    let certainty: String?
    let range: [Int32]?
    let rangeSource: String?
    let clicksItself: Bool
    let hapticsTrigger: String
    let settings: [String]
    let reasons: [String]

    init(_ verdict: Verdict) {
      measures = verdict.measure.rawValue
      certainty = verdict.certainty?.rawValue
      range = verdict.range.map { [$0.lowerBound, $0.upperBound] }
      rangeSource = verdict.rangeSource?.rawValue
      clicksItself = verdict.clicksByItself
      hapticsTrigger = verdict.trigger.rawValue
      settings = verdict.settings.map(\.rawValue)
      reasons = verdict.reasons
    }

    init(_ verdict: ReceivedVerdict) {
      measures = verdict.measures.rawValue
      certainty = verdict.certainty?.rawValue
      range = verdict.range?.map { Int32(clamping: $0) }
      rangeSource = verdict.rangeSource?.rawValue
      clicksItself = verdict.clicksByItself
      hapticsTrigger = verdict.trigger.rawValue
      settings = verdict.settings.map(\.rawValue)
      reasons = verdict.reasons
    }

    private enum CodingKeys: String, CodingKey {
      case measures, certainty, range, settings, reasons
      case rangeSource = "range_source"
      case clicksItself = "clicks_itself"
      case hapticsTrigger = "haptics_trigger"
    }
  }

  let node: String
  let rights: NodeRights

  /// Why the device is not supported or not readable; nil if it is.
  let refusal: String?

  let name: String?
  let device: String?
  let slots: Int?

  /// The numbers of its `INPUT_PROP_` properties; 7 is `INPUT_PROP_PRESSUREPAD`.
  let properties: [UInt16]?

  /// The position and pressure axes, by their names in the kernel.
  let axes: [String: AxisFinding]?

  private(set) var capability: String?
  private(set) var weightSource: String?
  private(set) var perContact: Bool?
  let reportsTotal: Bool?
  private(set) var effectiveMaximum: Int32?

  /// The title of the quirk that corrects what the device reports.
  let quirk: String?

  let calibration: CalibrationFinding?

  /// What its pressure is, and what the pad does by itself.
  private(set) var verdict: VerdictFinding?

  /// How libinput uses its pressure; nil for touchscreens.
  let desktop: DesktopFinding?

  /// What can be set of its click; nil for touchscreens without such settings.
  let padSettings: String?

  /// The errors in its stored calibration files.
  let complaints: [String]

  private enum CodingKeys: String, CodingKey {
    case node, rights, refusal, name, device, slots, properties, axes, capability, quirk
    case calibration, verdict, desktop, complaints
    case padSettings = "pad_settings"
    case weightSource = "weight_source"
    case perContact = "per_contact"
    case reportsTotal = "states_total"
    case effectiveMaximum = "effective_maximum"
  }
}

extension DeviceFinding {
  /// Creates the finding for a node that is not supported or not readable.
  init(_ node: String, refusal: DeviceError) {
    self.node = node
    rights = NodeRights(of: node, isReadable: !refusal.isPermissionDenied)
    self.refusal = refusal.sentence
    (name, device, slots, properties, axes) = (nil, nil, nil, nil, nil)
    (capability, weightSource, perContact, reportsTotal) = (nil, nil, nil, nil)
    (effectiveMaximum, quirk, calibration, complaints) = (nil, nil, nil, [])
    (verdict, desktop, padSettings) = (nil, nil, nil)
  }

  /// Creates the finding for a supported device and its stored calibration.
  ///
  /// - Parameters:
  ///   - node: the path of its node.
  ///   - description: the device as the kernel describes it, without quirks.
  ///   - surface: the device with its quirks and settings.
  ///   - id: its ID.
  ///   - stored: its stored calibration.
  init(
    _ node: String, _ description: DeviceDescription, _ surface: Surface, _ id: DeviceID,
    _ stored: CalibrationStore.Finding?
  ) {
    var surface = surface
    if let fit = stored?.fit { surface.calibrate(by: fit) }
    self.node = node
    rights = NodeRights(of: node, isReadable: true)
    refusal = nil
    name = surface.description.name.onOneLine
    device = id.text
    slots = surface.slotCount
    properties = surface.description.properties.sorted()
    axes = DeviceFinding.axes(of: surface.description)
    capability = surface.capability.rawValue
    weightSource = surface.weightSource.rawValue
    perContact = surface.isPerContact
    reportsTotal = surface.reportsTotal
    effectiveMaximum = surface.pressure?.effectiveMaximum
    quirk = surface.description.quirk?.title
    calibration = stored?.fit.map { fit in
      CalibrationFinding(
        points: fit.points.count, shape: fit.shape.rawValue, errorGrams: fit.greatestError,
        isInForce: surface.weightSource == .calibrated)
    }
    verdict = VerdictFinding(surface.verdict)
    desktop =
      description.kind == .touchpad
      ? DesktopFinding(quirks: DesktopFinding.quirks(of: node), description, surface) : nil
    padSettings = DeviceFinding.padSettings(node, isTouchpad: description.kind == .touchpad)
    complaints = stored?.warnings ?? []
  }

  /// Creates the finding for a device that the daemon reads and this user does not.
  ///
  /// - Parameters:
  ///   - node: the path of its node.
  ///   - device: what the daemon reports.
  init(_ node: String, _ device: ReceivedDevice) {
    self.node = node
    rights = NodeRights(of: node, isReadable: false)
    (refusal, quirk, reportsTotal, calibration, complaints) = (nil, nil, nil, nil, [])
    name = device.name.onOneLine
    self.device = device.device
    slots = device.slots
    var description = DeviceDescription()
    description.properties = DeviceFolder.properties(of: node)
    if let pressure = device.pressure {
      let code: EventCode = device.isPerContact ? .pressure : .singlePressure
      description.axes[code.code] = Axis(
        minimum: Int32(clamping: pressure.minimum), maximum: Int32(clamping: pressure.maximum),
        resolution: Int32(clamping: pressure.resolution))
    }
    properties = description.properties.sorted()
    axes = DeviceFinding.axes(of: description)
    capability = device.capability.rawValue
    weightSource = device.weightSource.rawValue
    perContact = device.isPerContact
    effectiveMaximum = device.effectiveMaximum.map { Int32(clamping: $0) }
    verdict = device.verdict.map(VerdictFinding.init)
    let isTouchpad = description.kind == .touchpad
    desktop =
      isTouchpad
      ? DesktopFinding(quirks: DesktopFinding.quirks(of: node), description, nil) : nil
    padSettings = DeviceFinding.padSettings(node, isTouchpad: isTouchpad)
  }

  /// What the daemon knows of a device that this user reads as well: its streams have shown more.
  mutating func adopt(_ device: ReceivedDevice) {
    capability = device.capability.rawValue
    weightSource = device.weightSource.rawValue
    perContact = device.isPerContact
    effectiveMaximum = device.effectiveMaximum.map { Int32(clamping: $0) }
    if let received = device.verdict { verdict = VerdictFinding(received) }
  }

  private static func padSettings(_ node: String, isTouchpad: Bool) -> String? {
    if let sentence = PadFolder.settingsSentence(ofInput: node) { return sentence }
    guard isTouchpad else { return nil }
    return DeviceFolder.descriptor(of: node) == nil
      ? "none, as it is not a HID device"
      : "none, as its HID report descriptor does not declare a touchpad"
  }

  private static let names: KeyValuePairs<String, EventCode> = [
    "ABS_X": .x, "ABS_Y": .y, "ABS_PRESSURE": .singlePressure, "ABS_MT_SLOT": .slot,
    "ABS_MT_TOUCH_MAJOR": .touchMajor, "ABS_MT_TOUCH_MINOR": .touchMinor,
    "ABS_MT_WIDTH_MAJOR": .widthMajor, "ABS_MT_ORIENTATION": .orientation,
    "ABS_MT_POSITION_X": .positionX,
    "ABS_MT_POSITION_Y": .positionY, "ABS_MT_PRESSURE": .pressure,
  ]

  private static func axes(of description: DeviceDescription) -> [String: AxisFinding] {
    names.reduce(into: [:]) { axes, pair in
      axes[pair.key] = description.axis(pair.value).map(AxisFinding.init)
    }
  }
}

/// The access rights of a node.
struct NodeRights: Encodable {
  let isReadable: Bool

  /// The lowest nine bits of its mode, as `ls` shows them; nil if stat(2) fails.
  let mode: String?

  let group: String?

  /// Whether the group has read permission.
  let isForGroup: Bool

  private enum CodingKeys: String, CodingKey {
    case mode, group
    case isReadable = "readable"
    case isForGroup = "for_group"
  }

  /// Reads the rights of a node.
  ///
  /// - Parameters:
  ///   - node: the path of the node.
  ///   - isReadable: whether it could be opened.
  init(of node: String, isReadable: Bool) {
    var status = stat()
    let exists = stat(node, &status) == 0
    self.isReadable = isReadable
    mode = exists ? NodeRights.text(of: status.st_mode) : nil
    group = exists ? Machine.name(ofGroup: status.st_gid) : nil
    isForGroup = exists && status.st_mode & S_IRGRP != 0
  }

  private static func text(of mode: mode_t) -> String {
    let letters = Array("rwxrwxrwx")
    return String((0..<9).map { mode & (1 << mode_t(8 - $0)) == 0 ? "-" : letters[$0] })
  }
}
