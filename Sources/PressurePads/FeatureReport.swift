internal import Glibc
internal import PressureDevices

/// The layout of a feature report: where its fields are.
package struct FeatureReport: Hashable, Sendable {
  /// The number of the report; nil if the device's reports have none.
  package let id: UInt8?

  /// All fields, with padding.
  let fields: [ReportField]

  /// The bytes without the number.
  let byteCount: Int

  /// The most bytes of a request with the number, by the 14 bits that the kernel's request code has for it.
  static let maximumLength = (1 << 14) - 1

  /// Reads the layout of a report from the descriptor.
  init(id: UInt8?, of descriptor: ReportDescriptor) {
    self.id = id
    fields = descriptor.fields.filter { $0.kind == .feature && $0.reportID == id }
    let bits = fields.map { $0.bitOffset + $0.bitSize * $0.count }.max() ?? 0
    byteCount = (bits + 7) / 8
  }

  /// The data in an answer of hidraw, in front of which is the number of the report.
  ///
  /// It is 0 for reports without numbers: usbhid and i2c-hid put it there. A driver that does not, as uhid, gives a byte
  /// less, which is not taken for data.
  ///
  /// - Parameters:
  ///   - answer: all bytes.
  ///   - id: the number; nil if the device's reports have none.
  ///   - count: the number of bytes of the report.
  /// - Returns: the bytes without the number.
  /// - Throws: `FeatureError.refused` if it is not an answer to this request.
  static func data(
    of answer: [UInt8], report id: UInt8?, count: Int
  ) throws(FeatureError) -> [UInt8] {
    guard answer.first == id ?? 0, id != nil || answer.count == count + 1 else {
      throw .refused(EBADMSG)
    }
    return Array(answer.dropFirst())
  }

  /// Whether a field is defined by the vendor, so that nobody else knows what writing it does.
  static func isVendor(_ field: ReportField) -> Bool { field.usage.page >= 0xff00 }

  /// The fields that carry values, besides these.
  func others(than controls: [PadControl]) -> [ReportField] {
    fields.filter { field in
      !field.isConstant && !controls.contains { $0.field == field }
    }
  }
}

/// The contents of a feature report, without its number.
struct FeatureData: Hashable {
  var bytes: [UInt8]

  init(count: Int) { bytes = Array(repeating: 0, count: count) }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The raw bits of a value, least significant first; a field of more than 64 bits is read as its first 64.
  private func bits(at offset: Int, _ size: Int) -> UInt64 {
    var bits: UInt64 = 0
    for index in 0..<min(size, 64) {
      let place = offset + index
      guard place / 8 < bytes.count else { break }
      bits |= UInt64(bytes[place / 8] >> UInt8(place % 8) & 1) << UInt64(index)
    }
    return bits
  }

  /// A value of a field.
  func value(of field: ReportField, index: Int = 0) -> Int64 {
    let size = min(field.bitSize, 64)
    let bits = bits(at: field.bitOffset + index * field.bitSize, size)
    guard min(field.logicalMinimum, field.logicalMaximum) < 0, size < 64,
      bits >> UInt64(size - 1) & 1 == 1
    else { return Int64(truncatingIfNeeded: bits) }
    return Int64(truncatingIfNeeded: bits) - (Int64(1) << Int64(size))
  }

  /// Sets the value of a field and leaves all other bits.
  mutating func set(_ value: Int64, of field: ReportField) {
    for index in 0..<min(field.bitSize, 64) {
      let place = field.bitOffset + index
      guard place / 8 < bytes.count else { return }
      let mask = UInt8(1) << UInt8(place % 8)
      if UInt64(bitPattern: value) >> UInt64(index) & 1 == 1 {
        bytes[place / 8] |= mask
      } else {
        bytes[place / 8] &= ~mask
      }
    }
  }

  /// Whether all values that these fields carry are in their declared ranges.
  func isPlausible(_ fields: [ReportField]) -> Bool {
    fields.allSatisfy { field in
      guard !field.isConstant else { return true }
      let range =
        min(
          field.logicalMinimum, field.logicalMaximum)...max(
          field.logicalMinimum, field.logicalMaximum)
      return (0..<field.count).allSatisfy { range.contains(value(of: field, index: $0)) }
    }
  }
}
