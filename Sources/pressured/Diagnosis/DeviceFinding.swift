internal import CEvdev
internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressurePads
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

struct DeviceFinding: Encodable {
  struct AxisFinding: Encodable {
    let minimum: Int32
    let maximum: Int32
    let resolution: Int32
  }

  struct CalibrationFinding: Encodable {
    let points: Int
    let shape: String
    let errorGrams: Double
    let isInForce: Bool
  }

  let node: String
  let rights: NodeRights
  private(set) var refusal: String?
  private(set) var name: String?
  private(set) var device: String?
  private(set) var slots: Int?

  /// The numbers of its `INPUT_PROP_` properties; 7 is `INPUT_PROP_PRESSUREPAD`.
  private(set) var properties: [UInt16]?

  /// The axes, by their names in the kernel.
  private(set) var axes: [String: AxisFinding]?
  private(set) var capability: String?
  private(set) var weightSource: String?
  private(set) var perContact: Bool?
  private(set) var statesTotal: Bool?
  private(set) var effectiveMaximum: Int?
  private(set) var quirk: String?
  private(set) var calibration: CalibrationFinding?
  private(set) var verdict: ReceivedVerdict?
  private(set) var desktop: DesktopFinding?

  /// What can be set of its click; nil for touchscreens without such settings.
  private(set) var padSettings: String?

  private(set) var complaints: [String] = []

  init(_ node: String, refusal: DeviceError) {
    self.node = node
    rights = NodeRights(of: node, isReadable: !refusal.isPermissionDenied)
    self.refusal = refusal.sentence
  }

  /// Creates the finding for a device as the kernel describes it, with its surface if this user reads it.
  init(
    _ node: String, _ description: DeviceDescription, _ surface: Surface?, known: ReceivedDevice?,
    stored: CalibrationStore.Finding? = nil
  ) {
    self.node = node
    rights = NodeRights(of: node, isReadable: surface != nil)
    complaints = stored?.warnings ?? []
    statesTotal = surface?.reportsTotal
    quirk = surface?.description.quirk?.title
    calibration = stored?.fit.map { fit in
      CalibrationFinding(
        points: fit.points.count, shape: fit.shape.rawValue, errorGrams: fit.greatestError,
        isInForce: surface?.weightSource == .calibrated)
    }
    let corrected = surface?.description ?? description
    properties = corrected.properties.sorted()
    axes = corrected.axes.reduce(into: [:]) { axes, pair in
      guard let name = libevdev_event_code_get_name(UInt32(EV_ABS), UInt32(pair.key)) else {
        return
      }
      axes[String(cString: name)] = AxisFinding(
        minimum: pair.value.minimum, maximum: pair.value.maximum, resolution: pair.value.resolution)
    }
    if let known {
      (name, device, slots) = (known.name.onOneLine, known.device, known.slots)
      (capability, weightSource) = (known.capability.rawValue, known.weightSource.rawValue)
      (perContact, effectiveMaximum) = (known.isPerContact, known.effectiveMaximum)
      verdict = known.verdict
    }
    padSettings = PadFolder.settingsSentence(ofInput: node)
    guard description.kind == .touchpad else { return }
    desktop = DesktopFinding(quirks: DesktopFinding.quirks(of: node), description, surface)
    padSettings =
      padSettings
      ?? (DeviceFolder.descriptor(of: node) == nil
        ? "none, as it is not a HID device"
        : "none, as its HID report descriptor does not declare a touchpad")
  }

  /// Creates the finding for a device that the daemon reads and this user does not.
  init(_ known: ReceivedDevice) {
    var description = DeviceDescription()
    description.properties = DeviceFolder.properties(of: known.node)
    if let pressure = known.pressure {
      let code: EventCode = known.isPerContact ? .pressure : .singlePressure
      description.axes[code.code] = Axis(
        minimum: Int32(clamping: pressure.minimum), maximum: Int32(clamping: pressure.maximum),
        resolution: Int32(clamping: pressure.resolution))
    }
    self.init(known.node, description, nil, known: known)
  }

  // MARK: - Text

  var lines: [String] {
    if let refusal {
      let owner = rights.group.map { " (\(rights.mode ?? "?"), group \($0))" } ?? ""
      return ["\(node)\(rights.isReadable ? "" : owner): \(refusal)"]
    }
    let capability = capability.flatMap(Surface.Capability.init) ?? .none
    let source = weightSource.flatMap(WeightSource.init) ?? .none
    var lines = [
      "\(node): \(name ?? "") (\(device ?? ""))", "  pressure: \(axis)",
      "  capability: \(capability.rawValue), \(capability.meaning)",
      "  grams: \(source.rawValue), \(source.meaning)", "  quirk: \(quirk ?? "none")",
      "  calibration: \(stored)",
    ]
    if let verdict {
      let certainty = verdict.certainty.map { ", \($0.rawValue)" } ?? ""
      lines.append("  verdict: \(verdict.measures.rawValue)\(certainty)")
      lines += verdict.reasons.map { "    \($0)" }
    }
    if let padSettings { lines.append("  settings: \(padSettings)") }
    if let desktop { lines.append("  desktop: \(desktop.sentence)") }
    return lines + complaints.map { "  calibration error: \($0)" }
  }

  private var axis: String {
    let isOwn = perContact == true && axes?["ABS_MT_PRESSURE"] != nil
    let name = isOwn ? "ABS_MT_PRESSURE" : "ABS_PRESSURE"
    guard let axis = axes?[name] else { return "none, \(slots ?? 0) slots" }
    let units = axis.resolution > 0 ? Double(axis.resolution).asUnitsPerGram : "no resolution"
    let sharing = perContact == true ? "one value per contact" : "one value for all contacts"
    let total = statesTotal == true ? ", ABS_PRESSURE is their total" : ""
    let maximum = effectiveMaximum.map { ", effective maximum \($0)" } ?? ""
    return "\(name) \(axis.minimum) to \(axis.maximum), \(units)\(maximum), \(slots ?? 0) slots, "
      + sharing + total
  }

  private var stored: String {
    guard let calibration else {
      return weightSource == "calibrated" ? "that of the daemon" : "none"
    }
    let error = calibration.errorGrams.shortDescription(decimals: 2)
    let force = calibration.isInForce ? "" : "; not used: the axis has another range"
    return "\(calibration.points) points, \(calibration.shape), accurate to about ±\(error) g"
      + force
  }
}

extension ReceivedDevice {
  /// A device that this program reads itself, as a daemon would report it.
  init?(_ surface: Surface, _ id: DeviceID, at node: String) {
    var line = JSONLinesWriter()
    line.append(Device(id: id, node: node, surface: surface))
    guard let device = try? LineDecoder.decode(ReceivedDevice.self, from: Array(line.bytes)) else {
      return nil
    }
    self = device
  }
}

extension PadFolder {
  /// What can be set of the click of a touch device by its evdev node, or why nothing; nil if it declares no touch device.
  static func settingsSentence(ofInput input: String) -> String? {
    guard let pad = pad(ofInput: input) else { return nil }
    let names = pad.layout.controls.map(\.setting.name)
    return names.isEmpty
      ? pad.remarks.joined(separator: "; ")
      : "pressured pad sets its \(names.joined(separator: " and "))"
  }
}

struct NodeRights: Encodable {
  let isReadable: Bool

  /// The lowest nine bits of its mode, as `ls` shows them; nil if stat(2) fails.
  let mode: String?
  let group: String?
  let isForGroup: Bool

  init(of node: String, isReadable: Bool) {
    var status = stat()
    let exists = stat(node, &status) == 0
    let bits = zip("rwxrwxrwx", (0..<9).reversed()).map { letter, bit in
      status.st_mode & (1 << mode_t(bit)) == 0 ? "-" : letter
    }
    self.isReadable = isReadable
    mode = exists ? String(bits) : nil
    group = exists ? Machine.name(ofGroup: status.st_gid) : nil
    isForGroup = exists && status.st_mode & S_IRGRP != 0
  }
}
