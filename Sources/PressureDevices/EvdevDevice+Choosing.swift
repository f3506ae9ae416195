package import PressureKit

extension EvdevDevice {
  /// Opens the first device that feels pressure and is not left alone by the configuration.
  ///
  /// - Parameter configuration: what is configured for devices.
  /// - Returns: the device, or nil where none can be read.
  package static func firstThatFeels(_ configuration: Configuration) -> EvdevDevice? {
    DeviceFolder.nodes().lazy.compactMap { feeling($0, configuration) }.first
  }

  /// Whether a node is a device that `firstThatFeels` may give.
  package static func feelsPressure(_ node: String, _ configuration: Configuration) -> Bool {
    feeling(node, configuration) != nil
  }

  /// Whether a node may not be read by this user, though it may be one to be touched.
  package static func isDenied(_ node: String) -> Bool {
    do throws(DeviceError) {
      _ = try EvdevDevice(opening: node)
      return false
    } catch {
      return error.isLackOfRights && DeviceFolder.mayBeTouched(node)
    }
  }

  private static func feeling(_ node: String, _ configuration: Configuration) -> EvdevDevice? {
    guard let device = try? EvdevDevice(node: node),
      let surface = try? configuration.surface(of: device.description), surface.feelsPressure
    else { return nil }
    return device
  }
}

extension Surface {
  /// Whether it says anything of how hard it is pressed, be it force or the size of contacts.
  package var feelsPressure: Bool {
    switch capability {
    case .force, .size: true
    case .none, .broken: false
    }
  }
}
