import PressureKit
import PressureSettings
import PressureTestSupport
import Testing

@testable import PressureDevices

struct QuirkSurfaceTests {
  private func device(_ bus: UInt16, _ vendor: UInt16, _ product: UInt16, _ name: String = "Pad")
    -> DeviceDescription
  {
    var device = DeviceDescription()
    for code in [EventCode.positionX, .positionY, .trackingID] {
      device.axes[code.code] = Axis(minimum: 0, maximum: 999)
    }
    device.axes[EventCode.slot.code] = Axis(minimum: 0, maximum: 4)
    device.axes[EventCode.pressure.code] = Axis(minimum: 0, maximum: 253)
    (device.bus, device.vendor, device.product, device.name) = (bus, vendor, product, name)
    return device
  }

  @Test func `an axis with constant values is disabled by a quirk for one machine`() throws {
    var pad = device(0x11, 0x0002, 0x000e, "ETPS/2 Elantech Touchpad")
    #expect(try Configuration().surface(of: pad).capability == .size)
    pad.dmiModalias = "dmi:bvnAMI:svnASUSTeKCOMPUTERINC.:pnUX302LA:pvr1.0:"
    #expect(try Configuration().surface(of: pad).capability == .none)
  }

  @Test(
    arguments: [
      ("TOPS0102:00 35CC:0104 Touchpad", 0x35cc, 0x0104, "dmi:bvnHONOR:svnHONOR:pnMRA-XXX:pvr1.0:"),
      ("GXTP7863:00 27C6:01E0 Touchpad", 0x27c6, 0x01e0, "dmi:bvnHUAWEI:svnHUAWEI:pnVGHH-XX:pvr1:"),
    ] as [(String, UInt16, UInt16, String)])
  func `a name or number of several machines matches only with the right one`(
    name: String, vendor: UInt16, product: UInt16, modalias: String
  ) throws {
    var pad = device(0x18, vendor, product, name)
    #expect(try Configuration().surface(of: pad).capability == .size)
    pad.dmiModalias = "dmi:bvnAMI:svnOTHER:pnZQC-P:pvr1.0:"
    #expect(try Configuration().surface(of: pad).capability == .size)
    pad.dmiModalias = modalias
    #expect(try Configuration().surface(of: pad).capability == .force)
  }

  @Test func `a pressure pad keeps the axis that libinput disables as a size`() throws {
    var configuration = Configuration()
    let text =
      "[Lenovo Yoga 9i]\nMatchVendor=0x06CB\nAttrEventCodeDisable=ABS_MT_PRESSURE;ABS_PRESSURE;\n"
    configuration.quirks = try QuirksFile.read(text: Array(text.utf8), name: "quirks.yaml")
    #expect(try configuration.surface(of: device(0x18, 0x06cb, 0xce37)).capability == .force)
    #expect(try configuration.surface(of: device(0x18, 0x06cb, 0xcd41)).capability == .none)
  }

  @Test(
    arguments: [
      (0x18, 0x06cb, 0xce37, "Pad", Surface.Capability.force), (0x18, 0x06cb, 0xcd41, "Pad", .size),
      (0x18, 0x27c6, 0x01e9, "GXTP5100", .force), (0x18, 0x2c2f, 0x0034, "Sensel", .force),
      (0x18, 0x04f3, 0x3355, "Elan", .force), (0x18, 0x093a, 0x4f05, "PixArt", .force),
      (0x03, 0x05ac, 0x0265, "Apple", .force), (0x05, 0x004c, 0x0324, "Apple", .force),
      (0x05, 0x05ac, 0x0265, "Apple", .size), (0x11, 0x0002, 0x000e, "Elan", .size),
    ] as [(UInt16, UInt16, UInt16, String, Surface.Capability)])
  func `known devices have the right capability`(
    bus: UInt16, vendor: UInt16, product: UInt16, name: String, capability: Surface.Capability
  ) throws {
    let surface = try Configuration().surface(of: device(bus, vendor, product, name))
    #expect(surface.capability == capability)
    #expect(surface.weightSource == .nominal)
  }

  @Test func `quirks of the user override the shipped ones`() throws {
    let quirks = try TemporaryFile(
      "quirks: [{ title: mine, MatchVendor: 0x06CB, ModelPressurePad: 0, AttrEffectiveMaximum: 99 }]",
      name: "mine.yaml")
    for path in [quirks.path, "mine.yaml"] {
      let folder = quirks.path.dropLast("mine.yaml".count)
      let file = "\(folder)config.yaml"
      try quirks.write(Array("quirks_file: \(path)\n".utf8), beside: "config.yaml")
      let configuration = try ConfigurationFile.read(path: file)
      let surface = try configuration.surface(of: device(0x18, 0x06cb, 0xce37))
      #expect(surface.capability == .size)
      #expect(surface.pressure?.effectiveMaximum == 99)
    }
  }
}
