public import PressureKit

/// A device as the protocol describes it.
public struct Device: Hashable, Sendable {
  /// The reason for a `device` line.
  public enum Change: String, CaseIterable, Sendable {
    /// It was present before the client connected.
    case present
    /// It was added.
    case added
    /// It was removed.
    case removed
    /// Its capability or its calibration changed.
    case changed
  }

  /// The ID of the device.
  public let id: DeviceID

  /// The device node, or the path of the recording.
  public let node: String

  /// The capability, axes and weight source of the device.
  public var surface: Surface

  /// Whether it plays haptic feedback when the maximum force is reached.
  public var hasHaptics: Bool

  /// Makes a device.
  public init(id: DeviceID, node: String, surface: Surface, hasHaptics: Bool = false) {
    self.id = id
    self.node = node
    self.surface = surface
    self.hasHaptics = hasHaptics
  }
}

extension JSONLinesWriter {
  /// Appends a `device` line.
  ///
  /// - Parameters:
  ///   - device: the device.
  ///   - change: the reason for the line.
  ///   - time: when it happened.
  ///   - isStopping: whether the device is removed only because the daemon stops.
  public mutating func append(
    _ device: Device, _ change: Device.Change, at time: Timestamp, isStopping: Bool = false
  ) {
    beginLine("device", time, device.id)
    append(",\"change\":", quoted: change.rawValue)
    append(",")
    appendProperties(of: device)
    append(isStopping ? ",\"stopping\":true}\n" : "}\n")
  }

  /// Appends a device, as in the reply to `devices`.
  package mutating func append(_ device: Device) {
    append("{\"device\":", quoted: device.id.text)
    append(",")
    appendProperties(of: device)
    append("}")
  }

  private mutating func appendProperties(of device: Device) {
    let surface = device.surface
    append("\"name\":", quoted: surface.description.name)
    append(",\"node\":", quoted: device.node)
    append(",\"slots\":", Int64(surface.slotCount))
    append(",\"capability\":", quoted: surface.capability.rawValue)
    append(",\"per_contact\":", surface.isPerContact)
    append(",\"weight_source\":", quoted: surface.weightSource.rawValue)
    if let pressure = surface.pressure {
      append(",\"pressure\":{\"minimum\":", Int64(pressure.axis.minimum))
      append(",\"maximum\":", Int64(pressure.axis.maximum))
      append(",\"resolution\":", Int64(pressure.axis.resolution))
      append("},\"effective_maximum\":", Int64(pressure.effectiveMaximum))
    } else {
      append(",\"pressure\":null,\"effective_maximum\":null")
    }
    if let width = surface.x.millimeters, let height = surface.y.millimeters {
      append(",\"size_mm\":[", width, decimals: 2)
      append(",", height, decimals: 2)
      append("]")
    } else {
      append(",\"size_mm\":null")
    }
    append(",\"haptics\":", device.hasHaptics)
    append(",\"simulated_press\":", surface.simulatesPress)
    append(",\"verdict\":")
    append(surface.verdict)
  }

  private mutating func append(_ verdict: Verdict) {
    append("{\"measures\":", quoted: verdict.measure.rawValue)
    append(",\"certainty\":", quoted: verdict.certainty?.rawValue)
    append(",\"range\":")
    if let range = verdict.range {
      append("[", Int64(range.lowerBound))
      append(",", Int64(range.upperBound))
      append("]")
    } else {
      append("null")
    }
    append(",\"range_source\":", quoted: verdict.rangeSource?.rawValue)
    append(",\"clicks_itself\":", verdict.clicksByItself)
    append(",\"haptics_trigger\":", quoted: verdict.trigger.rawValue)
    append(",\"settings\":", quoted: verdict.settings.map(\.rawValue))
    append(",\"reasons\":", quoted: verdict.reasons)
    append("}")
  }
}

extension String {
  /// The text with `≈` in front if it is an estimate.
  ///
  /// Used wherever grams are displayed: `≈ 62 g` if `weight_source` is `nominal`.
  package func estimated(_ isEstimate: Bool) -> String { isEstimate ? "≈ \(self)" : self }
}

/// A decoded `device` line, or a device in the reply to `devices`.
public struct ReceivedDevice: Hashable, Sendable, Decodable {
  /// The pressure axis, in device units.
  public struct Pressure: Hashable, Sendable, Decodable {
    /// The lowest declared value.
    public var minimum: Int

    /// The highest declared value.
    public var maximum: Int

    /// The resolution in units per gram; 0 if the device reports none.
    public var resolution: Int
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, change, stopping, name, node, slots, capability, pressure, haptics, verdict
    case isPerContact = "per_contact"
    case weightSource = "weight_source"
    case effectiveMaximum = "effective_maximum"
    case sizeMillimeters = "size_mm"
    case simulatesPress = "simulated_press"
  }

  /// The time in microseconds on the clock that `hello` names; nil in the reply to `devices`.
  public var time: Int64?

  /// The ID of the device.
  public var device: String

  /// The reason for the line; nil in the reply to `devices`.
  public var change: ProtocolValue<Device.Change>?

  /// Whether it was removed only because the daemon stops; nil if it was not.
  public var stopping: Bool?

  /// The name that the device reports.
  public var name: String

  /// The device node, or the path of the recording.
  public var node: String

  /// The maximum number of simultaneous contacts.
  public var slots: Int

  /// The meaning of the pressure axis.
  public var capability: ProtocolValue<Surface.Capability>

  /// Whether the device measures the pressure of each contact separately.
  public var isPerContact: Bool

  /// The source of grams.
  public var weightSource: ProtocolValue<WeightSource>

  /// Nil if the device has no pressure axis.
  public var pressure: Pressure?

  /// The raw value that counts as the maximum force; nil if the device has no pressure axis.
  public var effectiveMaximum: Int?

  /// Width and height in millimeters; nil if the device reports no resolution.
  public var sizeMillimeters: [Double]?

  /// Whether it plays haptic feedback when the maximum force is reached.
  public var haptics: Bool

  /// Whether presses are simulated from the time that a contact rests.
  public var simulatesPress: Bool

  /// The meaning of its pressure, and the functions of the pad; nil from a daemon before 0.2.
  public var verdict: ReceivedVerdict?

  /// Whether its grams are an estimate from an assumed full scale.
  package var isEstimate: Bool { weightSource == .nominal }

  /// Whether it measures how hard it is pressed, as force or by the size of contacts.
  package var measuresPressure: Bool { capability == .force || capability == .size }
}

/// The `verdict` of a decoded device: the meaning of its pressure, and the functions of the pad.
public struct ReceivedVerdict: Hashable, Sendable, Codable {
  private enum CodingKeys: String, CodingKey {
    case measures, certainty, range, settings, reasons
    case rangeSource = "range_source"
    case clicksByItself = "clicks_itself"
    case trigger = "haptics_trigger"
  }

  /// What the values of the pressure axis are.
  public var measures: ProtocolValue<Verdict.Measure>

  /// How reliable that is; nil without usable pressure.
  public var certainty: ProtocolValue<Verdict.Certainty>?

  /// The lowest and the highest value; nil if unknown.
  public var range: [Int]?

  /// Where the range comes from; nil without a pressure axis.
  public var rangeSource: ProtocolValue<Verdict.RangeSource>?

  /// Whether the firmware of the pad clicks, without a mechanism; false if unknown.
  public var clicksByItself: Bool

  /// Which side can trigger haptic feedback.
  public var trigger: ProtocolValue<Verdict.Trigger>

  /// The settings that the device declares.
  public var settings: [ProtocolValue<Verdict.Setting>]

  /// The reasons, as sentences without a period.
  public var reasons: [String]
}
