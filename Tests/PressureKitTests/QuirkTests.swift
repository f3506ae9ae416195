import PressureTestSupport
import Testing

@testable import PressureKit

struct QuirkTests {
  private func pad(_ words: String = "pressure=0..255") throws -> DeviceDescription {
    try DeviceDescription(words: ("slots=2 x=0..9 y=0..9 " + words).split(separator: " "))
  }

  private func quirk(_ change: (inout Quirk) -> Void) -> Quirk {
    var quirk = Quirk(title: "test")
    change(&quirk)
    return quirk
  }

  @Test func `an unset match accepts all devices`() throws {
    let pad = try pad()
    #expect(Quirk(title: "").matches(pad))
    #expect(quirk { $0.bus = 0x18 }.matches(pad))
    #expect(!quirk { $0.bus = 0x03 }.matches(pad))
    #expect(!quirk { $0.vendor = 0x05ac }.matches(pad))
    #expect(quirk { $0.products = [1, 0xcd41] }.matches(pad))
    #expect(!quirk { $0.products = [1] }.matches(pad))
    #expect(quirk { $0.name = "P*" }.matches(pad))
    #expect(!quirk { ($0.bus, $0.name) = (0x18, "Q*") }.matches(pad))
  }

  @Test func `matching quirks add up, and the later ones decide`() throws {
    let first = quirk {
      ($0.clickPressure, $0.measure, $0.contactsCarryTotal) = (69, .shares, true)
    }
    var second = quirk { ($0.clickPressure, $0.missingAxes) = (70, [EventCode.toolType.code]) }
    second.title = "mine"
    let other = quirk { ($0.bus, $0.hasInheritedRange) = (0x03, true) }
    let sum = try pad().corrected(by: [first, second, other]).quirk
    #expect(sum?.title == "mine")
    #expect((sum?.clickPressure, sum?.measure, sum?.contactsCarryTotal) == (70, .shares, true))
    #expect(sum?.missingAxes == [EventCode.toolType.code])
    #expect((sum?.hasInheritedRange, sum?.bus) == (nil, nil))
  }

  @Test func `the effective maximum comes from configuration or quirk, in that order`() throws {
    let known = try pad().corrected(by: [quirk { $0.effectiveMaximum = 100 }])
    #expect(try Surface(known).pressure?.effectiveMaximum == 100)
    var settings = DeviceSettings()
    settings.effectiveMaximum = 50
    #expect(try Surface(known, settings: settings).pressure?.effectiveMaximum == 50)
  }
}
