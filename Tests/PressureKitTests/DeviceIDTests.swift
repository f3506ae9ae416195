import Testing

@testable import PressureKit

struct DeviceIDTests {
  private func name(unique: String = "", physical: String = "") -> String {
    var description = DeviceDescription()
    (description.bus, description.vendor, description.product) = (0x18, 0x6cb, 0xcd41)
    (description.uniqueID, description.physicalPath) = (unique, physical)
    return DeviceID(description).text
  }

  @Test(arguments: [
    ("", "", "0018-06cb-cd41"),
    ("", "usb-0000:00:14.0-1/input0", "0018-06cb-cd41-usb0000:00:14.01/input0"),
    ("c8:2a:14:7f", "usb-1/input0", "0018-06cb-cd41-c8:2a:14:7f"),
    ("\" \\\n\u{7f}-é٣", "isa0060/serio1", "0018-06cb-cd41-isa0060/serio1"),
    ("A_b.9", "", "0018-06cb-cd41-A_b.9"),
  ])
  func `an ID consists of bus, vendor, product and unique ID or path`(
    unique: String, physical: String, expected: String
  ) {
    #expect(name(unique: unique, physical: physical) == expected)
  }

  @Test func `numbers have four digits`() {
    #expect(DeviceID(DeviceDescription()).text == "0000-0000-0000")
    var description = DeviceDescription()
    description.bus = .max
    #expect(DeviceID(description).text == "ffff-0000-0000")
  }

  @Test func `a second device with the same ID gets a number`() {
    #expect(DeviceID(DeviceDescription()).numbered(2).text == "0000-0000-0000#2")
  }
}
