public import PressureKit

/// A device as the wire speaks of it.
public struct Device: Hashable, Sendable {
  /// What has become of a device.
  public enum Change: String, Sendable {
    /// It was there before this client came.
    case present
    /// It has appeared.
    case added
    /// It has gone.
    case removed
    /// It turned out to be able to do something else than it said, or weighs by another law.
    case changed
  }

  public let id: DeviceID

  /// The node that it is read from, or the recording's path.
  public let node: String

  public var surface: Surface

  /// Whether it lets the finger feel a press to the full.
  public var hasHaptics: Bool

  public init(id: DeviceID, node: String, surface: Surface, hasHaptics: Bool = false) {
    self.id = id
    self.node = node
    self.surface = surface
    self.hasHaptics = hasHaptics
  }
}

extension JSONLinesWriter {
  /// Adds the line that tells of a device.
  public mutating func append(_ device: Device, _ change: Device.Change, at time: Timestamp) {
    head("device", time, device.id)
    fields(of: device, change)
    append("}\n")
  }

  package mutating func fields(of device: Device, _ change: Device.Change) {
    append(",\"change\":")
    append(quoted: change.rawValue)
    append(",")
    abilities(of: device)
  }

  /// Adds a device as the answer to `devices` has it.
  public mutating func append(_ device: Device) {
    append("{\"device\":")
    append(quoted: device.id.text)
    append(",")
    abilities(of: device)
    append("}")
  }

  private mutating func abilities(of device: Device) {
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
  /// A weight as text, with the sign of an estimate where nobody has compared it with a known weight.
  ///
  /// The one rule for every place that shows grams: `≈ 62 g` wherever `weight_source` is nominal.
  package func estimated(_ isEstimate: Bool) -> String { isEstimate ? "≈ \(self)" : self }
}

extension ReceivedDevice {
  /// Whether its grams are an estimate, which nobody has compared with a weight.
  package var isEstimate: Bool { weightSource == .nominal }
}

extension Surface {
  /// The same of a device that is read by this program itself.
  package var isEstimate: Bool { weightSource == .nominal }
}
