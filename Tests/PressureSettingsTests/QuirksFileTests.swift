import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureProtocol
@testable import PressureSettings
@testable import PressureSystem

struct QuirksFileTests {
  private func read(_ text: String) throws -> [Quirk] {
    try QuirksFile.read(text: Array(text.utf8), name: "quirks.yaml")
  }

  private func errors(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch {
      return (error as? ConfigurationErrors)?.sentences ?? ["\(error)"]
    }
  }

  @Test func `libinput's keys are supported`() throws {
    let quirks = try read(
      """
      quirks:
        - title: all of it
          MatchBus: usb
          MatchVendor: 0x05AC
          MatchProduct: 0x0265;0x0324
          MatchName: "*Trackpad*"
          ModelPressurePad: 1
          AttrEventCode: -ABS_MT_PRESSURE;-ABS_PRESSURE
          AttrEffectiveMaximum: 190
        - { title: another, AttrInputProp: -INPUT_PROP_PRESSUREPAD }
      """)
    var first = Quirk(title: "all of it")
    (first.bus, first.vendor, first.products) = (3, 0x05ac, [0x0265, 0x0324])
    (first.name, first.isPressurePad, first.effectiveMaximum) = ("*Trackpad*", true, 190)
    first.missingAxes = [EventCode.pressure.code, EventCode.singlePressure.code]
    #expect(quirks.count == 2)
    #expect(quirks.first == first)
    #expect(quirks.last?.isPressurePad == false)
    #expect(try read("") == [])
  }

  @Test(arguments: [
    ("MatchBus: rs232", "MatchBus must be one of usb, bluetooth, ps2, i2c, spi, rmi"),
    ("MatchVendor: 1452", "MatchVendor must be a number such as 0x05AC"),
    ("MatchProduct: 0x1;0x12345", "MatchProduct must be numbers such as 0x0265;0x0324"),
    ("ModelPressurePad: yes", "ModelPressurePad must be 1 or 0"),
    ("AttrEventCode: ABS_PRESSURE", "AttrEventCode must be names such as -ABS_MT_PRESSURE"),
    ("AttrEventCode: -ABS_PRESSURE;;", "AttrEventCode must be names such as -ABS_MT_PRESSURE"),
    ("MatchUdevTypes: x", "unknown key \"MatchUdevTypes\""),
    ("Quirk: x", "unknown key \"Quirk\""),
  ])
  func `an error has its location`(line: String, error: String) {
    let text = "quirks: [{ title: t, \(line) }]"
    #expect(errors(text).count == 1)
    #expect(errors(text).first?.contains(": " + error) == true)
    #expect(errors(text).first?.hasPrefix("quirks.yaml:1:") == true)
  }

  @Test func `libinput's file format is supported`() throws {
    let quirks = try read(
      """
      # of a broken axis
      [Asus UX302LA]  # here
      MatchName=*Elantech Touchpad*
      MatchUdevType=touchpad
      MatchDMIModalias=dmi:*:pnUX302LA:*
      MatchProduct=0x000E;
      AttrEventCodeDisable=ABS_MT_PRESSURE;ABS_PRESSURE;
      AttrPressureRange=10:8

      [A pressure pad]
      AttrInputProp=+INPUT_PROP_PRESSUREPAD;-INPUT_PROP_BUTTONPAD;
      AttrEventCode=-EV_ABS:0x3A;+BTN_RIGHT

      [Of a board]
      MatchDeviceTree=*pine64*
      ModelPressurePad=1
      """)
    #expect(quirks.map(\.title) == ["Asus UX302LA", "A pressure pad"])
    #expect(quirks.first?.missingAxes == [EventCode.pressure.code, EventCode.singlePressure.code])
    #expect(quirks.first?.products == [0x000e])
    #expect(quirks.last?.isPressurePad == true)
    #expect(quirks.last?.missingAxes == [EventCode.pressure.code])
  }

  @Test(arguments: [
    ("[", "a section begins with"), ("[a]\nModelPressurePad", "a line is [title] or Key=value"),
    ("[a]\nModelPressurePad=2", "ModelPressurePad must be 1 or 0"),
    ("[a]\nMatchBus=usb\nMatchBus=usb", "is a duplicate"),
  ])
  func `an error in a section has its location`(text: String, error: String) {
    #expect(errors(text).count == 1)
    #expect(errors(text).first?.contains(error) == true)
  }

  @Test func `the quirks shipped by libinput are read`() throws {
    let folder = "/usr/share/libinput"
    let names = FileNames.names(in: folder).filter { $0.hasSuffix(".quirks") }
    for name in names {
      #expect(throws: Never.self) { try QuirksFile.read(path: "\(folder)/\(name)") }
    }
  }

  @Test func `the shipped quirks are valid`() throws {
    let shipped = try QuirksFile.read(
      text: Array(ShippedQuirks.text.utf8), name: ShippedQuirks.name)
    #expect(!shipped.isEmpty && ShippedQuirks.quirks == shipped)
  }

  @Test func `an explicit quirks file must exist and be valid`() throws {
    let file = try TemporaryFile("quirks_file: none.yaml\n", name: "config.yaml")
    #expect(throws: ConfigurationErrors.self) {
      try ConfigurationFile.read(
        at: ConfigurationLocation(path: file.path, isRequired: false))
    }
    try file.write(Array("quirks: 7\n".utf8), beside: "none.yaml")
    #expect(throws: ConfigurationErrors.self) { try ConfigurationFile.read(path: file.path) }
  }
}
