internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureSettings
internal import PressureSystem

/// A touchpad with a hidraw node, as sysfs describes it, which every user can read and which opens no device.
package struct PadDevice: Hashable, Sendable {
  package let node: String

  package let name: String

  package internal(set) var id: String

  /// Vendor and product, such as `093a-4f05`.
  package let model: String

  /// The name of the HID device in the kernel, to which its node links, and which is not used again until the next boot.
  package let instance: String

  package let descriptor: [UInt8]
  package let layout: PadLayout

  /// A checksum of the descriptor: another firmware may have another one.
  package var checksum: String { descriptor.checksum }

  package var path: String { "/dev/\(node)" }

  static func model(vendor: UInt16, product: UInt16) -> String {
    "\(vendor.hexadecimal(4))-\(product.hexadecimal(4))"
  }

  /// What is known of a pad without settings, or of those that are not written; empty if there is nothing to add.
  package var remarks: [String] {
    var remarks = PadSetting.allCases.compactMap { layout.refusals[$0]?.message }
    if !layout.declaresSettings {
      remarks.append("it declares no standard setting of its click, so there is nothing to set")
    }
    if layout.hasVendorReports { remarks.append("it has a vendor protocol that is not written to") }
    return remarks
  }
}

package enum PadFolder {
  package static let path = "/sys/class/hidraw"

  /// Touchpads, and touchscreens that declare settings of a click; ordered by the number of their nodes.
  package static func pads(in folder: String = path) -> [PadDevice] {
    var pads: [PadDevice] = []
    for name in FileNames.numbered("hidraw", in: folder) {
      guard var pad = pad(named: name, in: folder),
        pad.layout.isTouchpad || pad.layout.declaresSettings
      else { continue }
      let count = pads.count { $0.id == pad.id || $0.id.hasPrefix("\(pad.id)#") }
      if count > 0 { pad.id += "#\(count + 1)" }
      pads.append(pad)
    }
    return pads
  }

  /// The pad of a node such as `hidraw0`, if it is a touch device with a valid descriptor.
  package static func pad(named node: String, in folder: String = path) -> PadDevice? {
    guard FileNames.isNumbered(node, "hidraw") else { return nil }
    let device = "\(folder)/\(node)/device"
    guard let bytes = DeviceFolder.descriptor(in: device),
      let descriptor = try? ReportDescriptor(bytes), let layout = PadLayout(descriptor),
      let text = try? InputFile.read("\(device)/uevent", limit: 1 << 14)
    else { return nil }
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    let properties: [String: String] = lines.reduce(into: [:]) { properties, line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { properties[String(parts[0])] = String(parts[1]) }
    }
    var description = DeviceDescription()
    let numbers = (properties["HID_ID"] ?? "").split(separator: ":")
      .map { UInt32($0, radix: 16).map { UInt16(truncatingIfNeeded: $0) } }
    guard numbers.count == 3, let bus = numbers[0], let vendor = numbers[1],
      let product = numbers[2]
    else { return nil }
    (description.bus, description.vendor, description.product) = (bus, vendor, product)
    description.uniqueID = properties["HID_UNIQ"] ?? ""
    description.physicalPath = properties["HID_PHYS"] ?? ""
    return PadDevice(
      node: node, name: properties["HID_NAME"] ?? "", id: DeviceID(description).text,
      model: PadDevice.model(vendor: description.vendor, product: description.product),
      instance: FileNames.linked(by: device) ?? "", descriptor: bytes, layout: layout)
  }

  /// The pad of the same HID device as an evdev node; nil if it has no hidraw node.
  package static func pad(ofInput input: String) -> PadDevice? {
    guard let name = input.split(separator: "/").last,
      let device = FileNames.linked(by: "/sys/class/input/\(name)/device/device")
    else { return nil }
    return pads().first { $0.instance == device }
  }

  /// The evdev node of a pad, by which udev assigns it to a seat; nil if it has none.
  package static func eventNode(of node: String, in folder: String = path) -> String? {
    let inputs = "\(folder)/\(node)/device/input"
    for input in FileNames.names(in: inputs) {
      let events = FileNames.names(in: "\(inputs)/\(input)").filter { $0.hasPrefix("event") }
      if let event = events.first { return "/dev/input/\(event)" }
    }
    return nil
  }
}
