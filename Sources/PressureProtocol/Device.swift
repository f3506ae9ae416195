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
    appendFields(of: device, change)
    append(isStopping ? ",\"stopping\":true}\n" : "}\n")
  }

  package mutating func appendFields(of device: Device, _ change: Device.Change) {
    append(",\"change\":")
    append(quoted: change.rawValue)
    append(",")
    appendProperties(of: device)
  }

  /// Appends a device, as in the reply to `devices`.
  package mutating func append(_ device: Device) {
    append("{\"device\":")
    append(quoted: device.id.text)
    append(",")
    appendProperties(of: device)
    append("}")
  }

  private mutating func appendProperties(of device: Device) {
    let surface = device.surface
    append("\"name\":")
    append(quoted: surface.description.name)
    append(",\"node\":")
    append(quoted: device.node)
    append(",\"slots\":")
    append(Int64(surface.slotCount))
    append(",\"capability\":")
    append(quoted: surface.capability.rawValue)
    append(",\"per_contact\":")
    append(surface.isPerContact)
    append(",\"weight_source\":")
    append(quoted: surface.weightSource.rawValue)
    append(",\"pressure\":")
    append(surface.pressure)
    append(",\"size_mm\":")
    appendSize(of: surface)
    append(",\"haptics\":")
    append(device.hasHaptics)
    append(",\"simulated_press\":")
    append(surface.simulatesPress)
    append(",\"verdict\":")
    append(surface.verdict)
  }

  private mutating func append(_ verdict: Verdict) {
    append("{\"measures\":")
    append(quoted: verdict.measure.rawValue)
    append(",\"certainty\":")
    append(orNull: verdict.certainty?.rawValue)
    append(",\"range\":")
    if let range = verdict.range {
      append("[")
      append(Int64(range.lowerBound))
      append(",")
      append(Int64(range.upperBound))
      append("]")
    } else {
      append("null")
    }
    append(",\"range_source\":")
    append(orNull: verdict.rangeSource?.rawValue)
    append(",\"clicks_itself\":")
    append(verdict.clicksByItself)
    append(",\"haptics_trigger\":")
    append(quoted: verdict.trigger.rawValue)
    append(",\"settings\":")
    append(list: verdict.settings.map(\.rawValue))
    append(",\"reasons\":")
    append(list: verdict.reasons)
    append("}")
  }

  private mutating func append(orNull text: String?) {
    if let text { append(quoted: text) } else { append("null") }
  }

  private mutating func append(list texts: [String]) {
    append("[")
    for (index, text) in texts.enumerated() {
      if index > 0 { append(",") }
      append(quoted: text)
    }
    append("]")
  }

  private mutating func append(_ pressure: PressureAxis?) {
    guard let pressure else { return append("null,\"effective_maximum\":null") }
    append("{\"minimum\":")
    append(Int64(pressure.axis.minimum))
    append(",\"maximum\":")
    append(Int64(pressure.axis.maximum))
    append(",\"resolution\":")
    append(Int64(pressure.axis.resolution))
    append("},\"effective_maximum\":")
    append(Int64(pressure.effectiveMaximum))
  }

  private mutating func appendSize(of surface: Surface) {
    guard let width = surface.x.millimeters, let height = surface.y.millimeters else {
      return append("null")
    }
    append("[")
    append(width, decimals: 2)
    append(",")
    append(height, decimals: 2)
    append("]")
  }
}

extension String {
  /// The text with `≈` in front if it is an estimate.
  ///
  /// Used wherever grams are displayed: `≈ 62 g` if `weight_source` is `nominal`.
  package func estimated(_ isEstimate: Bool) -> String { isEstimate ? "≈ \(self)" : self }
}

extension ReceivedDevice {
  /// Whether its grams are an estimate from an assumed full scale.
  package var isEstimate: Bool { weightSource == .nominal }
}

extension Surface {
  /// Whether its grams are an estimate from an assumed full scale.
  package var isEstimate: Bool { weightSource == .nominal }
}
