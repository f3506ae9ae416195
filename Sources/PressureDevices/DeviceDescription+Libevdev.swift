internal import CEvdev
internal import PressureKit
internal import PressureSettings

extension DeviceDescription {
  /// The DMI modalias of this machine, which quirks for built-in devices match.
  private static let hostModalias: String? = {
    guard let text = try? AtomicFile.read("/sys/class/dmi/id/modalias", limit: 1 << 12) else {
      return nil
    }
    return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }()

  package init(libevdev device: OpaquePointer) {
    self.init()
    name = String(cString: libevdev_get_name(device))
    physicalPath = libevdev_get_phys(device).map { String(cString: $0) } ?? ""
    uniqueID = libevdev_get_uniq(device).map { String(cString: $0) } ?? ""
    bus = UInt16(truncatingIfNeeded: libevdev_get_id_bustype(device))
    vendor = UInt16(truncatingIfNeeded: libevdev_get_id_vendor(device))
    product = UInt16(truncatingIfNeeded: libevdev_get_id_product(device))
    version = UInt16(truncatingIfNeeded: libevdev_get_id_version(device))
    properties = Set(
      (0..<UInt16(INPUT_PROP_CNT)).filter { libevdev_has_property(device, UInt32($0)) == 1 })
    keys = Set(
      (0..<UInt16(KEY_CNT)).filter {
        libevdev_has_event_code(device, UInt32(EV_KEY), UInt32($0)) == 1
      })
    effects = Set(
      (0..<UInt16(FF_CNT)).filter {
        libevdev_has_event_code(device, UInt32(EV_FF), UInt32($0)) == 1
      })
    for code in 0..<UInt16(ABS_CNT) {
      guard let info = libevdev_get_abs_info(device, UInt32(code))?.pointee else { continue }
      axes[code] = Axis(
        minimum: info.minimum, maximum: info.maximum, resolution: info.resolution)
      filter(code, fuzz: info.fuzz, flat: info.flat)
    }
    dmiModalias = DeviceDescription.hostModalias
    currentSlot = max(libevdev_get_current_slot(device), 0)
  }
}
