package import PressureKit
internal import PressureSystem

package enum DeviceFolder {
  package static let path = "/dev/input"

  package static func nodes() -> [String] {
    FileNames.numbered("event", in: path).map { "\(path)/\($0)" }
  }

  /// Whether a name is that of an evdev node; `mouse0` and `js0` are other interfaces of the same devices.
  static func isEventNode(_ name: String) -> Bool { FileNames.isNumbered(name, "event") }

  static let classPath = "/sys/class/input"

  /// Whether a node that this user cannot open may be a touch device, by its capabilities in sysfs; true if they are unknown.
  package static func mayBeTouchDevice(_ node: String) -> Bool {
    let name = node.split(separator: "/").last ?? ""
    guard let keys = bits("capabilities/key", of: name),
      let axes = bits("capabilities/abs", of: name)
    else { return true }
    let hasTouch = keys.contains(EventCode.touch.code) || axes.contains(EventCode.slot.code)
    return hasTouch && !keys.contains(EventCode.toolPen.code)
  }

  /// The node of a connected device with the same name and numbers as another, such as that of a recording.
  ///
  /// The files in sysfs can be read by every user, so no device is opened.
  package static func node(like other: DeviceDescription) -> String? {
    nodes().first { node in
      let name = node.split(separator: "/").last ?? ""
      return isNumber("bustype", other.bus, of: name) && isNumber("vendor", other.vendor, of: name)
        && isNumber("product", other.product, of: name) && text("name", of: name) == other.name
    }
  }

  /// The names of the mice, by sysfs, and whether each belongs to the device with these numbers.
  package static func pointers(vendor: UInt16, product: UInt16) -> [(name: String, isOwn: Bool)] {
    nodes().compactMap { node in
      let name = node.split(separator: "/").last ?? ""
      // REL_X
      guard bits("capabilities/rel", of: name)?.contains(0) == true,
        bits("capabilities/key", of: name)?.contains(EventCode.leftButton.code) == true
      else { return nil }
      return (
        text("name", of: name) ?? String(name),
        isNumber("vendor", vendor, of: name) && isNumber("product", product, of: name)
      )
    }
  }

  private static func isNumber(_ file: String, _ number: UInt16, of name: Substring) -> Bool {
    text("id/\(file)", of: name).flatMap { UInt16($0, radix: 16) } == number
  }

  /// The numbers of the `INPUT_PROP_` properties of a device; none if sysfs does not have them.
  package static func properties(of node: String) -> Set<UInt16> {
    (bits("properties", of: node.split(separator: "/").last ?? "") ?? []).filter { $0 < 32 }
  }

  /// The bits that are set in hexadecimal words, of which the last one has the lowest bits; nil if a file has others.
  private static func bits(_ file: String, of name: Substring) -> Set<UInt16>? {
    let parts = text(file, of: name)?.split(whereSeparator: \.isWhitespace) ?? []
    let words = parts.reversed().compactMap { UInt($0, radix: 16) }
    guard !words.isEmpty, words.count == parts.count else { return nil }
    var bits: Set<UInt16> = []
    for (index, word) in words.enumerated() {
      for bit in 0..<UInt.bitWidth where word >> bit & 1 == 1 {
        if let number = UInt16(exactly: index * UInt.bitWidth + bit) { bits.insert(number) }
      }
    }
    return bits
  }

  private static func text(_ file: String, of name: Substring) -> String? {
    InputFile.line("\(classPath)/\(name)/device/\(file)")
  }

  /// The bytes of the report descriptor of a node's HID device; nil if there is none.
  package static func descriptor(of node: String) -> [UInt8]? {
    // The node may be a link such as those in `/dev/input/by-path`.
    let names = [node.split(separator: "/").last.map(String.init), FileNames.linked(by: node)]
    guard let name = names.compactMap(\.self).first(where: isEventNode) else { return nil }
    return descriptor(in: "\(classPath)/\(name)/device/device")
  }

  /// The bytes of the report descriptor of a HID device in sysfs.
  package static func descriptor(in folder: String) -> [UInt8]? {
    // One byte more than the kernel accepts, so that a longer one is malformed.
    let limit = ReportDescriptor.maximumLength + 1
    let bytes = try? InputFile.read("\(folder)/report_descriptor", limit: limit)
    return bytes?.isEmpty == false ? bytes : nil
  }
}

extension DeviceDescription {
  /// Reads the report descriptor of the HID device to which an evdev node, or a link to it, belongs; opens no device.
  ///
  /// The files in sysfs can be read by every user. Devices on other buses have none.
  package mutating func readDescriptor(of node: String) {
    guard let bytes = DeviceFolder.descriptor(of: node) else { return }
    use(descriptor: bytes)
  }
}

extension EvdevDevice {
  package static func isDenied(_ node: String) -> Bool {
    do throws(DeviceError) {
      _ = try EvdevDevice(opening: node)
      return false
    } catch {
      return error.isPermissionDenied && DeviceFolder.mayBeTouchDevice(node)
    }
  }
}

extension Surface {
  /// Whether it measures how hard it is pressed, as force or by the size of contacts.
  package var measuresPressure: Bool { capability == .force || capability == .size }
}
