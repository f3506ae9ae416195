internal import Glibc
package import PressureDevices

/// What a pad's report descriptor lets one set.
package struct PadLayout: Hashable, Sendable {
  package private(set) var controls: [PadControl] = []

  package private(set) var refusals: [PadSetting: PadError] = [:]

  /// The feature reports of the settings, in the order in which they are written.
  package private(set) var reports: [FeatureReport] = []

  package let isTouchpad: Bool

  /// Whether it has feature or output reports of the vendor, other than the one by which Windows recognizes touchpads.
  package let hasVendorReports: Bool

  /// Whether it declares a setting, including those that are not written.
  package var declaresSettings: Bool { !controls.isEmpty || !refusals.isEmpty }

  /// Reads the settings of a touch device, not those of other applications; nil for another device.
  package init?(_ descriptor: ReportDescriptor) {
    let applications = descriptor.collections.filter { $0.parent == nil }.map(\.usage)
    guard applications.contains(where: \.isTouchDevice) else { return nil }
    isTouchpad = applications.contains(.touchpad)
    hasVendorReports = descriptor.fields.contains {
      $0.kind != .input && $0.usage.isOfVendor && $0.usage != PadLayout.certificate
    }
    for setting in PadSetting.allCases {
      let fields = descriptor.fields(setting.usage, .feature).filter {
        !$0.isConstant && descriptor.path(of: $0).last?.isTouchDevice == true
      }
      guard !fields.isEmpty else { continue }
      do throws(PadError) {
        controls.append(try PadControl(setting, fields, of: descriptor))
      } catch {
        refusals[setting] = error
      }
    }
    for control in controls where !reports.contains(where: { $0.id == control.field.reportID }) {
      reports.append(FeatureReport(id: control.field.reportID, of: descriptor))
    }
  }

  /// The blob by which Windows recognizes certified touchpads.
  private static let certificate = Usage(0xff00, 0xc5)

  /// The declared setting; throws `not_declared` with what is known.
  package func control(_ setting: PadSetting) throws(PadError) -> PadControl {
    if let control = controls.first(where: { $0.setting == setting }) { return control }
    throw refusals[setting]
      ?? PadError(.notDeclared, "this pad does not declare that its \(setting.name) can be set")
  }
}

extension Usage {
  /// Whether the vendor defines it, so that the effect of writing it is unknown.
  fileprivate var isOfVendor: Bool { page >= 0xff00 }
}

extension ReportDescriptor {
  /// Whether the vendor has defined a field: its usage, that of a collection around it, or its waveform.
  func isOfVendor(_ field: ReportField) -> Bool {
    field.usage.isOfVendor || path(of: field).contains(where: \.isOfVendor)
      || field.usage.page == 0x0e && (0x2001...0x2fff).contains(field.usage.id)
  }
}

// MARK: - Reports

/// The layout of a feature report: where its fields are.
package struct FeatureReport: Hashable, Sendable {
  /// The number of the report; nil if the device's reports have none.
  package let id: UInt8?

  let carried: [ReportField]

  /// The bytes without the number.
  let byteCount: Int

  /// The most bytes of a request with the number, by the 14 bits that the kernel's request code has for it.
  static let maximumLength = (1 << 14) - 1

  init(id: UInt8?, of descriptor: ReportDescriptor) {
    self.id = id
    let fields = descriptor.fields.filter { $0.kind == .feature && $0.reportID == id }
    let bits = fields.map { $0.bitOffset + $0.bitSize * $0.count }.max() ?? 0
    carried = fields.filter { !$0.isConstant }
    byteCount = (bits + 7) / 8
  }

  /// The data in an answer of hidraw, in front of which is the number of the report; another answer is an error.
  ///
  /// It is 0 for reports without numbers: usbhid and i2c-hid put it there. A driver that does not, as uhid, gives a byte less,
  /// which is not taken for data.
  static func data(of answer: [UInt8], report id: UInt8?, count: Int) throws(PadError) -> [UInt8] {
    guard answer.first == id ?? 0, id != nil || answer.count == count + 1 else {
      throw .refused(EBADMSG)
    }
    return Array(answer.dropFirst())
  }

  /// Whether bytes are those of the report and all values that it carries are in their declared ranges.
  func isPlausible(_ bytes: [UInt8]) -> Bool {
    bytes.count >= byteCount
      && carried.allSatisfy { field in
        (0..<field.count).allSatisfy { field.values.contains(field.value(in: bytes, index: $0)) }
      }
  }
}

extension ReportField {
  /// The values that it accepts; a descriptor may state the greatest first.
  var values: ClosedRange<Int64> {
    min(logicalMinimum, logicalMaximum)...max(logicalMinimum, logicalMaximum)
  }

  /// A value in the data of a report; of one with more than 64 bits its first 64, least significant first.
  func value(in bytes: [UInt8], index: Int = 0) -> Int64 {
    let size = min(bitSize, 64)
    var bits: UInt64 = 0
    for bit in 0..<size {
      let offset = bitOffset + index * bitSize + bit
      guard offset / 8 < bytes.count else { break }
      bits |= UInt64(bytes[offset / 8] >> UInt8(offset % 8) & 1) << UInt64(bit)
    }
    guard values.lowerBound < 0, size < 64, bits >> UInt64(size - 1) & 1 == 1 else {
      return Int64(truncatingIfNeeded: bits)
    }
    return Int64(truncatingIfNeeded: bits) - (Int64(1) << Int64(size))
  }

  func set(_ value: Int64, in bytes: inout [UInt8]) {
    for bit in 0..<min(bitSize, 64) {
      let offset = bitOffset + bit
      guard offset / 8 < bytes.count else { return }
      let mask = UInt8(1) << UInt8(offset % 8)
      if UInt64(bitPattern: value) >> UInt64(bit) & 1 == 1 {
        bytes[offset / 8] |= mask
      } else {
        bytes[offset / 8] &= ~mask
      }
    }
  }
}
