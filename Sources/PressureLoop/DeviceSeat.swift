internal import CSystemd
internal import Glibc

/// The seats that devices belong to.
package enum DeviceSeat {
  /// The seat of all devices that udev assigns to no other.
  package static let standard = "seat0"

  /// The name of the seat that a device node belongs to.
  ///
  /// The corresponding property of udev is `ID_SEAT`. A node without one, and one that udev has not handled yet,
  /// belongs to the standard seat.
  package static func name(of node: String) -> String {
    var status = stat()
    var device: OpaquePointer?
    guard stat(node, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
      sd_device_new_from_devnum(&device, CChar(UInt8(ascii: "c")), status.st_rdev) >= 0
    else { return standard }
    defer { sd_device_unref(device) }
    var value: UnsafePointer<CChar>?
    guard sd_device_get_property_value(device, "ID_SEAT", &value) >= 0, let value else {
      return standard
    }
    return String(cString: value)
  }
}
