package import PressureKit
internal import PressureSettings
internal import PressureSystem

extension DeviceDescription {
  /// Reads the report descriptor of the HID device to which an evdev node, or a link to it, belongs; opens no device.
  ///
  /// The files in sysfs can be read by every user. Devices on other buses have none.
  package mutating func readDescriptor(of node: String) {
    guard let bytes = DeviceFolder.descriptor(of: node) else { return }
    use(descriptor: bytes)
  }
}

extension DeviceFolder {
  /// The bytes of the report descriptor of a node's HID device; nil if there is none.
  ///
  /// A longer one than the kernel accepts is cut, so that it is reported as malformed.
  package static func descriptor(of node: String) -> [UInt8]? {
    guard let name = eventName(of: node) else { return nil }
    let path = "\(classPath)/\(name)/device/device/report_descriptor"
    let limit = ReportDescriptor.maximumLength
    do throws(AtomicFile.ReadError) {
      let bytes = try AtomicFile.read(path, limit: limit)
      return bytes.isEmpty ? nil : bytes
    } catch .tooLarge(_) {
      return [UInt8](repeating: 0, count: limit + 1)
    } catch {
      return nil
    }
  }

  /// The name of an evdev node, also for a link such as those in `/dev/input/by-path`.
  private static func eventName(of node: String) -> String? {
    SymbolicLink.name(of: node, until: isEventNode).flatMap { isEventNode($0) ? $0 : nil }
  }
}
