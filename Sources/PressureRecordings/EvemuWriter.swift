internal import CEvdev
internal import PressureKit
internal import PressureSystem

/// Writes what `EvemuFile` reads, in version 1.3 of the format.
struct EvemuWriter: RecordingWriter {
  /// Bytes of a bitmap in one line.
  private static let row = 8

  func head(of device: DeviceDescription, at node: String) -> String {
    let numbers = [device.bus, device.vendor, device.product, device.version]
    var text = """
      # EVEMU 1.3
      # Written by pressured \(Version.current): touch axes and touch buttons, no keys.
      N: \(device.name.onOneLine)
      I: \(numbers.map { $0.hexadecimal(4) }.joined(separator: " "))

      """
    text += bitmap(of: device.properties, count: UInt16(INPUT_PROP_CNT), after: "P:")
    let types = Set([UInt16(EV_SYN), UInt16(EV_KEY), UInt16(EV_ABS)])
    text += bitmap(of: types, count: UInt16(EV_CNT), after: "B: 00")
    text += bitmap(of: device.keys ?? [], count: UInt16(KEY_CNT), after: "B: 01")
    text += bitmap(of: Set(device.axes.keys), count: UInt16(ABS_CNT), after: "B: 03")
    for (code, axis) in device.axes.sorted(by: { $0.key < $1.key }) {
      let filter = device.filters[code] ?? AxisFilter()
      text += "A: \(code.hexadecimal(2)) \(axis.minimum) \(axis.maximum)"
      text += " \(filter.fuzz) \(filter.flat) \(axis.resolution)\n"
    }
    return text
  }

  func text(of frame: RecordedFrame) -> String {
    var text = frame.remark.map { "# \($0)\n" } ?? ""
    for event in frame.events {
      let (seconds, microseconds) = event.time.parts
      text += "E: \(seconds).\(microseconds.decimal(6))"
      text += " \(event.code.type.hexadecimal(4)) \(event.code.code.hexadecimal(4))"
      text += " \(event.value.decimal(4))\t# \(event.remark)\n"
    }
    return text
  }

  private func bitmap(of codes: Set<UInt16>, count: UInt16, after tag: String) -> String {
    let bytes = (0..<(count + 7) / 8).map { byte in
      (0..<8).reduce(UInt8(0)) { $0 | (codes.contains(byte * 8 + $1) ? 1 << $1 : 0) }
    }
    return stride(from: 0, to: bytes.count, by: EvemuWriter.row).reduce(into: "") { text, start in
      let row = (start..<start + EvemuWriter.row).map { $0 < bytes.count ? bytes[$0] : 0 }
      text += "\(tag) \(row.map { UInt16($0).hexadecimal(2) }.joined(separator: " "))\n"
    }
  }
}
