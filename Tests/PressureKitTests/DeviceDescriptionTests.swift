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

  @Test func `numbers have four digits, and a second device with the same ID gets another`() {
    #expect(DeviceID(DeviceDescription()).text == "0000-0000-0000")
    var description = DeviceDescription()
    description.bus = .max
    #expect(DeviceID(description).text == "ffff-0000-0000")
    #expect(DeviceID(DeviceDescription()).numbered(2).text == "0000-0000-0000#2")
  }
}

struct RefusalTests {
  private static let multitouch: [EventCode] = [.slot, .trackingID, .positionX, .positionY]

  private func description(
    _ axes: [EventCode], keys: [UInt16]? = [], slotMaximum: Int32 = 4
  ) -> DeviceDescription {
    var description = DeviceDescription()
    for axis in axes { description.axes[axis.code] = Axis(minimum: 0, maximum: 9) }
    if axes.contains(.slot) {
      description.axes[EventCode.slot.code] = Axis(minimum: 0, maximum: slotMaximum)
    }
    description.keys = keys.map(Set.init)
    return description
  }

  private func expect(_ error: UnsupportedDeviceError, of description: DeviceDescription) {
    #expect(throws: error) { try Surface(description) }
  }

  @Test func `a keyboard is never read`() {
    for key: UInt16 in [2, 30, 53, 57] {
      expect(.keyboard, of: description(Self.multitouch, keys: [key]))
      expect(.keyboard, of: description([.x, .y], keys: [EventCode.touch.code, key]))
    }
  }

  @Test func `a home key does not make a keyboard`() throws {
    for key: UInt16 in [1, 54, 102, 172] {
      _ = try Surface(description(Self.multitouch, keys: [key]))
    }
  }

  @Test func `a game pad with contiguous axis numbers has no slots`() {
    expect(.fakeSlots, of: description(Self.multitouch + [.beforeSlot, .pressure]))
  }

  @Test func `slots need positions and tracking IDs`() {
    for missing in Self.multitouch.dropFirst() {
      expect(.incompleteSlots, of: description(Self.multitouch.filter { $0 != missing }))
    }
  }

  @Test(arguments: [-1, 1024, .max, .min] as [Int32])
  func `more slots than the kernel allows are rejected`(maximum: Int32) {
    expect(.tooManySlots, of: description(Self.multitouch, slotMaximum: maximum))
  }

  @Test func `protocol A is rejected by name`() {
    expect(.protocolA, of: description([.positionX, .positionY, .pressure]))
    expect(.protocolA, of: description([.positionX, .positionY, .trackingID, .x, .y]))
  }

  @Test func `a device without a position is not a touch device`() {
    expect(.noPosition, of: description([]))
    expect(.noPosition, of: description([.x, .singlePressure], keys: [EventCode.touch.code]))
    expect(.noPosition, of: description([.positionX, .y], keys: [EventCode.touch.code]))
  }

  @Test(arguments: [0x140, 0x141, 0x144, 0x149, 0x14b, 0x14c] as [UInt16])
  func `a device with a tool or a button of a pen is a pen`(key: UInt16) {
    let keys = [EventCode.touch.code, key]
    expect(.pen, of: description([.x, .y, .singlePressure], keys: keys))
  }

  @Test func `a joystick has a position but no touch`() {
    expect(.noTouch, of: description([.x, .y], keys: [0x120]))
  }

  @Test(arguments: [
    UnsupportedDeviceError.keyboard, .noPosition, .fakeSlots, .incompleteSlots, .protocolA, .pen,
    .noTouch,
    .tooManySlots,
  ])
  func `each message continues a sentence after a name`(error: UnsupportedDeviceError) {
    #expect(error.description.hasPrefix("it"))
    #expect(!error.description.hasSuffix("."))
  }

  @Test func `the message of too many slots has the limit`() {
    #expect(UnsupportedDeviceError.tooManySlots.description.contains("\(Surface.maximumSlots)"))
  }
}
